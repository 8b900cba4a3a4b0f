/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A made-up program whose functions call each other, for tests of the parts of call graphs.
 * Whatever goes wrong ends the test.
 */
#ifndef TESTS_CALLING_H
#define TESTS_CALLING_H

#include "analysis/calls/callpart.h"

/*
 * Functions 1 to FUNCTIONS have the same blocks: PLACES places of 10 bytes, one block each,
 * which is number function * PLACES + place. Number STUB is a stub, FAR is longjmp(), ONWARD
 * is what lets an exception go on; from NAMELESS on they are files without symbols, whose
 * code is an entity at each place, and was called directly at SECOND. The blocks ON of
 * INTO_MIDDLE and INTO_ENTRY run on into the function after them.
 */
enum {
	FUNCTIONS = 11,
	INTO_MIDDLE = 4,
	INTO_ENTRY = 5,
	ONWARD = 7,
	STUB = 8,
	FAR = 9,
	NAMELESS = 10,
	PLACES = 6,
	BLOCKS = (FUNCTIONS + 1) * PLACES,
	ROWS = BLOCKS + 2,
	ENTITIES = FUNCTIONS + (FUNCTIONS - NAMELESS + 1) * PLACES,
};
enum { ENTRY, CALL_1, CALL_2, ON, JUMP, RETURN };
enum { SECOND = ON };

extern struct site rows[ROWS];

uint32_t block(uint32_t function, uint32_t place);
/* Code without symbols, when it is called there. */
uint32_t nameless(uint32_t function, uint32_t place);
/* Fills in rows[]; for cmocka, before all tests. */
int make_rows(void **state);

/* What happens: a block that is entered, or with a high bit something before it. */
enum {
	SIGNAL = 1 << 30,
	SIGRETURN = 1 << 29,
	LEFT_EARLY = 1 << 28,
	GAP = 1 << 27,
	NUMBER = 0xffff
};

/* `next` is the block that goes on after a signal; 0: not known. */
void feed_one(struct callpart *part, uint32_t what, uint32_t next, uint64_t *insn);
/* A signal's own number is the block that goes on afterwards; 0: not known. */
void feed(struct callpart *part, const uint32_t *what, size_t n, uint64_t *insn);
/* A part, at the start of a thread if `first`. */
void begin(struct callpart *part, uint32_t most_contexts, bool first);

#endif
