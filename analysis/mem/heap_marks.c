// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From which instruction on a thread sees how much of its heap. Its own changes are exact; those
 * of other threads come with the first block that the clock puts behind them. So each thread is
 * walked once more, for the times of its blocks, unless it was alone in its space.
 *
 * Invariant: of equal times the lower thread goes first, as everywhere. A thread's time never
 * goes back here, either, as in heap_ops.c: `ns` is the latest so far.
 *
 * Example: thread 0 frees at 30 ns. Thread 1 has blocks at 0, 20 and 40 ns, of 5 instructions
 * each: it sees that from its instruction 10 on.
 */
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/mem/heap-data.h"
#include "base/error.h"
#include "trace/trace.h"

struct setup {
	struct heap *heap;
	const struct wm_trace *trace;
};

struct state {
	struct heap_marks *marks;
	const struct wm_trace *trace;
	const struct heap_space *spaces;
	unsigned stream;
	bool begun; /* `space` is set */
	uint32_t space;
	uint64_t ns;
	struct heap_log_reader in;
	struct heap_time next; /* of the space, */
	bool more;	       /* if there is one */
	struct heap_mark held; /* the latest, which one of the same instruction replaces */
	bool holds;
};

/* ---- marks ------------------------------------------------------------------------ */

static int flush(struct state *state, struct wm_error *err)
{
	struct heap_marks *marks = state->marks;
	const uint64_t made[HEAP_MARK] = { state->held.insn - marks->last.insn,
					   state->held.changes - marks->last.changes,
					   state->held.space };

	if (!state->holds)
		return 0;
	state->holds = false;
	marks->last = state->held;
	return heap_log_put(&marks->log, made, HEAP_MARK, err);
}

/* From `insn` on the thread sees what state->next says. */
static int mark(struct state *state, uint64_t insn, struct wm_error *err)
{
	int ret = state->held.insn == insn ? 0 : flush(state, err);

	state->held = (struct heap_mark){ insn, state->next.changes, state->space };
	state->holds = true;
	return ret;
}

static void read_time(struct state *state)
{
	uint64_t numbers[HEAP_TIME];

	state->more = heap_log_next(&state->in, numbers, HEAP_TIME);
	if (!state->more)
		return;
	state->next.ns += numbers[HEAP_TIME_NS];
	state->next.insn += numbers[HEAP_TIME_INSN];
	state->next.changes += numbers[HEAP_TIME_CHANGES];
	state->next.stream = (unsigned)numbers[HEAP_TIME_STREAM];
}

static void enter(struct state *state, uint32_t space)
{
	if (state->begun && state->space == space)
		return;
	state->begun = true;
	state->space = space;
	state->in = heap_log_read(&state->spaces[space].times);
	state->next = (struct heap_time){ .ns = 0 };
	read_time(state);
}

static void start(struct state *state, const struct setup *setup, unsigned stream)
{
	state->trace = setup->trace;
	state->spaces = setup->heap->spaces;
	state->marks = &setup->heap->marks[stream];
	state->stream = stream;
}

/* Nobody else was in its only space, so all times there are its own. */
static int mark_alone(const struct setup *setup, unsigned stream, struct wm_error *err)
{
	struct state state = { .stream = stream };
	int ret = 0;

	start(&state, setup, stream);
	for (enter(&state, state.marks->space); !ret && state.more; read_time(&state))
		ret = mark(&state, state.next.insn, err);
	return ret ? ret : flush(&state, err);
}

/* ---- walking a thread ---------------------------------------------------------------- */

static int begin(void *to, void *setup, const struct segment *segment,
		 struct wm_error *err)
{
	struct state *state = to;

	(void)err;
	start(state, setup, segment->stream);
	enter(state, segment->space);
	return 0;
}

static int event(void *to, const struct wm_event *event, struct wm_error *err)
{
	struct state *state = to;

	(void)err;
	if (event->ns > state->ns)
		state->ns = event->ns;
	return 0;
}

/* The index of the first block of a stretch that is behind state->next; n: none is. */
static size_t first_behind(const struct state *state, const struct stretch *stretch)
{
	/* Of equal times, this thread's blocks are behind those of lower threads. */
	uint64_t until = state->next.ns - (state->next.stream < state->stream);
	size_t before = (size_t)(stretch->block - stretch->when->block), passed;

	/* It is behind because the thread's time may not go back; or the clock begins at 0. */
	if (state->ns > until || until > state->next.ns)
		return 0;
	passed = pace_within(&stretch->when->pace, until);
	passed = passed > before ? passed - before : 0;
	return passed < stretch->n ? passed : stretch->n;
}

static int take(void *to, const struct stretch *stretch, struct wm_error *err)
{
	struct state *state = to;
	const uint16_t *sizes = state->trace->table.insns;
	uint64_t insn = stretch->insn;
	size_t at = 0, first;
	int ret = 0;

	for (; !ret && state->more; read_time(state)) {
		if (state->next.stream == state->stream) {
			ret = mark(state, state->next.insn, err);
			continue;
		}
		first = first_behind(state, stretch);
		if (first == stretch->n)
			break;
		for (; at < first; at++)
			insn += sizes[stretch->ids[at]];
		ret = mark(state, insn, err);
	}
	state->ns = clock_at(stretch->when, stretch->block + stretch->n - 1) > state->ns ?
			    clock_at(stretch->when, stretch->block + stretch->n - 1) :
			    state->ns;
	return ret;
}

static int end_stream(void *from, void *setup, unsigned stream, struct wm_error *err)
{
	int ret = flush(from, err);

	return ret ? ret :
		     heap_log_end(&((struct setup *)setup)->heap->marks[stream].log, err);
}

static void end(void *state)
{
	(void)state;
}

static const struct analysis heap_marks = {
	.name = "heap marks",
	.state_bytes = sizeof(struct state),
	.across = true,
	.in_order = true,
	.timed = true,
	.begin = begin,
	.blocks = take,
	.event = event,
	.stream = end_stream,
	.end = end,
};

static bool is_alone(const struct heap *heap, unsigned stream)
{
	const struct heap_marks *marks = &heap->marks[stream];

	return marks->n_spaces == 1 && heap->spaces[marks->space].n_streams == 1;
}

int heap_marks_make(struct heap *heap, const struct wm_trace *trace, unsigned threads,
		    struct wm_error *err)
{
	struct setup setup = { heap, trace };
	struct selection others = { .to = UINT64_MAX, .threads = threads };
	unsigned *streams = calloc(heap->n_streams + 1ul, sizeof(*streams));
	int ret = streams ? 0 : wm_fail_nomem(err, "names of the heap");

	for (unsigned i = 0; !ret && i < heap->n_streams; i++) {
		if (is_alone(heap, i))
			ret = mark_alone(&setup, i, err);
		else if (heap->marks[i].n_spaces)
			streams[others.n++] = i;
		if (!ret)
			ret = heap_log_end(&heap->marks[i].log, err);
	}
	others.streams = streams;
	if (!ret && others.n)
		ret = analysis_run(&heap_marks, &setup, trace, &others, err);
	free(streams);
	for (uint32_t i = 0; i < heap->n_spaces; i++)
		heap_log_fini(&heap->spaces[i].times);
	return ret;
}
