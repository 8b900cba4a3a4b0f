// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Distances in O(log n): each access has a time, and a line counts at the time of its
 * last access only. The distance is the number of ones after that time (B. T. Bennett and
 * V. J. Kruskal, "LRU Stack Processing", IBM Journal of Research and Development 19(4),
 * 1975). The ones are summed up by a binary indexed tree (P. M. Fenwick, "A New Data
 * Structure for Cumulative Frequency Tables", Software: Practice and Experience 24(3),
 * 1994).
 *
 * Invariant: the tree has exactly n ones, one for each line, at times 1 to `now`.
 *
 * When all times up to `limit` are used, the lines get new times from 1 on in the same
 * order. The tree doubles if more than half of its times are in use then. So the size of
 * the tree follows the number of lines, not of accesses, and renewals are rare: each one
 * leaves at least half of the times free.
 *
 * Example: a b c a. Before the second a the ones are at times 1, 2, 3. Two of them are
 * after a's time 1: its distance is 2. Then the ones are at 2, 3, 4.
 */
#include "analysis/mem/recency.h"

#include <stdlib.h>

#include "waymark.h"

enum { FIRST_LIMIT = 1 << 12 };

int recency_init(struct recency *recency)
{
	*recency = (struct recency){ .limit = FIRST_LIMIT };
	recency->sums = calloc(FIRST_LIMIT + 1, sizeof(*recency->sums));
	return recency->sums ? u64map_init(&recency->places) : WM_E_NOMEM;
}

void recency_fini(struct recency *recency)
{
	u64map_fini(&recency->places);
	free(recency->lines);
	free(recency->times);
	free(recency->sums);
}

/* ---- the tree ------------------------------------------------------------------------------ */

/* `one` may be UINT32_MAX, which is -1: sums wrap. */
static void add(struct recency *recency, uint32_t time, uint32_t one)
{
	for (; time <= recency->limit; time += time & -time)
		recency->sums[time] += one;
}

/* Ones at times 1 to `time`. */
static uint32_t sum(const struct recency *recency, uint32_t time)
{
	uint32_t sum = 0;

	for (; time; time &= time - 1)
		sum += recency->sums[time];
	return sum;
}

/* ---- times are used up ---------------------------------------------------------------------- */

uint32_t *recency_order(const struct recency *recency)
{
	uint32_t *at = calloc(recency->limit + 1ul, sizeof(*at)), n = 0;

	if (!at)
		return NULL;
	for (uint32_t i = 0; i < recency->n; i++)
		at[recency->times[i]] = i + 1;
	/*
	 * Closes the gaps of the times at which no line was touched last. In place: n <
	 * time always holds.
	 */
	for (uint32_t time = 1; time <= recency->now; time++)
		if (at[time])
			at[n++] = at[time] - 1;
	return at;
}

/*
 * Gives the lines the times 1 to n, and builds the tree anew. False: no memory, or too
 * many lines for 32-bit times.
 */
static bool renew(struct recency *recency)
{
	uint32_t *order = recency_order(recency), limit = recency->limit;
	uint32_t *sums;

	if (recency->n > limit / 2 && limit < UINT32_C(1) << 31)
		limit *= 2;
	sums = calloc(limit + 1ul, sizeof(*sums));
	if (!order || !sums || recency->n == limit) {
		free(order);
		free(sums);
		return false;
	}
	free(recency->sums);
	recency->sums = sums;
	recency->limit = limit;
	for (uint32_t i = 0; i < recency->n; i++) {
		recency->times[order[i]] = i + 1;
		sums[i + 1] = 1;
	}
	/*
	 * Builds the tree in O(limit): a node adds itself to its parent once its own sum
	 * is complete.
	 */
	for (uint32_t i = 1; i <= limit; i++)
		if (i + (i & -i) <= limit)
			sums[i + (i & -i)] += sums[i];
	recency->now = recency->n;
	free(order);
	return true;
}

static bool make_room(struct recency *recency)
{
	uint32_t room = recency->room * 2 + 1024;
	uint64_t *lines = reallocarray(recency->lines, room, sizeof(*lines));
	uint32_t *times;

	if (lines)
		recency->lines = lines;
	times = lines ? reallocarray(recency->times, room, sizeof(*times)) : NULL;
	if (!times)
		return false;
	recency->times = times;
	recency->room = room;
	return true;
}

bool recency_touch(struct recency *recency, uint64_t line, uint64_t *distance)
{
	uint32_t *place, number;

	if (recency->now == recency->limit && !renew(recency))
		return false;
	/* Before the lookup: a new cell of the map must not stay without a value. */
	if (recency->n == recency->room && !make_room(recency))
		return false;
	place = u64map_at(&recency->places, line);
	if (!place)
		return false;
	*distance = RECENCY_NEW;
	if (!*place) {
		recency->lines[recency->n] = line;
		*place = ++recency->n;
		number = *place - 1;
	} else {
		number = *place - 1;
		/*
		 * All n lines have a one. sum() counts this line and those touched before
		 * it.
		 */
		*distance = recency->n - sum(recency, recency->times[number]);
		if (!*distance)
			return true; /* it is the latest already: no time is used */
		add(recency, recency->times[number], UINT32_MAX);
	}
	recency->times[number] = ++recency->now;
	add(recency, recency->now, 1);
	return true;
}
