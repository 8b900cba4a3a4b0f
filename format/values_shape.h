/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What most blocks of an interpreter do to values: at most one fetch, by one register, which is
 * moved by constants before and behind it. Then a block's program need not be gone through:
 *
 *	[FORGET first]  p += ...  [LOAD p + ...]  p += ...  [FORGET last]
 */
#ifndef FORMAT_VALUES_SHAPE_H
#define FORMAT_VALUES_SHAPE_H

#include "format/values_programs.h"

enum value_shape_kind {
	SHAPE_UNKNOWN = 0, /* nobody has looked */
	SHAPE_MOVES,	   /* no fetch */
	SHAPE_FETCHES,	   /* one */
	SHAPE_OTHER,
};

struct value_shape {
	uint32_t first,
		last;	 /* registers that are forgotten before and behind the fetch */
	int32_t to_word; /* from the register to the fetch's address */
	int32_t to_end; /* from that, or without a fetch from the register, to what it has then */
	uint32_t ready; /* the encoder's: the chunk in which the block's words have entries */
	uint8_t kind; /* enum value_shape_kind */
	uint8_t reg;
};

/* The shape of a block with a program, of a guest with 64 bits. */
struct value_shape value_shape_of(const struct value_programs *programs, uint32_t id);

#endif
