/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Predict where returns, and indirect jumps and calls, go. */
#ifndef ANALYSIS_BPRED_TARGETS_H
#define ANALYSIS_BPRED_TARGETS_H

#include <stdbool.h>

#include "analysis/bpred/spec.h"

/* Addresses that calls return to; the oldest is overwritten when the stack is full. */
struct returns {
	uint64_t *addresses; /* [size] a ring */
	uint32_t size, top, used;
};

/* False: no memory; returns_fini() takes such a stack, too. */
bool returns_init(struct returns *returns, uint32_t size);
void returns_fini(struct returns *returns);
void returns_push(struct returns *returns, uint64_t address);
/* The address that was pushed last, or 0 from an empty stack. */
uint64_t returns_pop(struct returns *returns);

/* Remembers the last target of jumps, in sets that replace the least recently used. */
struct btb {
	struct btb_entry *entries; /* [sets * ways] of a set, the most recent first */
	uint32_t sets, ways;
	uint64_t path, path_mask; /* of the last targets */
};

bool btb_init(struct btb *btb, const struct bpred_btb *spec);
void btb_fini(struct btb *btb);
/*
 * Predicts the jump at `pc`, as of direction_next(), and learns that it went to `target`,
 * also without those low bits. Whether that was the prediction.
 */
bool btb_next(struct btb *btb, uint64_t pc, uint64_t target);

#endif
