// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The state of a thread above a last cache that threads share (below.h), in pieces. What the last
 * cache is asked, and a log of a part, grow with the run. So they are moved to pieces
 * (analysis/pieces.h) as they come, and a state's bytes are:
 *
 *	the rest, which has the intervals	then what the last cache is asked, in pieces,
 *						or logs, each of which is a piece
 *
 * Each of these is a state of its own to whoever reads them. It appends them to the state of the
 * thread's begin, one by one, so no more than one is in memory.
 *
 * A log that is large enough is ended, and the next one knows nothing of it, as if the part were
 * cut there. That costs entries for the lines that the first caches have, so logs are not small.
 */
#include <stdlib.h>

#include "analysis/cache/feed-data.h"
#include "analysis/statebytes.h"
#include "base/append.h"
#include "base/error.h"

/* Bytes of a log's entries, about. */
enum { LOG_BYTES = 1 << 20 };

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "caches");
}

static int malformed(struct wm_error *err)
{
	return wm_fail(err, WM_E_FORMAT, 0,
		       "what a thread asks of a cache is malformed, or of another part");
}

/* ---- what is full -------------------------------------------------------------------- */

static int flush_below(struct cache_feed *feed, bool all, struct wm_error *err)
{
	struct buf *items = &feed->below.items;
	int ret;

	if (items->failed)
		return no_memory(err);
	if (items->len < (all ? 1 : PIECE_BYTES))
		return 0;
	ret = pieces_put(&feed->pieces, span_of(items->data, items->len),
			 span_of(NULL, 0), err);
	items->len = 0;
	return ret;
}

static int put_log(struct cache_feed *feed, struct wm_error *err)
{
	struct buf bytes = BUF_INIT;
	int ret;

	cache_log_put(feed->log, &bytes);
	ret = bytes.failed ? no_memory(err) :
			     pieces_put(&feed->pieces, span_of(bytes.data, bytes.len),
					span_of(NULL, 0), err);
	buf_fini(&bytes);
	cache_log_free(feed->log);
	feed->log = NULL;
	feed->n_logs = 0;
	return ret;
}

/* It begins where the one before has ended. */
static int begin_log(struct cache_feed *feed, struct wm_error *err)
{
	feed->log = cache_log_new(feed->gathering->spec);
	if (!feed->log || !APPEND(feed->logs, feed->n_logs, feed->log)) {
		cache_log_free(feed->log);
		feed->log = NULL;
		return no_memory(err);
	}
	cache_log_space(feed->log, feed->space);
	if (feed->n_intervals)
		cache_log_interval(feed->log, feed->below.interval);
	feed->log->now = feed->below.now;
	feed->fetched = UINT64_MAX;
	return 0;
}

static int flush_log(struct cache_feed *feed, bool all, struct wm_error *err)
{
	int ret;

	if (!feed->log || (!all && feed->log->entries.len < LOG_BYTES))
		return 0;
	ret = put_log(feed, err);
	return ret || all ? ret : begin_log(feed, err);
}

int cache_feed_flush(struct cache_feed *feed, bool all, struct wm_error *err)
{
	if (!feed->gathering->apart)
		return 0;
	return feed->cache ? flush_below(feed, all, err) : flush_log(feed, all, err);
}

/* ---- bytes --------------------------------------------------------------------------- */

static void put_rest(struct cache_feed *feed, struct buf *out)
{
	struct wm_error err;

	if (cache_feed_flush(feed, true, &err) || pieces_end(&feed->pieces, &err))
		out->failed = true;
	buf_put_u8(out, CACHE_PIECE_REST);
	cache_feed_put(feed, out);
	/* It was put; what comes next are pieces. */
	feed->piece = feed->cache ? CACHE_PIECE_BELOW : CACHE_PIECE_LOG;
}

void cache_feed_put_piece(void *from, struct buf *out)
{
	struct cache_feed *feed = from;
	struct span piece;

	if (feed->piece == CACHE_PIECE_REST) {
		put_rest(feed, out);
		return;
	}
	buf_put_u8(out, (uint8_t)feed->piece);
	if (pieces_next(&feed->pieces, &piece))
		buf_put(out, piece.at, span_left(&piece));
}

bool cache_feed_more(void *from)
{
	return pieces_left(&((struct cache_feed *)from)->pieces);
}

int cache_feed_get_piece(void *to, struct span *in, struct wm_error *err)
{
	struct cache_feed *feed = to;
	size_t bytes;

	feed->piece = (enum cache_piece)state_below(in, CACHE_PIECE_KINDS - 1);
	if (feed->piece == CACHE_PIECE_LOG) {
		/* That of the state that has begun has nothing. */
		for (size_t i = 0; i < feed->n_logs; i++)
			cache_log_free(feed->logs[i]);
		feed->n_logs = 0;
		feed->log = NULL;
		return cache_feed_get_log(feed, in, err);
	}
	if (feed->piece == CACHE_PIECE_REST)
		return cache_feed_get(feed, in, err);
	bytes = span_left(in);
	return pieces_put(&feed->pieces, span_of(span_bytes(in, bytes), bytes),
			  span_of(NULL, 0), err);
}

/* ---- putting them together ----------------------------------------------------------- */

/* What was asked there is asked behind what was asked here. */
static int append_below(struct cache_feed *feed, struct cache_feed *next,
			struct wm_error *err)
{
	struct span piece;
	int ret = pieces_end(&next->pieces, err);

	while (!ret && pieces_next(&next->pieces, &piece))
		ret = pieces_put(&feed->pieces, piece, span_of(NULL, 0), err);
	return ret;
}

int cache_feed_append_piece(void *to, void *from, struct wm_error *err)
{
	struct cache_feed *feed = to, *next = from;
	int ret = 0;

	if (!feed->cache || feed->piece != CACHE_PIECE_REST)
		return malformed(err);
	if (next->piece == CACHE_PIECE_BELOW)
		return append_below(feed, next, err);
	if (next->piece == CACHE_PIECE_REST)
		return cache_feed_append(feed, next, err);
	for (size_t i = 0; !ret && i < next->n_logs; i++)
		ret = cache_feed_follow(feed, next->logs[i], 0, err);
	/* What follows is not behind what was fetched there. */
	feed->fetched = UINT64_MAX;
	return ret ? ret : cache_feed_flush(feed, false, err);
}

/* Nothing is handed out before the last cache was asked. */
int cache_feed_drain(void *of, struct wm_error *err)
{
	(void)of, (void)err;
	return 0;
}
