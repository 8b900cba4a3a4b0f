// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reports what logs of threads have (calllog.h), as calltrace_run() would have. A log is reported
 * while it grows: what has been is taken from it.
 *
 * Invariant: `causes` is of the thread at hand. A thread that moves between spaces has several
 * logs, one after the other, and the causes go on from one to the next. `open` and `insn` are of
 * the log at hand.
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
	bool begun; /* *stream is valid */
	struct callstack_frame
		*open; /* [n_open] calls: callstack_end() would leave these */
	uint32_t n_open;
	uint64_t insn; /* of the last item */
};

/* ---- reporting ----------------------------------------------------------- */

static bool goes_on(const struct reporting *reporting)
{
	return reporting->calltrace->more(reporting->calltrace->cookie);
}

/* False: no memory. */
static bool report_enter(struct reporting *reporting, const struct calllog_item *item)
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
	if (!APPEND(reporting->open, reporting->n_open, frame))
		return false;
	reporting->calltrace->enter(reporting->calltrace->cookie, &call);
	return true;
}

static void report_leave(struct reporting *reporting, uint64_t insn, bool over)
{
	reporting->calltrace->leave(reporting->calltrace->cookie,
				    &reporting->open[--reporting->n_open], insn, over);
}

/* False: the item is not one of a whole thread. */
static bool report_item(struct reporting *reporting, const struct calllog *log,
			const struct calllog_item *item, bool *memory)
{
	switch (item->kind) {
	case CALLLOG_ENTER:
		if (item->entity > log->of.n_entities || !item->level)
			return false;
		*memory = report_enter(reporting, item);
		return true;
	case CALLLOG_LEAVE:
		if (!reporting->n_open)
			return false;
		report_leave(reporting, item->insn, false);
		return true;
	case CALLLOG_CAUSE:
		callcauses_take(&reporting->causes, item->event, item->number,
				(const char *)item->text.at, span_left(&item->text));
		return true;
	default:
		return false;
	}
}

/* The log ends, or what is wanted of it. */
static void report_end(struct reporting *reporting, uint64_t insn)
{
	while (reporting->n_open)
		report_leave(reporting, insn, true);
	reporting->insn = 0;
}

static int report_items(struct reporting *reporting, struct calllog *log,
			struct wm_error *err)
{
	struct span in = span_of(log->items.data, log->items.len);
	struct calllog_item item;
	bool good = true, memory = true;

	while (good && memory && goes_on(reporting) &&
	       calllog_next(&in, &reporting->insn, &item))
		good = report_item(reporting, log, &item, &memory);
	log->items.len = 0;
	if (!memory)
		return wm_fail_nomem(err, "calls");
	return good && !in.failed ? 0 :
				    wm_fail(err, WM_E_FORMAT, 0,
					    "the calls of a thread are malformed");
}

/* A thread is not begun when no more of its calls are wanted. */
static bool begin_thread(struct reporting *reporting, unsigned index)
{
	if (reporting->begun && *reporting->stream == index)
		return true;
	if (!goes_on(reporting))
		return false;
	reporting->causes = (struct callcauses){ .call = 0 };
	*reporting->stream = index;
	reporting->begun = true;
	return true;
}

static int report_some(void *cookie, struct calllog *log, unsigned index,
		       struct wm_error *err)
{
	struct reporting *reporting = cookie;
	int ret;

	if (!begin_thread(reporting, index))
		return WM_END;
	ret = report_items(reporting, log, err);
	if (ret || goes_on(reporting))
		return ret;
	report_end(reporting, log->insn);
	return WM_END;
}

static int report(void *cookie, struct calllog *log, unsigned index, struct wm_error *err)
{
	int ret = report_some(cookie, log, index, err);

	if (!ret)
		report_end(cookie, log->insn);
	return ret;
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
		.some = report_some,
		.cookie = &reporting,
	};
	int ret = callshare_run(&share, calltrace->trace, selection, err);

	free(reporting.open);
	return ret == WM_END ? 0 : ret;
}
