// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A thread is selected by its number or by a pattern for its name. Numbers go first: what reads
 * as a number is never taken for a name.
 *
 * When nothing is selected, the error says what exists: somebody who mistyped sees the
 * range.
 */
#include "query/threads.h"

#include "base/error.h"
#include "base/nearest.h"
#include "base/pattern.h"
#include "out/number.h"
#include "query/portions.h"
#include "query/processes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED = 8 }; /* threads that an error names */

/*
 * Most threads have no name of their own: then that of the program's file, without
 * folders.
 */
const char *thread_name(const struct wm_trace *trace, const struct wm_stream *stream)
{
	struct wm_space space;
	const char *slash;

	if (stream->name[0] || wm_trace_space(trace, stream->space, &space))
		return stream->name;
	slash = strrchr(space.name, '/');
	return slash ? slash + 1 : space.name;
}

/*
 * The space of a thread at a block. *block becomes the block where that space ends.
 * WM_END after the last one. A thread changes its space by execve().
 */
static int next_space(const struct wm_trace *trace, unsigned thread, uint64_t *block,
		      uint32_t *space)
{
	uint64_t from = *block;

	/* wm_trace_space_at() sets *block to where the space ends. */
	if (wm_trace_space_at(trace, thread, from, space, block))
		return WM_END;
	*block += *block == from; /* a thread without blocks: end at the next call */
	return 0;
}

bool thread_was_in(const struct wm_trace *trace, unsigned thread, uint32_t space)
{
	uint64_t block = 0;
	uint32_t other;

	while (!next_space(trace, thread, &block, &other))
		if (other == space)
			return true;
	return false;
}

void threads_drop_excerpts(struct threads *threads)
{
	for (unsigned i = 0; i < threads->n_excerpts; i++)
		excerpts_fini(&threads->excerpts[i]);
	free(threads->excerpts);
	threads->excerpts = NULL;
	threads->n_excerpts = 0;
}

void threads_release(struct threads *threads)
{
	threads_drop_excerpts(threads);
	free(threads->indexes);
	*threads = (struct threads){ .n = 0 };
}

/* ---- selecting threads --------------------------------------------------- */

struct wanted {
	const struct wm_trace *trace;
	const struct scope *scope;
	uint64_t number; /* of the thread */
	bool by_number;	 /* it counts, rather than a name */
	bool *spaces;	 /* those of the selected processes; NULL: all */
};

/* Without --process every thread is selected. */
static bool is_of_process(const struct wanted *wanted, unsigned thread)
{
	uint64_t block = 0;
	uint32_t space;

	if (!wanted->spaces)
		return true;
	while (!next_space(wanted->trace, thread, &block, &space))
		if (wanted->spaces[space])
			return true;
	return false;
}

/* A pattern is matched against what `info` prints. */
static bool is_meant(const struct wanted *wanted, unsigned index,
		     const struct wm_stream *stream)
{
	if (!is_of_process(wanted, index))
		return false;
	if (!wanted->scope->thread)
		return true;
	if (wanted->by_number)
		return index == wanted->number;
	return pattern_fits(wanted->scope->thread, thread_name(wanted->trace, stream));
}

/* ---- none, or too many --------------------------------------------------- */

/* What was typed for the process. */
static const char *process_of(const struct scope *scope)
{
	return scope->process ? scope->process : scope->pid;
}

/* The number may exist in another process. */
static int no_such_number(const struct wanted *wanted, struct wm_error *err)
{
	struct wm_summary summary;

	wm_trace_summary(wanted->trace, &summary);
	if (wanted->number < summary.streams)
		return wm_fail(err, WM_E_RANGE, 0, "thread %s is not of process %s",
			       wanted->scope->thread, process_of(wanted->scope));
	if (summary.streams == 1)
		return wm_fail(err, WM_E_RANGE, 0,
			       "there is no thread %s: the only one is 0",
			       wanted->scope->thread);
	return wm_fail(err, WM_E_RANGE, 0, "there is no thread %s: they are 0 to %u",
		       wanted->scope->thread, summary.streams - 1);
}

static int no_such_name(const struct wanted *wanted, struct wm_error *err)
{
	struct nearest nearest = { .typed = wanted->scope->thread };
	struct wm_stream stream;
	char near[64] = "";

	for (unsigned i = 0; !wm_trace_stream(wanted->trace, i, &stream); i++) {
		const char *name = thread_name(wanted->trace, &stream);

		if (strlen(name) < sizeof(near) && nearest_try(&nearest, name))
			strcpy(near, name);
	}
	if (*near)
		return wm_fail(err, WM_E_RANGE, 0,
			       "there is no thread called \"%s\"; did you mean \"%s\"?",
			       wanted->scope->thread, near);
	return wm_fail(err, WM_E_RANGE, 0,
		       "there is no thread called \"%s\"; `waymark info` lists them",
		       wanted->scope->thread);
}

static int none(const struct wanted *wanted, struct wm_error *err)
{
	struct wm_summary summary;

	wm_trace_summary(wanted->trace, &summary);
	if (!summary.streams)
		return wm_fail(err, WM_E_RANGE, 0, "no thread ran in this recording");
	if (wanted->spaces && !wanted->scope->thread)
		return wm_fail(err, WM_E_RANGE, 0, "no thread of process %s ran",
			       process_of(wanted->scope));
	if (wanted->by_number)
		return no_such_number(wanted, err);
	return no_such_name(wanted, err);
}

/* Lists up to NAMED threads, so that one can be chosen without another command. */
static int several(const struct wanted *wanted, const struct threads *threads,
		   struct wm_error *err)
{
	char numbers[NAMED * 12] = "";
	size_t used = 0;
	/* One place is needed for "and N more": of 9 threads, 7 are named. */
	unsigned n = threads->n <= NAMED ? threads->n : NAMED - 1;

	for (unsigned i = 0; i < n; i++)
		used += (size_t)snprintf(numbers + used, sizeof(numbers) - used, "%s%u",
					 i == 0		     ? "" :
					 i + 1 == threads->n ? " and " :
							       ", ",
					 threads->indexes[i]);
	if (n < threads->n)
		return wm_fail(
			err, WM_E_RANGE, 0,
			"\"%s\" names threads %s and %u more; choose one by number",
			wanted->scope->thread, numbers, threads->n - n);
	return wm_fail(err, WM_E_RANGE, 0,
		       "\"%s\" names threads %s; choose one by number",
		       wanted->scope->thread, numbers);
}

/* ---- finding ------------------------------------------------------------- */

static int find(struct threads *threads, const struct wanted *wanted,
		struct wm_error *err)
{
	struct wm_summary summary;
	struct wm_stream stream;

	wm_trace_summary(wanted->trace, &summary);
	/* One more than needed: calloc(0) may return NULL. */
	threads->indexes = calloc(summary.streams + 1ul, sizeof(*threads->indexes));
	if (!threads->indexes)
		return wm_fail_nomem(err, "threads");
	for (unsigned i = 0; !wm_trace_stream(wanted->trace, i, &stream); i++)
		if (is_meant(wanted, i, &stream))
			threads->indexes[threads->n++] = i;
	return threads->n ? WM_OK : none(wanted, err);
}

int threads_find(struct threads *threads, const struct wm_trace *trace,
		 const struct scope *scope, struct wm_error *err)
{
	struct wanted wanted = { .trace = trace, .scope = scope };
	int ret = processes_choose(&wanted.spaces, trace, scope, err);

	*threads = (struct threads){ .n = 0 };
	if (ret)
		return ret;
	if (scope->thread)
		wanted.by_number = number_parse(scope->thread, &wanted.number);
	ret = find(threads, &wanted, err);
	if (!ret)
		ret = portions_find(threads, trace, scope, wanted.spaces, err);
	if (ret)
		threads_release(threads);
	threads->found = threads->n;
	free(wanted.spaces);
	return ret;
}

void threads_take(struct threads *threads, unsigned i)
{
	unsigned taken = threads->indexes[i];

	threads->indexes[i] = threads->indexes[0];
	threads->indexes[0] = taken;
}

unsigned threads_first_recorded(const struct wm_trace *trace, const unsigned *indexes,
				unsigned n)
{
	struct wm_stream stream;

	for (unsigned i = 0; i < n; i++)
		if (!wm_trace_stream(trace, indexes[i], &stream) && stream.insns)
			return i;
	return 0;
}

int threads_find_one(struct threads *threads, const struct wm_trace *trace,
		     const struct scope *scope, struct wm_error *err)
{
	struct wanted wanted = { .trace = trace, .scope = scope };
	int ret = threads_find(threads, trace, scope, err);

	/* Without a thread given, any of them serves. */
	if (!ret && scope->thread && threads->n > 1) {
		ret = several(&wanted, threads, err);
		threads_release(threads);
	}
	if (!ret) {
		threads_take(threads,
			     threads_first_recorded(trace, threads->indexes, threads->n));
		threads->n = 1;
	}
	return ret;
}
