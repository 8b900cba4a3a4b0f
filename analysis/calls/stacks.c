// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hands out calling contexts as stacks. Formats write each stack in full, so a recursion
 * n calls deep has n * n / 2 frames to write. Therefore not only the number of contexts is
 * bounded, but also that of their frames: those with the fewest instructions are folded into
 * what called them. The deepest levels would be the wrong ones: a program that an interpreter
 * runs is far above main(), and has most of the instructions there.
 *
 * Example: f calls itself 10,000 deep and has instructions at each level. That is 10,000
 * contexts with 50 million frames; with room for 4 million, 2,895 levels are kept,
 * and the deepest kept call of f has the instructions of those below it.
 */
#include "analysis/calls/stacks.h"

#include <stdlib.h>

#include "base/error.h"

/* The most frames of all stacks, for each of the contexts that may be. */
enum { CONTEXT_FRAMES = 64 };

static uint32_t deepest_of(const struct contexts *contexts)
{
	uint32_t deepest = 0;

	for (uint32_t i = 1; i < contexts->n; i++)
		if (contexts->all[i].level > deepest)
			deepest = contexts->all[i].level;
	return deepest;
}

int stacks_gather(struct stacks *stacks, const struct calls_subject *subject,
		  uint32_t most_contexts, struct wm_error *err)
{
	struct contexts *contexts = &stacks->calls.contexts;
	struct sites *sites;
	uint32_t deepest;
	int ret;

	*stacks = (struct stacks){ .next = 1 };
	ret = subject_sites(subject, &sites, err);
	if (!ret)
		ret = calls_gather_at(&stacks->calls, sites, subject->trace,
				      subject->selection, STACKS_GATHERED, err);
	if (ret)
		return ret;
	deepest = deepest_of(contexts);
	stacks->path = calloc(deepest + 1ul, sizeof(*stacks->path));
	if (!stacks->path ||
	    !contexts_fold_light(contexts, most_contexts,
				 (uint64_t)CONTEXT_FRAMES * most_contexts,
				 &stacks->light)) {
		stacks_fini(stacks);
		return wm_fail_nomem(err, "calls");
	}
	/* Node 1 is the root of all. */
	if (contexts->n > 1 && contexts->all[1].limit != UINT32_MAX)
		stacks->levels = contexts->all[1].limit;
	return 0;
}

void stacks_fini(struct stacks *stacks)
{
	calls_fini(&stacks->calls);
	free(stacks->path);
	*stacks = (struct stacks){ .next = 0 };
}

bool stacks_next(struct stacks *stacks, struct stack *stack)
{
	const struct contexts *contexts = &stacks->calls.contexts;
	const struct context *one;

	while (stacks->next < contexts->n && !contexts->all[stacks->next].self_insns)
		stacks->next++;
	if (stacks->next >= contexts->n)
		return false;
	one = &contexts->all[stacks->next++];
	*stack = (struct stack){ stacks->path, one->level, one->self_insns };
	for (; one->level; one = &contexts->all[one->parent])
		stacks->path[one->level - 1] = one->entity;
	return true;
}
