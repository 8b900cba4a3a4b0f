// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reports what logs of whole threads have (calllog.h), as calltrace_run() would have.
 *
 * Invariant: `causes` is of the thread at hand. A thread that moves between spaces has several
 * logs, one after the other, and the causes go on from one to the next.
 */
#include <stdlib.h>

#include "analysis/calls/callshare.h"
#include "analysis/calls/calltrace.h"
#include "base/append.h"
#include "base/error.h"

struct reporting {
	const struct calltrace *calltrace;
	struct callcauses causes;
	unsigned *stream;
	bool begun;   /* *stream is valid */
	bool ignored; /* its calls are not asked for */
};

/* ---- reporting ----------------------------------------------------------- */

/* The calls that are open: callstack_end() would leave these. */
struct open {
	struct callstack_frame *frames; /* [n] */
	uint32_t n;
};

static bool goes_on(const struct reporting *reporting)
{
	return reporting->calltrace->more(reporting->calltrace->cookie);
}

/* False: no memory. */
static bool report_enter(struct reporting *reporting, struct open *open,
			 const struct calllog_item *item)
{
	struct callstack_frame frame = {
		.insn = item->insn,
		.entity = item->entity,
		.kind = (uint8_t)item->how,
		.entered = item->entered,
		.level = (uint32_t)item->level,
	};
	struct calltrace_call call = { .frame = &frame };

	call.irq = callcauses_give(&reporting->causes, &frame);
	if (!APPEND(open->frames, open->n, frame))
		return false;
	reporting->calltrace->enter(reporting->calltrace->cookie, &call);
	return true;
}

static void report_leave(const struct reporting *reporting, struct open *open,
			 uint64_t insn, bool over)
{
	reporting->calltrace->leave(reporting->calltrace->cookie,
				    &open->frames[--open->n], insn, over);
}

/* False: the item is not one of a whole thread. */
static bool report_item(struct reporting *reporting, struct open *open,
			const struct calllog *log, const struct calllog_item *item,
			bool *memory)
{
	switch (item->kind) {
	case CALLLOG_ENTER:
		if (item->entity > log->of.n_entities || !item->level)
			return false;
		*memory = report_enter(reporting, open, item);
		return true;
	case CALLLOG_LEAVE:
		if (!open->n)
			return false;
		report_leave(reporting, open, item->insn, false);
		return true;
	case CALLLOG_CAUSE:
		callcauses_take(&reporting->causes, item->event, item->number,
				(const char *)item->text.at, span_left(&item->text));
		return true;
	default:
		return false;
	}
}

static int report_log(struct reporting *reporting, const struct calllog *log,
		      struct wm_error *err)
{
	struct span in = span_of(log->items.data, log->items.len);
	struct open open = { .n = 0 };
	struct calllog_item item;
	bool good = true, memory = true;
	uint64_t insn = 0;

	while (good && memory && goes_on(reporting) && calllog_next(&in, &insn, &item))
		good = report_item(reporting, &open, log, &item, &memory);
	while (open.n)
		report_leave(reporting, &open, log->insn, true);
	free(open.frames);
	if (!memory)
		return wm_fail_nomem(err, "calls");
	return good && !in.failed ? 0 :
				    wm_fail(err, WM_E_FORMAT, 0,
					    "the calls of a thread are malformed");
}

static int report(void *cookie, struct calllog *log, unsigned index, struct wm_error *err)
{
	struct reporting *reporting = cookie;

	if (!reporting->begun || *reporting->stream != index) {
		reporting->causes = (struct callcauses){ .call = 0 };
		*reporting->stream = index;
		reporting->ignored = !goes_on(reporting);
	}
	reporting->begun = true;
	return reporting->ignored ? 0 : report_log(reporting, log, err);
}

int calltrace_run_shared(const struct calltrace *calltrace,
			 const struct calllog_wanted *wanted,
			 const struct selection *selection, unsigned *index,
			 struct wm_error *err)
{
	struct reporting reporting = { .calltrace = calltrace, .stream = index };
	const struct callshare share = {
		.name = "calltrace",
		.sites = calltrace->sites,
		.wanted = wanted,
		.whole = report,
		.cookie = &reporting,
	};

	return callshare_run(&share, calltrace->trace, selection, err);
}
