// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Sums up calls by the instruction that made them. analysis/calls/arcs.c has one sum for
 * each caller and callee; a profile with source lines needs one for each place of a call.
 *
 * Threads are followed one after the other, each on one stack. Example: main calls f at
 * line 3 once and at line 5 twice, and each call of f takes 10 instructions. There are two
 * callsites: 1 call with 10 instructions, 2 calls with 20.
 *
 * Invariant: open[depth] are the numbers of the callsites whose calls have not ended, the
 * outermost first; 0 stands for a function that nothing called. active[] has how many of
 * them are of each pair of caller and callee.
 */
#include "analysis/calls/callsites.h"

#include <stdlib.h>

#include "analysis/calls/calltrace.h"
#include "base/append.h"
#include "base/error.h"
#include "base/intern.h"

struct gathering {
	struct callsites *callsites;
	struct interner numbers; /* from 1, by place, caller and callee */
	struct interner pairs;	 /* from 1, by caller and callee */
	uint32_t *open;		 /* [depth] */
	uint32_t *active;	 /* [n_active] by pair, minus 1 */
	size_t depth, n_active;
	bool failed; /* no memory */
};

/* The number of the callsite, which is made when it is new. 0: no memory. */
static uint32_t number_of(struct gathering *gathering, const struct calltrace_call *call)
{
	const uint32_t pair[2] = { call->caller, call->frame->entity };
	const uint8_t *key = (const uint8_t *)pair;
	struct callsites *callsites = gathering->callsites;
	bool fresh, fresh_pair = false;
	uint32_t number =
		intern(&gathering->numbers, call->place, key, sizeof(pair), &fresh);
	struct callsite site = {
		.caller = pair[0],
		.callee = pair[1],
		.space = call->space,
		.place = call->place,
	};

	if (!number || !fresh)
		return number;
	site.pair = intern(&gathering->pairs, 0, key, sizeof(pair), &fresh_pair);
	if (!site.pair || !APPEND(callsites->all, callsites->n, site))
		return 0;
	if (fresh_pair && !APPEND(gathering->active, gathering->n_active, 0))
		return 0;
	return number;
}

static void enter(void *cookie, const struct calltrace_call *call)
{
	struct gathering *gathering = cookie;
	/* In a damaged trace the function may be none that is known. */
	bool known = call->caller && call->frame->entity;
	uint32_t number = known ? number_of(gathering, call) : 0;

	gathering->failed |= known && !number;
	if (gathering->failed || !APPEND(gathering->open, gathering->depth, number)) {
		gathering->failed = true;
		return;
	}
	if (number) {
		struct callsite *site = &gathering->callsites->all[number - 1];

		site->calls += call->frame->entered;
		gathering->active[site->pair - 1]++;
	}
}

static void leave(void *cookie, const struct callstack_frame *frame, uint64_t insn,
		  bool over)
{
	struct gathering *gathering = cookie;
	struct callsite *site;
	uint32_t number;

	(void)over;
	/* After a failure calls end that were not noted. */
	if (gathering->failed)
		return;
	number = gathering->open[--gathering->depth];
	if (!number)
		return;
	site = &gathering->callsites->all[number - 1];
	if (!--gathering->active[site->pair - 1])
		site->insns += insn - frame->insn;
}

static bool more(void *cookie)
{
	const struct gathering *gathering = cookie;

	return !gathering->failed;
}

int callsites_gather(struct callsites *callsites, const struct wm_trace *trace,
		     const struct sites *sites, const struct selection *selection,
		     struct wm_error *err)
{
	struct gathering gathering = { .callsites = callsites };
	struct calltrace calltrace = {
		.trace = trace,
		.sites = sites,
		.from = selection->from,
		.to = selection->to,
		.enter = enter,
		.leave = leave,
		.more = more,
		.cookie = &gathering,
	};
	int ret = 0;

	*callsites = (struct callsites){ .n = 0 };
	for (unsigned i = 0; i < selection->n && !ret && !gathering.failed; i++)
		ret = calltrace_run(&calltrace, selection->streams[i], err);
	if (!ret && gathering.failed)
		ret = wm_fail_nomem(err, "calls");
	interner_fini(&gathering.numbers);
	interner_fini(&gathering.pairs);
	free(gathering.open);
	free(gathering.active);
	if (ret)
		callsites_fini(callsites);
	return ret;
}

void callsites_fini(struct callsites *callsites)
{
	free(callsites->all);
	*callsites = (struct callsites){ .n = 0 };
}
