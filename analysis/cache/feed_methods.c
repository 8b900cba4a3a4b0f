// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What caches made of the methods of a managed program. While a thread runs for a method, whatever
 * is counted goes to the method as well, as it goes to an interval. The counts of instructions
 * are kept only of what no method runs: these are of native functions. So all rows add up to the
 * run.
 *
 * A thread seldom changes between methods and none, mostly once, before its first bytecode.
 */
#include <stdlib.h>

#include "analysis/cache/feed-data.h"
#include "analysis/statebytes.h"
#include "base/error.h"

static uint32_t highest(const struct cache_feed *feed)
{
	return feed->gathering->grouping->methods->highest;
}

int cache_methods_new(struct cache_feed *feed, unsigned stream, struct wm_error *err)
{
	const struct cache_gathering *gathering = feed->gathering;

	feed->methods = calloc(highest(feed) + 1ul, sizeof(*feed->methods));
	if (!feed->methods)
		return wm_fail_nomem(err, "caches");
	return running_new(&feed->running, gathering->grouping->methods, gathering->trace,
			   stream, err);
}

void cache_methods_free(struct cache_feed *feed)
{
	running_free(feed->running);
	free(feed->methods);
}

/* The counts of instructions so far are of what ran so far. */
static int change(struct cache_feed *feed, uint32_t method, struct wm_error *err)
{
	int ret = !method == !feed->method ? 0 : cache_feed_leave(feed, err);

	feed->method = method;
	return ret;
}

int cache_methods_move(struct cache_feed *feed, uint64_t insn, struct wm_error *err)
{
	uint32_t method;
	int ret = running_at(feed->running, insn, &method, err);

	feed->end = running_until(feed->running);
	return ret ? ret : change(feed, method, err);
}

int cache_methods_leave(struct cache_feed *feed, struct wm_error *err)
{
	return change(feed, 0, err);
}

/* ---- all threads --------------------------------------------------------- */

int cache_methods_add(struct cache_profile *profile, const struct cache_feed *feed,
		      struct wm_error *err)
{
	if (!feed->methods)
		return 0;
	if (!profile->methods) {
		profile->n_methods = highest(feed) + 1ul;
		profile->methods = calloc(profile->n_methods, sizeof(*profile->methods));
	}
	if (!profile->methods)
		return wm_fail_nomem(err, "caches");
	for (uint32_t i = 1; i <= highest(feed); i++)
		cache_tally_add(&profile->methods[i], &feed->methods[i]);
	return 0;
}

/* ---- bytes --------------------------------------------------------------- */

void cache_methods_put(const struct cache_feed *feed, struct buf *out)
{
	uint32_t n = 0;

	for (uint32_t i = 1; i <= highest(feed); i++)
		n += cache_tally_any(&feed->methods[i]);
	buf_put_varint(out, n);
	for (uint32_t i = 1; i <= highest(feed); i++)
		if (cache_tally_any(&feed->methods[i])) {
			buf_put_varint(out, i);
			cache_tally_put(&feed->methods[i], out);
		}
}

void cache_methods_get(struct cache_feed *feed, struct span *in)
{
	for (uint64_t left = state_count(in); left && !in->failed; left--) {
		uint32_t function = (uint32_t)state_below(in, highest(feed));

		feed->methods[function] = cache_tally_get(in);
	}
}
