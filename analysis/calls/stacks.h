/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calling contexts of a part of a trace, one after the other, as stacks of functions. */
#ifndef ANALYSIS_CALLS_STACKS_H
#define ANALYSIS_CALLS_STACKS_H

#include "analysis/calls/calls.h"
#include "analysis/calls/subject.h"

enum {
	STACKS_CONTEXTS = 1 << 16, /* enough for a profile by function */
	STACKS_GATHERED = 1 << 20, /* of which those are chosen */
};

struct stacks {
	struct calls calls;
	/* What is called deeper counts for its caller at this level. 0: nothing is. */
	uint32_t levels;
	/*
	 * Contexts that have no more instructions than this, with those of their callees, were
	 * folded into their callers. 0: none were.
	 */
	uint64_t light;
	uint32_t *path; /* [levels of the deepest context] */
	uint32_t next;	/* index of a context */
};

/* A context in which instructions ran. */
struct stack {
	const uint32_t *entities; /* [n] the outermost first; valid until the next one */
	uint32_t n;
	uint64_t insns;
};

/*
 * Fills in *stacks; the caller passes it to stacks_fini(). After a failure it is empty. When
 * there are more than STACKS_GATHERED contexts, the deepest levels are folded first. Then
 * the contexts with the fewest instructions are, until no more than `most_contexts` are
 * left; then the deepest levels again, until the frames are in proportion. Errors are those
 * of calls_gather().
 */
int stacks_gather(struct stacks *stacks, const struct calls_subject *subject,
		  uint32_t most_contexts, struct wm_error *err);
void stacks_fini(struct stacks *stacks);

/* The next context with instructions; false: there are no more. */
bool stacks_next(struct stacks *stacks, struct stack *stack);

#endif
