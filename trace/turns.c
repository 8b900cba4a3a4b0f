// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The schedule is in the order of time; here it is sorted into one list for each stream, which is
 * searched. Times are a help, not a fact: without memory, and behind damage, turns are not known.
 */
#include "trace/turns.h"

#include <stdlib.h>

#include "base/append.h"
#include "base/bisect.h"
#include "trace/trace.h"

enum { HARTS = 1024 }; /* of which it is known when they leave a stream */

/* A turn of a stream: from a block on. */
struct turn {
	uint64_t block, ns;
	uint64_t left_ns; /* UINT64_MAX: not known, or never */
};

/* Of a stream, in order. */
struct turn_list {
	struct turn *all; /* [n] */
	size_t n;
};

struct turns {
	struct turn_list *of; /* [streams] */
	uint32_t streams;
	uint32_t on[HARTS]; /* stream that the hart is on, plus 1; 0: none. While it is read. */
};

void turns_free(struct turns *turns)
{
	if (!turns)
		return;
	for (uint32_t i = 0; i < turns->streams; i++)
		free(turns->of[i].all);
	free(turns->of);
	free(turns);
}

/* The last turn of the stream that a hart was on is over. */
static bool add(struct turns *turns, const struct wm_turn *turn)
{
	struct turn_list *of = &turns->of[turn->stream];
	struct turn now = { turn->block_ordinal, turn->ns, UINT64_MAX };
	uint32_t *on = turn->hart < HARTS ? &turns->on[turn->hart] : NULL;

	if (on && *on)
		turns->of[*on - 1].all[turns->of[*on - 1].n - 1].left_ns = turn->ns;
	if (on)
		*on = turn->stream + 1;
	return APPEND(of->all, of->n, now);
}

static void read_schedule(struct turns *turns, const struct wm_trace *trace)
{
	struct wm_schedule *schedule;
	struct wm_turn turn;

	if (wm_schedule_new(&schedule, trace, NULL))
		return;
	while (!wm_schedule_next(schedule, &turn, NULL) && add(turns, &turn))
		;
	wm_schedule_free(schedule);
}

static struct turns *read_turns(const struct wm_trace *trace)
{
	struct turns *turns = calloc(1, sizeof(*turns));

	if (!turns)
		return NULL;
	turns->streams = trace->stream_count;
	turns->of = calloc(trace->stream_count + 1ul, sizeof(*turns->of));
	if (turns->of)
		read_schedule(turns, trace);
	else
		turns->streams = 0;
	return turns;
}

/* Those of a stream; NULL without memory. */
static const struct turn_list *find(const struct wm_trace *const_trace, uint32_t stream)
{
	/* A cache under its lock: callers see no change. */
	struct wm_trace *trace = (struct wm_trace *)const_trace;
	const struct turns *turns;

	pthread_mutex_lock(&trace->lock);
	if (!trace->turns)
		trace->turns = read_turns(trace);
	turns = trace->turns;
	pthread_mutex_unlock(&trace->lock);
	return turns && stream < turns->streams ? &turns->of[stream] : NULL;
}

uint64_t turns_after(const struct wm_trace *trace, uint32_t stream, uint64_t block,
		     uint64_t ns)
{
	const struct turn_list *of = find(trace, stream);
	size_t i;

	if (!of)
		return ns;
	i = BISECT(of->n, k,
		   of->all[k].block < block ||
			   (of->all[k].block == block && of->all[k].ns < ns));
	return i < of->n && of->all[i].block == block ? of->all[i].ns : ns;
}

uint64_t turns_until(const struct wm_trace *trace, uint32_t stream, uint64_t block,
		     uint64_t ns)
{
	const struct turn_list *of = find(trace, stream);
	size_t i = of ? BISECT(of->n, k, of->all[k].block <= block) : 0;

	return i && of->all[i - 1].left_ns < ns ? of->all[i - 1].left_ns : ns;
}
