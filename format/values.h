/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values beside the path: addresses and data of memory accesses, and registers.
 *
 * A block has a *program*: which of its instructions access memory exactly once, and what
 * its instructions do to registers as far as that helps to know addresses. Program and
 * path together say which words a thread produced, in which order, and what most of them
 * are: an address whose base register is known follows from it. Only what cannot be
 * predicted is stored. Accesses that a program does not have (their number varies, or
 * nobody decodes the guest's instructions) are *firings*.
 *
 * FORMAT.md, section 8, is normative.
 */
#ifndef FORMAT_VALUES_H
#define FORMAT_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "waymark.h"

/* What is recorded beside the path: bits of struct board's `values`. */
enum values_wanted {
	VALUES_LOADS = 1,
	VALUES_STORES = 2,
	VALUES_ALL = VALUES_LOADS | VALUES_STORES,
	VALUES_DATA = 4,    /* of these accesses, also the data */
	VALUES_WRITTEN = 8, /* the registers that each instruction writes */
	VALUES_PLACES = 16, /* what the user named, at places in the code */
	/* Loads are an interpreter's fetches: format/values_fetches.c. In the file only. */
	VALUES_FETCHES = 32,
	VALUES_BITS = 63,
	/*
	 * Loads are those of NOTE_SITES and of forms only. Not in the file: there it is
	 * programs that say which accesses there are.
	 */
	VALUES_SITES = 1 << 16,
	/* With VALUES_SITES alone: of NOTE_STEPS, where the guest tells it. Not in the file, either. */
	VALUES_STEPS = 1 << 17,
};

/*
 * Whether nothing but loads at sites is recorded. Then nothing fires, and most blocks have no word.
 */
static inline bool values_are_rare(uint32_t wanted)
{
	return wanted & VALUES_SITES && !(wanted & (VALUES_WRITTEN | VALUES_PLACES));
}

/* What a firing is of. */
enum value_kind {
	VALUE_LOAD = 0,	    /* words: the address; with VALUES_DATA one or two of data */
	VALUE_STORE = 1,    /* the same */
	VALUE_REGISTER = 2, /* words: its value before the instruction */
	VALUE_WRITTEN = 3,  /* the same, of what the instruction wrote to it */
	VALUE_MEMORY = 4,   /* words: an address, and the one or two of data there */
	VALUE_RETURNED = 5, /* a register after a call; at the instruction after that */
	VALUE_KINDS,
};

static inline bool value_is_register(unsigned kind)
{
	return kind == VALUE_REGISTER || kind == VALUE_WRITTEN || kind == VALUE_RETURNED;
}

/* Whether it is taken before its instruction does anything. */
static inline bool value_comes_first(unsigned kind)
{
	return kind == VALUE_REGISTER || kind == VALUE_MEMORY || kind == VALUE_RETURNED;
}

/*
 * `what` of a firing, but of a load or a store: the register's number, and from bit 16 on which
 * of the places that were asked for it belongs to, from 1; 0: none.
 */
enum { VALUE_PLACE_SHIFT = 16, VALUE_NUMBER_MASK = (1 << VALUE_PLACE_SHIFT) - 1 };

/* Words of data that an access of 1 << size bytes has. */
static inline unsigned value_data_words(unsigned size)
{
	return size <= 3 ? 1 : 2;
}

#define VALUE_SIZE_MAX 4 /* log2 of the bytes of an access, at most */
#define VALUE_REGISTERS 32
#define VALUE_NO_REGISTER 32

/*
 * Operations of a program, in the order of the instructions. Register 0 is known and 0
 * unless an operation writes another register; an operation never writes register 0.
 */
enum value_op_kind {
	OP_FORGET = 0, /* registers of `mask` are not known any more */
	OP_SET = 1,    /* rd = imm */
	OP_ADD = 2,    /* rd = rs + imm */
	OP_SUM = 3,    /* rd = rs + rt */
	OP_LOAD = 4,  /* an access at rs + imm; rd = its data, extended, where recorded */
	OP_STORE = 5, /* an access at rs + imm, of the data rt */
	OP_KINDS,
};

struct value_op {
	uint8_t kind;
	/* Of accesses: */
	uint8_t size;	    /* log2 of its bytes: at most 4 */
	bool is_signed;	    /* a load extends the sign */
	bool in_lane;	    /* its address is a word; else rs is known, it follows */
	uint16_t insn;	    /* index in the block */
	uint8_t rd, rs, rt; /* registers; VALUE_NO_REGISTER */
	uint32_t mask;
	int64_t imm;
};

/*
 * Appends one operation; *insn is the instruction of the one before, 0 at first.
 *
 *	byte	kind (bits 0 to 2), in_lane (3), step of insn (4 to 7; 15: 15 more than the
 *		varint that follows)
 *	FORGET	mask varint
 *	SET	rd, imm zigzag
 *	ADD	rd, rs, imm zigzag
 *	SUM	rd, rs, rt
 *	LOAD	rd, rs, size | is_signed << 3, imm zigzag
 *	STORE	rt, rs, size, imm zigzag
 */
void value_op_put(struct buf *program, const struct value_op *op, uint16_t *insn);
/*
 * Reads one. False at the end, or when it is malformed: then the span has failed. Checks
 * every field but `insn` against the block's number of instructions.
 */
bool value_op_get(struct span *program, struct value_op *op, uint16_t *insn);

#endif
