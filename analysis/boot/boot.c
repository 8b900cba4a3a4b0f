// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a machine's Linux did until its first program ran: the calls that these functions of the
 * kernel make, in the order in which they began:
 *
 *	start_kernel			start: memory, interrupts, clocks, one after the other
 *	kernel_init, and its parts	init: other harts, drivers, the root file system
 *	do_one_initcall			initcall: of everything that is built in, and of modules
 *	async_run_entry_fn		async: what initcalls left for later
 *
 * Most threads run none of these functions, which their histograms say, so they are not decoded.
 *
 * Events have times, and so have the turns of harts to the thread. What is between two of these
 * is spread evenly over the thread's instructions: the times of calls are good to some
 * milliseconds, and to more while the kernel takes no interrupts yet. Instructions are exact. A
 * switch to another thread is at one instruction, with two times:
 *
 *	insn 3560 at 1222 ms: sched_switch; no hart runs the thread
 *	insn 3560 at 1226 ms: a hart turns to the thread
 */
#include "analysis/boot/boot.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/calls/calltrace.h"
#include "base/append.h"
#include "base/bisect.h"
#include "base/error.h"
#include "trace/modes.h"
#include "trace/period.h"
#include "trace/turns.h"

/* Whose calls count, and of which kind. */
static const struct {
	const char *function, *kind;
} callers[] = {
	{ "start_kernel", "start" },	    { "kernel_init", "init" },
	{ "kernel_init_freeable", "init" }, { "do_basic_setup", "init" },
	{ "do_one_initcall", "initcall" },  { "async_run_entry_fn", "async" },
};
enum { CALLERS = sizeof(callers) / sizeof(*callers) };

/* Called by these functions, and no step: what runs initcalls, and what it asks before. */
static const char *const no_steps[] = { "do_one_initcall", "initcall_blacklisted" };

/* A moment of the thread at hand. */
struct mark {
	uint64_t insn, ns;
};

/* The steps of one call that has not come back are those with `open`, the last ones of a thread. */
struct gathering {
	struct boot *boot;
	const struct wm_trace *trace;
	struct functions *functions;
	const struct selection *selection;
	uint8_t *caller_of; /* [entities + 1] index of callers[] plus 1; 0: none */
	bool *skipped;	    /* [entities + 1] no_steps[] */
	unsigned thread;
	struct mark *marks; /* [n_marks] */
	size_t n_marks;
	bool failed; /* no memory */
};

/* ---- times ---------------------------------------------------------------------------- */

/* Of several moments at one place the first and the last one count. */
static int note(struct gathering *of, uint64_t insn, uint64_t ns, struct wm_error *err)
{
	struct mark mark = { insn, ns };
	size_t n = of->n_marks;

	if (n > 1 && of->marks[n - 1].insn == insn && of->marks[n - 2].insn == insn)
		of->marks[n - 1].ns = ns;
	else if (!APPEND(of->marks, of->n_marks, mark))
		return wm_fail_nomem(err, "times of a thread");
	return 0;
}

/* A thread begins, and goes on after a switch, when a hart turns to it. */
static int read_marks(struct gathering *of, struct wm_error *err)
{
	uint64_t begin_ns = period_of(of->trace).begin_ns;
	struct wm_cursor *cursor;
	struct wm_event event;
	int ret = wm_cursor_new(&cursor, of->trace, of->thread, err);

	if (ret)
		return ret;
	of->n_marks = 0;
	ret = note(of, 0, turns_after(of->trace, of->thread, 0, begin_ns), err);
	while (!ret) {
		ret = wm_cursor_next_event(cursor, &event, err);
		if (!ret)
			ret = note(of, event.insn_ordinal, event.ns, err);
		if (!ret && event.kind == WM_EVENT_SCHED_SWITCH)
			ret = note(of, event.insn_ordinal,
				   turns_after(of->trace, of->thread, event.block_ordinal,
					       event.ns),
				   err);
	}
	wm_cursor_free(cursor);
	return ret == WM_END ? 0 : ret;
}

static uint64_t ns_at(const struct gathering *of, uint64_t insn)
{
	size_t i = BISECT(of->n_marks, k, of->marks[k].insn <= insn);
	const struct mark *before = &of->marks[i - 1], *after = &of->marks[i];

	/* The first mark is at instruction 0, so there is one before. */
	if (i == of->n_marks || after->ns < before->ns)
		return before->ns;
	return before->ns + (uint64_t)((double)(after->ns - before->ns) *
				       (double)(insn - before->insn) /
				       (double)(after->insn - before->insn));
}

/* ---- calls ---------------------------------------------------------------------------- */

static void enter(void *cookie, const struct calltrace_call *call)
{
	struct gathering *of = cookie;
	const struct callstack_frame *frame = call->frame;
	uint8_t caller = of->caller_of[call->caller];
	struct boot_step step = { .insn = frame->insn,
				  .thread = of->thread,
				  .entity = frame->entity,
				  .open = true };

	if (!caller || frame->kind != FRAME_CALL || of->skipped[frame->entity])
		return;
	step.kind = callers[caller - 1].kind;
	step.begin_ns = step.end_ns = ns_at(of, step.insn);
	if (!APPEND(of->boot->steps, of->boot->n, step))
		of->failed = true;
}

/* Calls end in the reverse order, so the last open one that began there is it. */
static void leave(void *cookie, const struct callstack_frame *frame, uint64_t insn,
		  bool over)
{
	struct gathering *of = cookie;

	(void)over;
	for (size_t i = of->boot->n;
	     i-- > 0 && of->boot->steps[i].thread == of->thread;) {
		struct boot_step *step = &of->boot->steps[i];

		if (!step->open || step->insn != frame->insn ||
		    step->entity != frame->entity)
			continue;
		step->open = false;
		step->insns = insn - step->insn;
		step->end_ns = ns_at(of, insn);
		return;
	}
}

static bool more(void *cookie)
{
	const struct gathering *of = cookie;

	return !of->failed;
}

static bool find_callers(struct gathering *of)
{
	uint32_t n = sites_entities(of->boot->sites);

	of->caller_of = calloc(n + 1ul, sizeof(*of->caller_of));
	of->skipped = calloc(n + 1ul, sizeof(*of->skipped));
	if (!of->caller_of || !of->skipped)
		return false;
	for (uint32_t i = 1; i <= n; i++) {
		for (uint8_t k = 0; k < CALLERS; k++)
			if (sites_match(of->boot->sites, i, callers[k].function))
				of->caller_of[i] = k + 1;
		for (unsigned k = 0; k < sizeof(no_steps) / sizeof(*no_steps); k++)
			of->skipped[i] |= sites_match(of->boot->sites, i, no_steps[k]);
	}
	return true;
}

/* ---- threads -------------------------------------------------------------------------- */

/* Flags the blocks of the callers: [known + 1] by id; NULL: no memory. */
static bool *flag_blocks(const struct gathering *of, uint32_t space)
{
	struct wm_summary summary;
	struct wm_block block;
	bool *flags;

	wm_trace_summary(of->trace, &summary);
	flags = calloc(summary.known_blocks + 1ul, sizeof(*flags));
	for (uint32_t id = 1; flags && id <= summary.known_blocks; id++) {
		uint32_t function;

		if (wm_trace_block(of->trace, id, &block) || !block.insns)
			continue;
		function = functions_at(of->functions, space, block.address, id, NULL);
		for (unsigned k = 0; function && k < CALLERS && !flags[id]; k++)
			flags[id] = functions_match(of->functions, function,
						    callers[k].function);
	}
	return flags;
}

/* Whether a thread ran a block that is flagged. */
static bool ran_any(const struct wm_trace *trace, unsigned thread, const bool *flags)
{
	struct wm_count *counts;
	struct wm_chunk chunk;
	bool found = false;
	size_t n;

	for (uint64_t i = 0; !found && !wm_trace_chunk(trace, i, &chunk); i++) {
		if (chunk.stream != thread ||
		    wm_trace_histogram(trace, i, &counts, &n, NULL))
			continue;
		for (size_t k = 0; !found && k < n; k++)
			found = flags[counts[k].id];
		free(counts);
	}
	return found;
}

static int follow_threads(struct gathering *of, const bool *flags, struct wm_error *err)
{
	const struct selection *selection = of->selection;
	const struct calltrace calltrace = {
		.trace = of->trace,
		.sites = of->boot->sites,
		.from = selection->from,
		.to = selection->to,
		.enter = enter,
		.leave = leave,
		.more = more,
		.cookie = of,
		.excerpts = selection->excerpts,
	};
	int ret = 0;

	for (unsigned i = 0; !ret && i < selection->n; i++) {
		of->thread = selection->streams[i];
		if (!ran_any(calltrace.trace, of->thread, flags))
			continue;
		ret = read_marks(of, err);
		if (!ret)
			ret = calltrace_run(&calltrace, of->thread, err);
	}
	return !ret && of->failed ? wm_fail_nomem(err, "calls") : ret;
}

/* The index of the first space of a kind; how many spaces there are if none is. */
static uint32_t first_space(const struct wm_trace *trace, enum wm_space_kind kind)
{
	struct wm_space space;
	uint32_t i = 0;

	while (!wm_trace_space(trace, i, &space) && space.kind != kind)
		i++;
	return i;
}

static int gather(struct gathering *of, struct wm_error *err)
{
	const struct wm_trace *trace = of->trace;
	int ret = sites_new(&of->boot->sites, trace, of->functions, of->selection, err);
	bool *flags;

	if (ret)
		return ret;
	flags = flag_blocks(of, first_space(trace, WM_SPACE_MACHINE));
	ret = flags && find_callers(of) ? follow_threads(of, flags, err) :
					  wm_fail_nomem(err, "calls");
	free(flags);
	return ret;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static int by_begin(const void *a, const void *b)
{
	const struct boot_step *x = a, *y = b;

	if (x->begin_ns != y->begin_ns)
		return x->begin_ns < y->begin_ns ? -1 : 1;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	return (x->insn > y->insn) - (x->insn < y->insn);
}

/* The first process, which is what the kernel has booted for. */
static void find_program(struct boot *boot, const struct wm_trace *trace)
{
	struct wm_space space;

	boot->has_program =
		trace_has_programs(trace) &&
		!wm_trace_space(trace, first_space(trace, WM_SPACE_PROCESS), &space);
	if (!boot->has_program)
		return;
	boot->program = space.name;
	boot->program_ns = space.begin_ns;
}

int boot_gather(struct boot *boot, const struct wm_trace *trace,
		struct functions *functions, const struct selection *selection,
		struct wm_error *err)
{
	struct gathering gathering = {
		.boot = boot,
		.trace = trace,
		.functions = functions,
		.selection = selection,
	};
	struct wm_space space;
	int ret;

	*boot = (struct boot){ .begin_ns = period_of(trace).begin_ns };
	if (wm_trace_space(trace, first_space(trace, WM_SPACE_MACHINE), &space))
		return wm_fail(err, WM_E_RANGE, 0,
			       "boot is about a whole machine; this is the trace of a "
			       "program");
	ret = gather(&gathering, err);
	if (!ret && boot->n)
		qsort(boot->steps, boot->n, sizeof(*boot->steps), by_begin);
	find_program(boot, trace);
	free(gathering.caller_of);
	free(gathering.skipped);
	free(gathering.marks);
	return ret;
}

void boot_fini(struct boot *boot)
{
	free(boot->steps);
	sites_free(boot->sites);
}
