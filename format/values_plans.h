/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plans of all blocks: kept, made when they are worth it, and found again. */
#ifndef FORMAT_VALUES_PLANS_H
#define FORMAT_VALUES_PLANS_H

#include "format/values_plan.h"

/* Executions of a block before a plan is made. */
#define PLANS_COLD 8u

/*
 * The plans that begin with one block: sequences, the latest first, then single ones. In one
 * cache line, so that most of those that do not fit are not looked at.
 */
#define PLAN_SET 8u
struct plan_set {
	uint32_t tags[PLAN_SET];  /* of a sequence's first blocks; 0: of one block */
	uint32_t plans[PLAN_SET]; /* plus 1; 0: none, and none follows */
};
_Static_assert(sizeof(struct plan_set) == PLAN_LINE, "one cache line");

/* Plans of blocks, made when they are worth it. All zeros: none. */
struct plans {
	uint32_t *first; /* [known]: below PLANS_COLD a count; else a set, plus that */
	uint32_t known;
	/* Each in one cache line. */
	struct plan_set *sets;
	struct plan_line *lines;
	uint32_t set_count, sets_allocated;
	uint32_t line_count, lines_allocated;
	uint32_t last; /* the line of the plan found last, plus 1; 0: none */
};

void plans_fini(struct plans *plans);
size_t plans_memory(const struct plans *plans);

/*
 * The plan for the next of blocks ids[n], at least one, which have programs, and for the state
 * of the model's registers; NULL: there is none, yet or at all. Valid until the next call.
 */
struct plan *plans_find(struct plans *plans, const struct values_model *model,
			const uint32_t *ids, size_t n);

#endif
