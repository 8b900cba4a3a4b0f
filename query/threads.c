// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A thread is selected by its number or by a pattern for its name, a process by its
 * number or its pid. Numbers go first: what reads as a number is never taken for a name,
 * and a number below the count of processes is never taken for a pid.
 *
 * When nothing is selected, the error says what exists: somebody who mistyped sees the
 * range.
 */
#include "query/threads.h"

#include "base/error.h"
#include "out/number.h"

#include <fnmatch.h>
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

/* ---- selecting threads --------------------------------------------------- */

struct wanted {
	const struct wm_trace *trace;
	const char *thread, *process; /* as given */
	uint64_t thread_number, process_number;
	bool by_number;	 /* thread_number counts, rather than a name */
	bool is_process; /* process_number is an index, rather than a pid */
};

/* Decides once what the texts mean; afterwards only numbers and names are compared. */
static int understand(struct wanted *wanted, struct wm_error *err)
{
	struct wm_summary summary;

	wm_trace_summary(wanted->trace, &summary);
	if (wanted->thread)
		wanted->by_number = number_parse(wanted->thread, &wanted->thread_number);
	if (wanted->process && !number_parse(wanted->process, &wanted->process_number))
		return wm_fail(err, WM_E_RANGE, 0,
			       "a process is a number, or its pid, not \"%s\"",
			       wanted->process);
	/* A number below the count is an index, even when some process has that pid. */
	wanted->is_process = wanted->process_number < summary.spaces;
	return WM_OK;
}

/* Whether a process is the selected one, by its index or its pid. */
static bool is_that_process(const struct wanted *wanted, uint32_t index)
{
	struct wm_process process;

	if (wanted->is_process)
		return index == wanted->process_number;
	/*
	 * A pid may belong to several processes, by execve() or because it was used
	 * again.
	 */
	return !wm_trace_process(wanted->trace, index, &process) &&
	       process.pid == wanted->process_number;
}

/* Without --process every thread is selected. */
static bool is_of_process(const struct wanted *wanted, unsigned thread)
{
	uint64_t block = 0;
	uint32_t space;

	if (!wanted->process)
		return true;
	while (!next_space(wanted->trace, thread, &block, &space))
		if (is_that_process(wanted, space))
			return true;
	return false;
}

/* A pattern is matched against what `info` prints. */
static bool is_meant(const struct wanted *wanted, unsigned index,
		     const struct wm_stream *stream)
{
	if (!is_of_process(wanted, index))
		return false;
	if (!wanted->thread)
		return true;
	if (wanted->by_number)
		return index == wanted->thread_number;
	return !fnmatch(wanted->thread, thread_name(wanted->trace, stream), 0);
}

/* ---- none, or too many --------------------------------------------------- */

static int no_such_process(const struct wanted *wanted, struct wm_error *err)
{
	struct wm_summary summary;

	/* With one process the range "0 to 0" would read oddly. */
	wm_trace_summary(wanted->trace, &summary);
	if (summary.spaces == 1)
		return wm_fail(err, WM_E_RANGE, 0,
			       "there is no process %s: the only one is 0",
			       wanted->process);
	return wm_fail(err, WM_E_RANGE, 0,
		       "there is no process %s: they are 0 to %u, or their pids",
		       wanted->process, summary.spaces - 1);
}

/* The number may exist in another process. */
static int no_such_number(const struct wanted *wanted, struct wm_error *err)
{
	struct wm_summary summary;

	wm_trace_summary(wanted->trace, &summary);
	if (wanted->thread_number < summary.streams)
		return wm_fail(err, WM_E_RANGE, 0, "thread %s is not of process %s",
			       wanted->thread, wanted->process);
	if (summary.streams == 1)
		return wm_fail(err, WM_E_RANGE, 0,
			       "there is no thread %s: the only one is 0",
			       wanted->thread);
	return wm_fail(err, WM_E_RANGE, 0, "there is no thread %s: they are 0 to %u",
		       wanted->thread, summary.streams - 1);
}

static int none(const struct wanted *wanted, struct wm_error *err)
{
	struct wm_summary summary;

	wm_trace_summary(wanted->trace, &summary);
	if (!summary.streams)
		return wm_fail(err, WM_E_RANGE, 0, "no thread ran in this recording");
	if (wanted->process && !wanted->thread)
		return no_such_process(wanted, err);
	if (wanted->by_number)
		return no_such_number(wanted, err);
	return wm_fail(err, WM_E_RANGE, 0,
		       "there is no thread called \"%s\"; `waymark info` lists them",
		       wanted->thread);
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
			wanted->thread, numbers, threads->n - n);
	return wm_fail(err, WM_E_RANGE, 0,
		       "\"%s\" names threads %s; choose one by number", wanted->thread,
		       numbers);
}

/* ---- finding ------------------------------------------------------------- */

static int find(struct threads *threads, struct wanted *wanted, struct wm_error *err)
{
	struct wm_summary summary;
	struct wm_stream stream;
	int ret = understand(wanted, err);

	if (ret)
		return ret;
	wm_trace_summary(wanted->trace, &summary);
	threads->n = 0;
	/* One more than needed: calloc(0) may return NULL. */
	threads->indexes = calloc(summary.streams + 1ul, sizeof(*threads->indexes));
	if (!threads->indexes)
		return wm_fail_nomem(err, "threads");
	for (unsigned i = 0; !wm_trace_stream(wanted->trace, i, &stream); i++)
		if (is_meant(wanted, i, &stream))
			threads->indexes[threads->n++] = i;
	if (threads->n)
		return WM_OK;
	free(threads->indexes);
	threads->indexes = NULL;
	return none(wanted, err);
}

int threads_find(struct threads *threads, const struct wm_trace *trace,
		 const char *thread, const char *process, struct wm_error *err)
{
	struct wanted wanted = { .trace = trace, .thread = thread, .process = process };

	return find(threads, &wanted, err);
}

int threads_find_one(unsigned *index, const struct wm_trace *trace, const char *thread,
		     const char *process, struct wm_error *err)
{
	struct wanted wanted = { .trace = trace, .thread = thread, .process = process };
	struct threads threads;
	int ret = find(&threads, &wanted, err);

	/* Without a thread given, any of them serves, and the first one is taken. */
	if (ret)
		return ret;
	*index = threads.indexes[0];
	if (thread && threads.n > 1)
		ret = several(&wanted, &threads, err);
	free(threads.indexes);
	return ret;
}
