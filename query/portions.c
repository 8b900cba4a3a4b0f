// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What restricts the blocks of a thread is found before any of them is decoded: a process in
 * the heads of chunks, a mode and a system call in events, a hart in the schedule. What
 * remains of a thread is the intersection.
 *
 * The mode of an instruction is the one of trace/modes.h.
 *
 * Example: a thread of blocks 0 to 99 with an ecall before block 40, which is write(), and an
 * sret to user mode before block 60. --mode user is {0, 40} and {60, 100}; --syscall write is
 * {40, 60}; both together are nothing.
 *
 * Invariant: excerpts of a thread that is not selected stay empty.
 */
#include "query/portions.h"

#include <stdlib.h>

#include "base/error.h"
#include "query/filter.h"
#include "query/processes.h"
#include "trace/cursor.h"
#include "trace/modes.h"
#include "waymark.h"

struct portions {
	const struct wm_trace *trace;
	const struct scope *scope;
	const bool *chosen; /* spaces; NULL: all */
	struct threads *threads;
	struct filter calls;
	const struct kernel *kernel;
};

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "parts of threads");
}

/* ---- processes ------------------------------------------------------------------------ */

static bool add_spaces(const struct portions *portions, const struct wm_stream *stream,
		       unsigned index, struct excerpts *out)
{
	uint64_t at = 0, until = 0;
	uint32_t space;

	for (; at < stream->blocks; at = until) {
		if (wm_trace_space_at(portions->trace, index, at, &space, &until) ||
		    until <= at)
			break;
		if (portions->chosen[space] && !excerpts_add(out, at, until))
			return false;
	}
	return true;
}

/* ---- modes and system calls ----------------------------------------------------------- */

struct scan {
	const struct portions *portions;
	struct excerpts modes, calls;
	uint64_t mode, mode_from;
	bool known;   /* `mode` is */
	bool in_call; /* a selected one, since: */
	uint64_t call_from;
	bool good; /* there was memory */
};

static void end_mode(struct scan *scan, uint64_t block)
{
	if (scan->portions->scope->modes >> (scan->mode % MODES) & 1)
		scan->good &= excerpts_add(&scan->modes, scan->mode_from, block);
	scan->mode_from = block;
}

static void change_mode(struct scan *scan, uint64_t before, uint64_t after,
			uint64_t block)
{
	if (!scan->known)
		scan->mode = before;
	scan->known = true;
	if (after == scan->mode)
		return;
	end_mode(scan, block);
	scan->mode = after;
}

static void end_call(struct scan *scan, uint64_t block)
{
	if (scan->in_call)
		scan->good &= excerpts_add(&scan->calls, scan->call_from, block);
	scan->in_call = false;
}

static void take_event(struct scan *scan, const struct wm_event *event)
{
	const struct portions *portions = scan->portions;
	uint64_t block = event->block_ordinal, before = scan->mode, after;

	if (modes_change(event, &before, &after)) {
		change_mode(scan, before, after, block);
		/* Where the trace goes on, traps were passed: a call may have ended. */
		if (event->kind == WM_EVENT_MODE ||
		    (event->kind == WM_EVENT_TRAP_RETURN && after == WM_MODE_USER))
			end_call(scan, block);
	} else if (event->kind == WM_EVENT_SYSCALL && portions->calls.n &&
		   filter_passes(&portions->calls, portions->kernel, event)) {
		scan->in_call = true;
		scan->call_from = block;
	}
}

static int scan_events(struct scan *scan, unsigned index, struct wm_error *err)
{
	struct wm_cursor *cursor;
	struct wm_event event;
	int ret = wm_cursor_new(&cursor, scan->portions->trace, index, err);

	if (ret)
		return ret;
	while (!ret && scan->good) {
		ret = cursor_skim_event(cursor, &event, err);
		if (!ret)
			take_event(scan, &event);
	}
	wm_cursor_free(cursor);
	if (ret != WM_END && ret)
		return ret;
	return scan->good ? 0 : no_memory(err);
}

static int restrict_by_events(const struct portions *portions,
			      const struct wm_stream *stream, unsigned index,
			      struct excerpts *out, struct wm_error *err)
{
	struct scan scan = {
		.portions = portions,
		.mode = modes_default(stream),
		.good = true,
	};
	int ret = scan_events(&scan, index, err);

	end_mode(&scan, stream->blocks);
	end_call(&scan, stream->blocks);
	if (!ret && portions->scope->modes)
		scan.good &= excerpts_intersect(out, &scan.modes);
	if (!ret && portions->calls.n)
		scan.good &= excerpts_intersect(out, &scan.calls);
	excerpts_fini(&scan.modes);
	excerpts_fini(&scan.calls);
	return ret || scan.good ? ret : no_memory(err);
}

/* ---- harts ----------------------------------------------------------------------------- */

/* Where each thread is while the schedule is read. */
struct ran {
	struct excerpts excerpts;
	uint64_t from;
	uint32_t hart;
	bool begun;
};

static bool end_turn(struct ran *ran, uint32_t hart, uint64_t block)
{
	return !ran->begun || ran->hart != hart ||
	       excerpts_add(&ran->excerpts, ran->from, block);
}

/* *harts: one more than the highest that ran anything. */
static int read_schedule(const struct portions *portions, struct ran *ran,
			 uint32_t *harts, struct wm_error *err)
{
	uint32_t hart = portions->scope->hart;
	struct wm_schedule *schedule;
	struct wm_turn turn;
	int ret = wm_schedule_new(&schedule, portions->trace, err);

	if (ret)
		return ret;
	while (!ret) {
		struct ran *of;

		ret = wm_schedule_next(schedule, &turn, err);
		if (ret)
			break;
		of = &ran[turn.stream];
		if (!end_turn(of, hart, turn.block_ordinal))
			ret = no_memory(err);
		of->from = turn.block_ordinal;
		of->hart = turn.hart;
		of->begun = true;
		if (turn.hart >= *harts)
			*harts = turn.hart + 1;
	}
	wm_schedule_free(schedule);
	return ret == WM_END ? 0 : ret;
}

/* Without a schedule each thread is what its hart executes. */
static int finish_turns(const struct portions *portions, struct ran *ran, unsigned n,
			uint32_t *harts, struct wm_error *err)
{
	struct wm_stream stream;
	bool good = true;

	for (unsigned i = 0; good && i < n; i++) {
		wm_trace_stream(portions->trace, i, &stream);
		if (!ran[i].begun)
			ran[i] = (struct ran){ .hart = stream.vcpu, .begun = true };
		if (ran[i].hart >= *harts)
			*harts = ran[i].hart + 1;
		good = end_turn(&ran[i], portions->scope->hart, stream.blocks);
	}
	if (!good)
		return no_memory(err);
	if (portions->scope->hart < *harts)
		return 0;
	if (*harts == 1)
		return wm_fail(err, WM_E_RANGE, 0,
			       "there is no hart %u: the only one is 0",
			       portions->scope->hart);
	return wm_fail(err, WM_E_RANGE, 0, "there is no hart %u: they are 0 to %u",
		       portions->scope->hart, *harts - 1);
}

static int restrict_by_hart(const struct portions *portions, struct wm_error *err)
{
	struct threads *threads = portions->threads;
	unsigned n = threads->n_excerpts;
	struct ran *ran = calloc(n + 1ul, sizeof(*ran));
	uint32_t harts = 1;
	int ret = ran ? read_schedule(portions, ran, &harts, err) : no_memory(err);

	if (!ret)
		ret = finish_turns(portions, ran, n, &harts, err);
	for (unsigned i = 0; ran && i < n; i++) {
		if (!ret && !excerpts_intersect(&threads->excerpts[i], &ran[i].excerpts))
			ret = no_memory(err);
		excerpts_fini(&ran[i].excerpts);
	}
	free(ran);
	return ret;
}

/* ---- all of it -------------------------------------------------------------------------- */

static int find_thread(const struct portions *portions, unsigned index,
		       struct wm_error *err)
{
	struct excerpts *out = &portions->threads->excerpts[index];
	struct wm_stream stream;
	bool good;

	wm_trace_stream(portions->trace, index, &stream);
	good = portions->chosen ? add_spaces(portions, &stream, index, out) :
				  excerpts_add(out, 0, stream.blocks);
	if (!good)
		return no_memory(err);
	return portions->scope->modes || portions->calls.n ?
		       restrict_by_events(portions, &stream, index, out, err) :
		       0;
}

/* Takes out threads of which nothing is left. False: of all others, all is. */
static bool keep_some(struct threads *threads, const struct wm_trace *trace)
{
	struct wm_stream stream;
	bool cut = false;
	unsigned n = 0;

	for (unsigned i = 0; i < threads->n; i++) {
		unsigned index = threads->indexes[i];
		const struct excerpts *left = &threads->excerpts[index];

		wm_trace_stream(trace, index, &stream);
		if (!left->n && stream.blocks)
			continue;
		cut |= stream.blocks && !excerpts_have_all(left, 0, stream.blocks);
		threads->indexes[n++] = index;
	}
	threads->n = n;
	return cut;
}

static int check(const struct portions *portions, struct wm_error *err)
{
	const struct scope *scope = portions->scope;

	if (!scope->modes && !scope->syscall && !scope->has_hart)
		return 0;
	if (!trace_is_of_machine(portions->trace))
		return wm_fail(err, WM_E_RANGE, 0,
			       "--mode, --hart and --syscall are for traces of a whole "
			       "machine; this is one of a program");
	if (scope->has_hart && wm_trace_meta(portions->trace, "last"))
		return wm_fail(err, WM_E_RANGE, 0,
			       "--hart needs the schedule of all of a run; record --last "
			       "keeps none");
	return scope->modes || scope->syscall ?
		       modes_check(portions->trace, "--mode and --syscall need",
				   scope->syscall, err) :
		       0;
}

static int find_all(struct portions *portions, struct wm_error *err)
{
	struct threads *threads = portions->threads;
	struct wm_summary summary;
	int ret = 0;

	wm_trace_summary(portions->trace, &summary);
	threads->excerpts = calloc(summary.streams + 1ul, sizeof(*threads->excerpts));
	if (!threads->excerpts)
		return no_memory(err);
	threads->n_excerpts = summary.streams;
	for (unsigned i = 0; !ret && i < threads->n; i++)
		ret = find_thread(portions, threads->indexes[i], err);
	if (!ret && portions->scope->has_hart)
		ret = restrict_by_hart(portions, err);
	if (ret)
		return ret;
	if (!keep_some(threads, portions->trace))
		threads_drop_excerpts(threads);
	return threads->n ? 0 :
			    wm_fail(err, WM_E_RANGE, 0,
				    "nothing of what is selected ran: no thread has "
				    "instructions of that process, mode, hart and "
				    "system call");
}

int portions_find(struct threads *threads, const struct wm_trace *trace,
		  const struct scope *scope, const bool *chosen, struct wm_error *err)
{
	struct portions portions = {
		.trace = trace,
		.scope = scope,
		.chosen = chosen,
		.threads = threads,
		.kernel = kernel_find(wm_trace_meta(trace, "guest-isa")),
	};
	int ret = check(&portions, err);

	if (ret || (!chosen && !scope->modes && !scope->syscall && !scope->has_hart))
		return ret;
	if (scope->syscall)
		ret = filter_add_calls(&portions.calls, scope->syscall, err);
	if (!ret)
		ret = find_all(&portions, err);
	filter_fini(&portions.calls);
	return ret;
}
