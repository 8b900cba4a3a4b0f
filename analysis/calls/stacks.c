// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Hands out calling contexts as stacks. Of too many contexts those with the fewest instructions
 * are folded into what called them. The deepest levels would be the wrong ones: a program that an
 * interpreter runs is far above main(), and has most of the instructions there.
 *
 * Formats write each stack in full, so a recursion n calls deep has n * n / 2 frames to write.
 * Therefore the number of frames is bounded, too, and for that the deepest levels are folded: a
 * recursion must not take the room of all that is lighter.
 *
 * Example: f calls itself 10,000 deep and has instructions at each level. That is 10,000
 * contexts with 50 million frames; with room for 4 million, 2,895 levels are kept,
 * and the deepest kept call of f has the instructions of those below it.
 */
#include "analysis/calls/stacks.h"

#include <stdlib.h>

#include "base/error.h"

/* The most frames of all stacks: for each of the contexts that may be, and in all. */
enum { CONTEXT_FRAMES = 64, FRAMES_MAX = 1 << 24 };

static uint32_t deepest_of(const struct contexts *contexts)
{
	uint32_t deepest = 0;

	for (uint32_t i = 1; i < contexts->n; i++)
		if (contexts->all[i].level > deepest)
			deepest = contexts->all[i].level;
	return deepest;
}

/* Folds the levels beyond those whose stacks have `most` frames in all. */
static bool fold(struct contexts *contexts, uint32_t deepest, uint64_t most)
{
	uint32_t *at = calloc(deepest + 1ul, sizeof(*at)), *moved, level = 0;
	uint64_t frames = 0;

	if (!at)
		return false;
	for (uint32_t i = 1; i < contexts->n; i++)
		at[contexts->all[i].level]++;
	while (level < deepest) {
		frames += (level + 1ull) * at[level + 1];
		if (frames > most)
			break;
		level++;
	}
	free(at);
	if (level == deepest)
		return true;
	moved = contexts_fold(contexts, level);
	free(moved);
	return moved;
}

int stacks_gather(struct stacks *stacks, const struct calls_subject *subject,
		  uint32_t most_contexts, struct wm_error *err)
{
	struct contexts *contexts = &stacks->calls.contexts;
	uint64_t frames = (uint64_t)CONTEXT_FRAMES * most_contexts;
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
	if (frames > FRAMES_MAX)
		frames = FRAMES_MAX;
	deepest = deepest_of(contexts);
	stacks->path = calloc(deepest + 1ul, sizeof(*stacks->path));
	if (!stacks->path ||
	    !contexts_fold_light(contexts, most_contexts, &stacks->light) ||
	    !fold(contexts, deepest, frames)) {
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
