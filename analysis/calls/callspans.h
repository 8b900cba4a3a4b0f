/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The longest calls of a thread, or of a part of one: as many as are wanted, and of all others
 * how many there were by their length. Memory does not grow with the run.
 */
#ifndef ANALYSIS_CALLS_CALLSPANS_H
#define ANALYSIS_CALLS_CALLSPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct callspan {
	uint64_t begin, end; /* instructions: its first, and the one after it */
	uint32_t entity;
	/* Of a part whose stack is open: in which stay it ended, see calllog.c. */
	uint32_t stay : 31;
	/* Its begin, and so its length, may not be known: it is not counted yet. */
	uint32_t dubious : 1;
};

struct callspans {
	struct callspan *all; /* [n] in the order in which they ended */
	size_t n, limit;      /* at `limit`, short ones are dropped */
	uint64_t most;	      /* calls that are wanted */
	uint64_t least;	      /* instructions: shorter ones are too many already */
	uint64_t *counts;     /* of all calls, by their length */
	bool failed;	      /* no memory */
};

/* Frees with callspans_fini(), also when `failed` is set. */
void callspans_init(struct callspans *spans, uint64_t most);
void callspans_fini(struct callspans *spans);

/* Adds a call that has ended. One without an instruction is not to be seen, and not missed. */
void callspans_add(struct callspans *spans, const struct callspan *span);
/*
 * The same in two steps: what others have counted counts here, too, and then each of their spans
 * that is not dubious is kept, if it is long enough.
 */
void callspans_count(struct callspans *spans, const struct callspans *other);
void callspans_keep(struct callspans *spans, const struct callspan *span);
/* Drops what is shorter than `least` instructions. */
void callspans_drop(struct callspans *spans, uint64_t least);
/* Drops all that is certainly not among the `most` longest. Equal calls leave equal spans. */
void callspans_settle(struct callspans *spans);
/* How many calls there were that are shorter than `least`. */
uint64_t callspans_shorter(const struct callspans *spans);

/*
 * Hands out the calls as they begin and end, which nest: what ends at an instruction comes
 * before what begins there. Puts all[] into another order. `more`: false ends it.
 */
struct callspans_sink {
	void (*begin)(void *cookie, uint32_t entity, uint64_t insn);
	void (*end)(void *cookie, uint32_t entity, uint64_t insn);
	bool (*more)(void *cookie);
};
/* False: no memory. */
bool callspans_each(struct callspans *spans, const struct callspans_sink *sink,
		    void *cookie);

/* Bytes, of settled spans; get() after init(), with the largest entity and stay. */
void callspans_put(const struct callspans *spans, struct buf *out);
void callspans_get(struct callspans *spans, struct span *in, uint32_t n_entities,
		   uint32_t n_stays);

#endif
