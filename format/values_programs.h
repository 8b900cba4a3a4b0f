/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The programs of a file's blocks (format/values.h), compiled to arrays, and the sections
 * SITE that they are in.
 *
 *	SITE	first:32 count:32 wanted:32 width:32 | bytes of each:varint* | programs
 */
#ifndef FORMAT_VALUES_PROGRAMS_H
#define FORMAT_VALUES_PROGRAMS_H

#include "format/blocks.h"
#include "format/values.h"

/* An operation as it is executed: struct value_op in 16 bytes. */
struct value_step {
	uint8_t kind; /* enum value_op_kind */
	uint8_t rd, rs, rt;
	uint16_t insn;
	uint8_t size;
	bool is_signed : 1;
	bool in_lane : 1;
	int64_t imm; /* of OP_FORGET: the mask */
};

struct value_program {
	uint32_t first, count; /* among the steps of all programs */
	uint16_t insns;	       /* of the block */
	uint16_t accesses;     /* loads and stores among the steps */
	uint32_t words;	       /* that these put into the lane, all together */
};

struct value_programs {
	struct value_step *steps; /* of all blocks, one after the other */
	uint32_t step_count, steps_allocated;
	struct value_program *of; /* [known + 1] by block id; of[0] is unused */
	/*
	 * [known + 1] by block id, 0 or 1: the block has steps. Most have none where little is
	 * wanted, and these bytes stay in a cache.
	 */
	uint8_t *busy;
	uint32_t known, allocated;
	uint32_t wanted; /* enum values_wanted */
	uint32_t width;	 /* bits of a register and an address: 32 or 64; 0: not known */
	uint64_t most;	 /* limit of its memory in bytes; 0: none */
	/* Of the file that they are from: format/section.h. */
	uint32_t features;
};

/* NULL: no memory. */
struct value_programs *value_programs_new(void);
void value_programs_free(struct value_programs *programs);
/*
 * The program of block `known` + 1, which has `insns` instructions. WM_E_DAMAGED: it is
 * malformed; WM_E_NOMEM. Then nothing was added.
 */
int value_programs_define(struct value_programs *programs, uint32_t insns,
			  struct span program, struct wm_error *err);
/*
 * The programs of a section SITE, whose blocks are in the table. WM_E_DAMAGED, WM_E_NOMEM.
 */
int value_programs_add(struct value_programs *programs, struct span site_payload,
		       const struct block_table *blocks, struct wm_error *err);

/* How many of blocks ids[n], from the first on, have no steps. */
size_t value_programs_idle(const struct value_programs *programs, const uint32_t *ids,
			   size_t n);

/*
 * Which of blocks ids[n] have steps: them, in busy[n], and their places in ids[], ascending, in
 * places[n]. n is at most 65,536. Returns how many.
 */
size_t value_programs_busy(const struct value_programs *programs, const uint32_t *ids,
			   size_t n, uint32_t *busy, uint16_t *places);

/* Accesses of a block's instructions before instruction `insn`. */
uint32_t value_program_before(const struct value_programs *programs, uint32_t id,
			      uint32_t insn);
/* Words of its accesses `from` <= i < `to`. */
uint32_t value_program_words(const struct value_programs *programs, uint32_t id,
			     uint32_t from, uint32_t to);

/* Programs that are not written yet. */
struct sites_writer {
	uint32_t first, count;
	struct buf lengths, bytes;
};

void sites_writer_init(struct sites_writer *sites, uint32_t first);
void sites_writer_fini(struct sites_writer *sites);
/* Adds that of block first + count; false without memory: nothing was added. */
bool sites_writer_add(struct sites_writer *sites, struct span program);
/* Appends the section's payload to *payload and starts the next section. */
void sites_writer_flush(struct sites_writer *sites, uint32_t wanted, uint32_t width,
			struct buf *payload);

#endif
