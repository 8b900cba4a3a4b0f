// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A binary heap of threads by the time of what each has next. Memory is that of a window of
 * each thread's log.
 *
 * Example: thread 0 has ops at 10 and 40 ns, thread 1 at 20: the order is 0, 1, 0.
 */
#include "analysis/mem/heap_turns.h"

#include <stdlib.h>

static bool is_before(const struct heap_turns *turns, unsigned a, unsigned b)
{
	uint64_t one = turns->readers[a].op.ns, other = turns->readers[b].op.ns;

	return one != other ? one < other : a < b;
}

/* Restores the order after the thread at `at` became later. */
static void sift_down(struct heap_turns *turns, unsigned at)
{
	unsigned *heap = turns->heap, moved = turns->n ? heap[at] : 0;

	for (;;) {
		unsigned child = 2 * at + 1;

		if (child + 1 < turns->n &&
		    is_before(turns, heap[child + 1], heap[child]))
			child++;
		if (child >= turns->n || is_before(turns, moved, heap[child]))
			break;
		heap[at] = heap[child];
		at = child;
	}
	if (at < turns->n)
		heap[at] = moved;
}

bool heap_turns_init(struct heap_turns *turns, const struct heap_log *logs,
		     unsigned streams)
{
	*turns = (struct heap_turns){
		.readers = calloc(streams + 1ul, sizeof(*turns->readers)),
		.heap = calloc(streams + 1ul, sizeof(*turns->heap)),
	};
	if (!turns->readers || !turns->heap)
		return false;
	for (unsigned i = 0; i < streams; i++) {
		turns->readers[i] = heap_ops_read(&logs[i]);
		if (heap_ops_next(&turns->readers[i]))
			turns->heap[turns->n++] = i;
	}
	for (unsigned i = turns->n / 2; i-- > 0;)
		sift_down(turns, i);
	return true;
}

void heap_turns_fini(struct heap_turns *turns)
{
	free(turns->readers);
	free(turns->heap);
}

/* The root's op was used: its thread's next one takes its place. */
static void advance(struct heap_turns *turns)
{
	turns->taken = false;
	if (!heap_ops_next(&turns->readers[turns->heap[0]]))
		turns->heap[0] = turns->heap[--turns->n];
	sift_down(turns, 0);
}

const struct heap_op *heap_turns_next(struct heap_turns *turns, unsigned *stream)
{
	if (turns->taken)
		advance(turns);
	if (!turns->n)
		return NULL;
	turns->taken = true;
	*stream = turns->heap[0];
	return &turns->readers[*stream].op;
}
