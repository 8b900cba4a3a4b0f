// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parts of a thread that feeds caches: as bytes, and one behind the other.
 *
 * The state of a thread's begin has its caches. A later part has counts of accesses, and a log
 * of those that may have missed (log.h). Parts that know no caches are put behind each other
 * with their logs; behind a part with caches, the logs are replayed on these:
 *
 *	caches + log 1 -> caches	log 2 + log 3 -> logs 2, 3	caches + logs 2, 3 -> caches
 *
 * Marks in a log say in which space and interval the accesses behind them are. Misses are
 * counted there by instruction, as if they had been known at once.
 */
#include "analysis/cache/feed-data.h"

#include <stdlib.h>

#include "analysis/statebytes.h"
#include "base/append.h"
#include "base/error.h"
#include "trace/trace.h"

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "caches");
}

/* ---- replaying a log ----------------------------------------------------------------- */

struct following {
	struct cache_feed *feed;
	uint32_t id, insn; /* of the access at hand */
	size_t interval;   /* index, of the access at hand */
	uint64_t ns;	   /* its time, in the log */
	struct wm_error *err;
	int ret;
};

static bool find(void *cookie, struct cache_access *access, uint32_t id, uint32_t insn)
{
	struct following *following = cookie;
	struct cache_feed *feed = following->feed;
	const struct wm_block *block;

	if (id > feed->gathering->trace->known || insn >= feed->blocks[id].insns)
		return false;
	block = &feed->blocks[id];
	following->id = feed->below.id = id;
	following->insn = feed->below.insn = insn;
	access->pc = block->address;
	if (feed->gathering->apart)
		access->pc ^= (uint64_t)feed->space << 48;
	for (uint32_t i = 0; i < insn; i++)
		access->pc += block->sizes[i];
	return true;
}

static bool mark(void *cookie, enum cache_entry_kind kind, uint64_t value)
{
	struct following *following = cookie;
	struct cache_feed *feed = following->feed;

	if (kind == CACHE_ENTRY_TIME) {
		following->ns += value;
		cache_feed_set_time(feed, following->ns);
		return true;
	}
	if (kind == CACHE_ENTRY_SPACE) {
		if (value >= feed->gathering->trace->space_count)
			return false;
		following->ret = cache_feed_enter(feed, (uint32_t)value, following->err);
		return !following->ret;
	}
	while (following->interval < feed->n_intervals &&
	       feed->intervals[following->interval].from != value)
		following->interval++;
	feed->below.interval = value;
	return following->interval < feed->n_intervals;
}

static void missed(void *cookie, enum cache_kind kind, unsigned missed)
{
	struct following *following = cookie;
	struct cache_feed *feed = following->feed;
	size_t site = feed->gathering->begins[following->id] + following->insn;

	if (!following->ret)
		following->ret = cache_feed_touch(feed, following->id, following->err);
	cache_tally_missed(&feed->tallies[site], kind, missed);
	if (following->interval < feed->n_intervals)
		cache_tally_missed(&feed->intervals[following->interval].tally, kind,
				   missed);
}

/* `interval`: where intervals of the log can begin. */
int cache_feed_follow(struct cache_feed *feed, const struct cache_log *log,
		      size_t interval, struct wm_error *err)
{
	struct following following = { .feed = feed, .interval = interval, .err = err };
	const struct cache_replay replay = { find, mark, missed, &following };

	if (cache_follow(feed->cache, log, &replay) || following.ret) {
		/* Behind the last entry time has passed, too. */
		cache_feed_set_time(feed, log->now);
		return following.ret;
	}
	return wm_fail(err, WM_E_FORMAT, 0,
		       "a log of caches is malformed, or of another part");
}

/* ---- one part behind the other ------------------------------------------------------- */

/* The first of the new ones may be the last one here. */
static int append_intervals(struct cache_feed *feed, const struct cache_feed *next,
			    struct wm_error *err)
{
	size_t i = 0, n = feed->n_intervals;

	if (n && next->n_intervals &&
	    feed->intervals[n - 1].from == next->intervals[0].from)
		cache_tally_add(&feed->intervals[n - 1].tally,
				&next->intervals[i++].tally);
	for (; i < next->n_intervals; i++) {
		if (feed->n_intervals == CACHE_INTERVALS_MAX)
			return wm_fail(err, WM_E_RANGE, 0,
				       "that would be more than %d intervals",
				       CACHE_INTERVALS_MAX);
		if (!APPEND(feed->intervals, feed->n_intervals, next->intervals[i]))
			return no_memory(err);
	}
	return 0;
}

/* Counts of the space where the thread is stay in the array, so that no list grows. */
static int append_sites(struct cache_feed *feed, const struct cache_feed *next,
			struct wm_error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < next->n_sites; i++) {
		const struct cache_site *site = &next->sites[i];

		if (site->space != feed->space) {
			ret = cache_feed_add_site(feed, site, err);
			continue;
		}
		ret = cache_feed_touch(feed, site->id, err);
		cache_tally_add(
			&feed->tallies[feed->gathering->begins[site->id] + site->insn],
			&site->tally);
	}
	return ret;
}

/* Its logs are replayed, or go behind those here. */
static int append_logs(struct cache_feed *feed, struct cache_feed *next, size_t interval,
		       struct wm_error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < next->n_logs; i++) {
		if (feed->cache) {
			ret = cache_feed_follow(feed, next->logs[i], interval, err);
			continue;
		}
		if (!APPEND(feed->logs, feed->n_logs, next->logs[i]))
			return no_memory(err);
		next->logs[i] = NULL;
	}
	return ret;
}

int cache_feed_append(void *to, void *from, struct wm_error *err)
{
	struct cache_feed *feed = to, *next = from;
	size_t interval = feed->n_intervals ? feed->n_intervals - 1 : 0;
	int ret = cache_feed_leave(next, err);

	/* Caches that are known are those of a thread's begin. */
	if (next->cache)
		return wm_fail(err, WM_E_FORMAT, 0, "a thread begins twice");
	if (!ret)
		ret = append_intervals(feed, next, err);
	if (!ret)
		ret = append_logs(feed, next, interval, err);
	if (!ret && !feed->cache)
		ret = cache_feed_enter(feed, next->space, err);
	if (!ret)
		ret = append_sites(feed, next, err);
	feed->insns += next->insns;
	/* What follows is not behind what was fetched here. */
	feed->fetched = UINT64_MAX;
	feed->log = NULL;
	if (next->n_intervals)
		feed->end = next->end;
	return ret;
}

/* ---- bytes --------------------------------------------------------------------------- */

static void put_sites(const struct cache_feed *feed, struct buf *out)
{
	buf_put_varint(out, feed->n_sites);
	for (size_t i = 0; i < feed->n_sites; i++) {
		buf_put_varint(out, feed->sites[i].space);
		buf_put_varint(out, feed->sites[i].id);
		buf_put_varint(out, feed->sites[i].insn);
		cache_tally_put(&feed->sites[i].tally, out);
	}
}

static int get_sites(struct cache_feed *feed, struct span *in, struct wm_error *err)
{
	const struct wm_trace *trace = feed->gathering->trace;

	for (uint64_t left = state_count(in); left && !in->failed; left--) {
		struct cache_site site;

		site.space = (uint32_t)state_below(in, trace->space_count - 1);
		site.id = (uint32_t)state_below(in, trace->known);
		site.insn = (uint32_t)span_varint(in);
		site.tally = cache_tally_get(in);
		if (!site.id || site.insn >= feed->blocks[site.id].insns)
			in->failed = true;
		else if (!APPEND(feed->sites, feed->n_sites, site))
			return no_memory(err);
	}
	return 0;
}

static void put_intervals(const struct cache_feed *feed, struct buf *out)
{
	buf_put_varint(out, feed->n_intervals);
	for (size_t i = 0; i < feed->n_intervals; i++) {
		buf_put_varint(out, feed->intervals[i].from);
		cache_tally_put(&feed->intervals[i].tally, out);
	}
	buf_put_varint(out, feed->end);
}

static int get_intervals(struct cache_feed *feed, struct span *in, struct wm_error *err)
{
	for (uint64_t left = state_count(in); left && !in->failed; left--) {
		struct cache_interval interval = { .stream = feed->stream };

		interval.from = span_varint(in);
		interval.tally = cache_tally_get(in);
		if (!APPEND(feed->intervals, feed->n_intervals, interval))
			return no_memory(err);
	}
	feed->end = span_varint(in);
	return 0;
}

int cache_feed_get_log(struct cache_feed *feed, struct span *in, struct wm_error *err)
{
	struct cache_log *log = cache_log_get(feed->gathering->spec, in);

	if (!log && in->failed)
		return 0;
	if (!log || !APPEND(feed->logs, feed->n_logs, log)) {
		cache_log_free(log);
		return no_memory(err);
	}
	return 0;
}

static int get_logs(struct cache_feed *feed, struct span *in, struct wm_error *err)
{
	int ret = 0;

	/* That of the state that has begun has nothing. */
	for (size_t i = 0; i < feed->n_logs; i++)
		cache_log_free(feed->logs[i]);
	feed->n_logs = 0;
	feed->log = NULL;
	for (uint64_t left = state_count(in); !ret && left && !in->failed; left--)
		ret = cache_feed_get_log(feed, in, err);
	return ret;
}

/* Only what another part may come behind needs what the caches have. */
static bool is_whole(const struct cache_feed *feed)
{
	return cache_log_fits(feed->gathering->spec) && !feed->gathering->grouping;
}

void cache_feed_put(void *from, struct buf *out)
{
	struct cache_feed *feed = from;
	struct wm_error err;

	if (cache_feed_leave(feed, &err))
		out->failed = true;
	feed->folded = feed->n_sites = cache_sites_fold(feed->sites, feed->n_sites);
	buf_put_varint(out, feed->space);
	buf_put_varint(out, feed->insns);
	put_sites(feed, out);
	put_intervals(feed, out);
	buf_put_varint(out, feed->n_logs);
	for (size_t i = 0; i < feed->n_logs; i++)
		cache_log_put(feed->logs[i], out);
	if (feed->objects)
		cache_objects_write(feed->objects, out);
	if (feed->methods)
		cache_methods_put(feed, out);
	if (feed->cache)
		cache_put(feed->cache, is_whole(feed), out);
	if (feed->cache && feed->gathering->apart)
		cache_below_put(&feed->below, out);
}

int cache_feed_get(void *to, struct span *in, struct wm_error *err)
{
	struct cache_feed *feed = to;
	int ret;

	feed->space = (uint32_t)state_below(in, feed->gathering->trace->space_count - 1);
	feed->insns = span_varint(in);
	ret = get_sites(feed, in, err);
	if (!ret)
		ret = get_intervals(feed, in, err);
	if (!ret)
		ret = get_logs(feed, in, err);
	if (!ret && feed->objects && !cache_objects_read(feed->objects, in))
		ret = no_memory(err);
	if (!ret && feed->methods)
		cache_methods_get(feed, in);
	if (!ret && feed->cache)
		cache_get(feed->cache, is_whole(feed), in);
	if (!ret && feed->cache && feed->gathering->apart)
		cache_below_get(&feed->below, in);
	feed->below.space = feed->space;
	return ret;
}
