/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What differs between the machines that are recorded: which instructions matter, where
 * arguments are, and in which privilege mode a hart is and why it got there. Registers are
 * read by QEMU's function for them, in callbacks that have registers.
 */
#ifndef PLUGIN_SYSTEM_ARCH_ARCH_H
#define PLUGIN_SYSTEM_ARCH_ARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/kernel.h"
#include "plugin/qemu_api.h"

/* What an instruction may do besides what it computes. */
enum arch_insn {
	ARCH_PLAIN,
	ARCH_ALONE, /* QEMU may leave the block to run it alone, without a callback */
	ARCH_HALT, /* waits; QEMU leaves the block behind it, but does not end it there */
	ARCH_CALL, /* ends the block: a program's system call, by a trap */
	ARCH_ENTER,	/* the same, without a trap that QEMU tells of */
	ARCH_ENTER_OLD, /* x86: sysenter, by which programs of 32 bits do that */
	ARCH_RETURN,	/* ends the block: goes back to what a trap has interrupted */
	ARCH_RETURN_MACHINE, /* RISC-V: what a trap to machine mode has interrupted */
	ARCH_RETURN_FAST,    /* x86: from ARCH_ENTER */
	ARCH_RUNS_GUEST,     /* x86: vmrun, which ends the block */
	ARCH_VECTORS,	     /* x86: loads the table of handlers */
	ARCH_SET,	     /* x86: may set where ARCH_ENTER leads */
	ARCH_SETS_VECTOR,    /* ends the block: sets where traps lead */
	ARCH_HOST,	     /* ends the block: may be a call of QEMU (semihosting) */
};

/*
 * RISC-V's numbers of its modes, for all machines: AArch64's EL0 to EL3 fit; of x86, ring 0
 * is the kernel's.
 */
enum arch_mode { MODE_USER, MODE_KERNEL, MODE_HYPERVISOR, MODE_FIRMWARE };

/* The trap that a hart has just taken. */
struct arch_trap {
	unsigned hart;
	bool exception;
	uint64_t from, to; /* as QEMU tells them; `from` becomes the address that traps */
	uint64_t cause;	   /* WM_TRAP_... */
	uint64_t value;	   /* an address, mostly */
	uint64_t before, after; /* enum arch_mode */
};

/* Where the return instruction at hand leads. */
struct arch_return {
	uint64_t before, after, to;
};

/* Where traps may lead: addresses first, first + step, ...; n of them. */
struct arch_vectors {
	uint64_t first;
	unsigned n, step;
};
enum { ARCH_VECTORS_MAX = 3 }; /* that a machine has, for its modes */

/* Whether an address is one of them. */
static inline bool arch_is_vector(const struct arch_vectors *vectors, uint64_t address)
{
	uint64_t distance = address - vectors->first;

	return distance < (uint64_t)vectors->n * vectors->step &&
	       !(distance % vectors->step);
}

struct arch {
	const char *target; /* as QEMU names it */
	/* Numbers of isa/registers.h: of a function's arguments, of a system call. */
	uint8_t arguments[2];
	uint8_t call_number, call_arguments[KERNEL_ARGS], call_result;
	uint8_t call_bytes; /* of the instruction that calls */
	const char *hart; /* the register with a hart's number; NULL: no such register */
	bool segments;	  /* addresses are sums (harts.c) */
	bool narrows;	  /* programs of 32 bits have another program counter (harts.c) */
	bool steps;	  /* QEMU runs what stores into its own block alone */
	bool tells_twice; /* QEMU tells exceptions first, then as interrupts */
	enum arch_insn (*insn)(const uint8_t *code, unsigned size);
	/* False: QEMU has no such registers. */
	bool (*read_trap)(struct arch_trap *trap);
	bool (*read_return)(enum arch_insn insn, struct arch_return *ret);
	/*
	 * Only of those whose traps can be seen where they lead to, else NULL. Whether the hart,
	 * at the entry of a block, is where a trap has led it: sets trap->exception, `from` and
	 * `to`. Vectors that an ARCH_SETS_VECTOR is about to set; those that are set,
	 * 0 <= i < ARCH_VECTORS_MAX.
	 */
	bool (*read_entry)(struct arch_trap *trap);
	/*
	 * NULL, or whether the interrupt `above`, of a higher mode, came when a trap had led the hart
	 * to a vector where it had not run anything yet: sets all of `trap`.
	 */
	bool (*read_below)(const struct arch_trap *above, struct arch_trap *trap);
	struct arch_vectors (*read_vectors)(uint32_t code);
	struct arch_vectors (*vectors_now)(unsigned i);
	/*
	 * A register as it was before the trap, of which all but the modes and the cause are
	 * known: how many words, 0: it is not known. NULL: traps change none.
	 */
	unsigned (*read_before)(const void *trap, unsigned number, uint64_t words[2]);
	/*
	 * NULL, or whether an instruction of 4 bytes sets the root of the page table; the address
	 * of the root that such a one is about to set, 0: there is no table then.
	 */
	bool (*sets_table)(uint32_t code);
	uint64_t (*read_table)(uint32_t code);
	/* Only of those that have such instructions: before ARCH_SET, where an ARCH_ENTER... leads. */
	void (*on_set)(void);
	uint64_t (*entry)(enum arch_insn insn);
	/* NULL, or whether the hart's program has 32 bits: its calls have other numbers. */
	bool (*is_narrow)(void);
	/* Where machines of QEMU's start. */
	uint64_t starts[2];
};

extern const struct arch arch_riscv64, arch_aarch64, arch_x86_64;

/* The machine's, from arch_init() on. */
extern const struct arch *arch;

/* False: QEMU's machines of that name are not recorded. */
bool arch_init(const char *target_name);
/* Copies an instruction, at most INSN_BYTES_MAX; how many bytes, 0: it is longer. */
size_t arch_copy(const struct qemu_plugin_insn *insn, uint8_t *to);
enum arch_insn arch_insn(const struct qemu_plugin_insn *insn);
/* Of its last instruction. */
enum arch_insn arch_last_insn(const struct qemu_plugin_tb *tb);

#endif
