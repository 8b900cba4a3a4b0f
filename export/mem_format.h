/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Executed instructions with their memory accesses, for other programs: cache simulators,
 * performance models, verification flows.
 */
#ifndef EXPORT_MEM_FORMAT_H
#define EXPORT_MEM_FORMAT_H

#include <stdio.h>

#include "export/format.h"
#include "isa/flow.h"
#include "isa/registers.h"
#include "isa/riscv_load.h"
#include "waymark.h"

struct mem_insn {
	uint64_t address;
	uint64_t next;	 /* address of what the thread ran next; 0: not known */
	uint64_t opcode; /* its bytes as a little-endian number, 8 at most */
	unsigned bytes;
	unsigned vcpu;
	unsigned xlen; /* RISC-V: 32 or 64; elsewhere 0 */
	unsigned mode; /* RISC-V's number of it; 0 unless the format wants it */
	bool first;    /* of all */
	bool apart;    /* what led to it is not known: it is the first, or after a gap */
	struct flow flow; /* FLOW_ON unless the format wants it, or when it is not known */
	const char *disas; /* "" unless the format wants it, or when it is not known */
	const struct wm_access *accesses; /* [n] in order; no registers among them */
	size_t n;
	bool knows_accesses; /* they were recorded */
	/* What it wrote to registers: [n_written]; `knows_written`: these are all of them. */
	const struct wm_access *written;
	size_t n_written;
	const char *isa; /* of these, as QEMU names it */
	/* Of these, the ones that had that value before, as far as that is known. */
	struct register_set same;
	bool knows_written;
};

/* A register that an instruction wrote. */
struct mem_register {
	unsigned number;  /* isa/registers.h */
	uint64_t data[2]; /* the second one of a vector */
};

static inline bool mem_is_vector(const struct mem_register *written)
{
	return written->number >= REGISTERS_FIRST_VECTOR;
}

/*
 * The register that a RISC-V load wrote. False: it wrote none, or what it loaded is not in the
 * trace. Where another thread may run, QEMU tells of an atomic instruction's store alone.
 */
static inline bool mem_loaded(const struct mem_insn *insn, struct riscv_loaded *loaded)
{
	const struct wm_access *access = insn->accesses;

	return insn->xlen && insn->n && access->kind == WM_ACCESS_LOAD &&
	       access->has_data &&
	       riscv_load((uint32_t)insn->opcode, insn->xlen, access->data[0],
			  access->size, loaded);
}

/*
 * The index-th register that is known to have been written; false: there are no more. Where
 * writes were not recorded, it is the one that a load wrote.
 */
static inline bool mem_written(const struct mem_insn *insn, size_t index,
			       struct mem_register *out)
{
	struct riscv_loaded loaded;

	if (index < insn->n_written) {
		const struct wm_access *access = &insn->written[index];

		*out = (struct mem_register){ (unsigned)access->address,
					      { access->data[0], access->data[1] } };
		return true;
	}
	if (insn->knows_written || index || !mem_loaded(insn, &loaded))
		return false;
	*out = (struct mem_register){
		loaded.number + (loaded.file == RISCV_F ? REGISTERS_FIRST_FP : 0),
		{ loaded.value }
	};
	return true;
}

/* Which text of the instruction a format wants. */
enum mem_text { MEM_TEXT_NONE, MEM_TEXT_RIGHT, MEM_TEXT_QEMU };

struct mem_format {
	struct format format; /* first: formats[] knows it by this */
	enum mem_text text;
	bool wants_flow;
	bool wants_mode;    /* that of each instruction of a machine */
	bool riscv_only;    /* the format is of RISC-V */
	bool needs_data;    /* the recording must have the data, or registers written */
	bool takes_path;    /* the recording need not have accesses */
	const char *header; /* the first line; or NULL */
	/* Writes one instruction. The caller checks the stream for errors. */
	void (*print)(FILE *out, const struct mem_insn *insn);
};

extern const struct mem_format mem_champsim, mem_commits, mem_din, mem_execlog,
	mem_lackey, mem_riscv_dv, mem_stf;

#endif
