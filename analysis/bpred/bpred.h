/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What branch predictors make of a run: each branch is predicted, and the prediction is
 * compared with the path that the trace has. Each thread has predictors of its own, which
 * know nothing at the start of the selected part.
 *
 * What has a prediction is what wm_branches_next() lists: a branch after which the thread
 * went on in recorded code. Targets in the instruction are always right.
 */
#ifndef ANALYSIS_BPRED_BPRED_H
#define ANALYSIS_BPRED_BPRED_H

#include <stddef.h>

#include "analysis/bpred/spec.h"
#include "analysis/counted.h"

struct bpred_tally {
	uint64_t executions, taken, missed;
};

static inline void bpred_add(struct bpred_tally *to, const struct bpred_tally *tally)
{
	to->executions += tally->executions;
	to->taken += tally->taken;
	to->missed += tally->missed;
}

/* The branch at the end of a block, in a space. */
struct bpred_branch {
	uint32_t space, id;
	uint64_t address;
	uint32_t index; /* of the instruction in the block */
	uint32_t flow;	/* enum wm_flow */
	struct bpred_tally tally;
};

struct bpred {
	struct bpred_branch *branches; /* [n] by space and id, each once */
	size_t n;
};

/*
 * Fills in *bpred; the caller frees it with bpred_fini(). On failure it is empty.
 * WM_E_RANGE: the branches of this guest's ISA are not known. Other errors are those of
 * cursors.
 */
int bpred_gather(struct bpred *bpred, const struct wm_trace *trace,
		 const struct selection *selection, const struct bpred_spec *spec,
		 struct wm_error *err);
void bpred_fini(struct bpred *bpred);

/* ---- tables -------------------------------------------------------------- */

enum bpred_by { BPRED_FUNCTION, BPRED_BRANCH, BPRED_KIND };
extern const char *const bpred_names[]; /* in that order, NULL-terminated */

const struct table_column *bpred_columns(enum bpred_by by, unsigned *n);
/* Fills a table; misses per 1000 are of all instructions of the counts. */
int bpred_fill(struct table *table, const struct counted *counted,
	       const struct bpred *bpred, enum bpred_by by, struct wm_error *err);

#endif
