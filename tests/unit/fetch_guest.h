/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A made-up interpreter: its blocks end in a fetch each, and go through methods that step, jump,
 * call, return and throw.
 */
#ifndef TESTS_FETCH_GUEST_H
#define TESTS_FETCH_GUEST_H

#include "format/values_programs.h"

/* Blocks by what their fetch does. */
enum fetch_block {
	FETCH_SHORT = 1, /* a step of 1 */
	FETCH_LONG,	 /* of 3 */
	FETCH_JUMP,
	FETCH_CALL,
	FETCH_RETURN,
	FETCH_THROW,
	FETCH_BLOCKS = FETCH_THROW,
};

/* Defines the programs of these blocks, of two instructions each. */
void fetch_guest_define(struct value_programs *programs, struct sites_writer *sites);
/* Its first n blocks, and the word of each. The same for the same seed. */
void fetch_guest_run(uint64_t seed, uint32_t *ids, uint64_t *words, size_t n);

#endif
