/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How well the SimPoints represent a run: their weighted sums of blocks and of
 * instructions, against what really ran.
 */
#ifndef ANALYSIS_PHASES_ESTIMATE_H
#define ANALYSIS_PHASES_ESTIMATE_H

#include "analysis/mix/kinds.h"
#include "analysis/phases/phases.h"

/* Shares of all instructions: of the run, and as estimated from the SimPoints. */
struct estimate_mix {
	const char *name; /* a class; of other machines than RISC-V, a mnemonic */
	double whole, estimated;
};

struct estimate {
	/*
	 * The share of instructions that would have to change for the estimate to be
	 * right: half the Manhattan distance between shares, 0 to 1.
	 */
	double blocks_error, mix_error;
	struct estimate_mix *mix; /* [n_mix] by `whole` from the highest, and name */
	size_t n_mix;
	struct estimate_block {
		uint32_t id, space;
	} * hottest; /* [k] the block that ran most in each SimPoint, and where it did */
	struct kinds *kinds;
};

#define ESTIMATE_INIT ((struct estimate){ .hottest = NULL })

/* Of phases of the selection's only thread. The caller's to estimate_fini(). */
int estimate_find(struct estimate *estimate, const struct phases *phases,
		  const struct wm_trace *trace, const struct selection *selection,
		  struct wm_error *err);
void estimate_fini(struct estimate *estimate);

#endif
