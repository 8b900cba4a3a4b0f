/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A made-up guest for tests of values: blocks with random programs, which run on real
 * registers, and every access that came of it.
 */
#ifndef TESTS_VALUE_GUEST_H
#define TESTS_VALUE_GUEST_H

#include "format/values_encode.h"
#include "waymark.h"

enum {
	VALUE_GUEST_BLOCKS = 40,
	VALUE_GUEST_INSNS = 12,
	VALUE_GUEST_OPS = 30,
	VALUE_GUEST_RING = 1 << 16,
	VALUE_GUEST_FIRINGS = 6,
	VALUE_GUEST_MOST = VALUE_GUEST_RING * 16, /* accesses, of which all are kept */
};

/* The same numbers after the same seed. any(n) is below n. */
extern uint64_t value_seed;
uint32_t value_any(uint32_t n);
uint64_t value_any64(void);

/* An access in the ring. */
struct value_done {
	uint64_t end; /* the position after its words */
	bool fires;
};

struct value_guest {
	uint32_t wanted, width;
	struct value_op ops[VALUE_GUEST_BLOCKS + 1][VALUE_GUEST_OPS]; /* by block id */
	uint32_t op_count[VALUE_GUEST_BLOCKS + 1];
	struct value_programs *programs;
	uint64_t registers[VALUE_REGISTERS + 1];
	uint64_t *ring; /* [VALUE_GUEST_RING] */
	struct value_words words;
	struct wm_access *expected; /* [VALUE_GUEST_MOST] */
	struct value_done *done;    /* [VALUE_GUEST_MOST] of each of them */
	size_t expected_count;
	uint32_t block; /* of the accesses that come */
};

/*
 * An execution: of which block, what it fired, and how many accesses it did. Left early: in
 * its instruction left - 1, of which no access was done but what it fired.
 */
struct value_execution {
	uint32_t id, accesses, firing_count;
	uint16_t left; /* 0: it was not */
	struct value_firing firings[VALUE_GUEST_FIRINGS];
};

/* Appends the payload of its SITE to *site. */
void value_guest_make(struct value_guest *guest, uint32_t wanted, uint32_t width,
		      struct buf *site);
void value_guest_free(struct value_guest *guest);
/* What an execution fires: one of few sequences, so that they recur. */
void value_guest_fire(struct value_execution *execution);
/* Runs the block, perhaps not to its end: words go to the ring, accesses to `expected`. */
void value_guest_run(struct value_guest *guest, struct value_execution *execution);

#endif
