// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Threads in the order of the clock: a heap of feeds by the time of what each has next.
 * The first feed hands out all of its blocks up to the time of its rival, so a thread
 * that runs alone costs no comparison per block.
 *
 * The time of a thread's first blocks is only known once they are decoded, because a
 * chunk's time is that of its arrival. So each thread is opened once when the merge
 * begins; beyond OPEN_AT_FIRST it is closed again until its turn, which bounds the
 * memory.
 *
 * Invariant: an entry that is not `ready` has a time that is not later than its real one,
 * so it comes to the top early enough to be prepared.
 */
#include "trace/merge.h"

#include "base/error.h"
#include "trace/decoders.h"

#include <stdlib.h>

enum { OPEN_AT_FIRST = 16 };

/* A thread in the heap. The heap is ordered by ns. */
struct entry {
	uint64_t ns; /* of what comes next */
	struct feed *feed;
	bool ready; /* it is known what comes next */
};

/*
 * found[] has room for two, because a block that starts in its middle is split from the
 * rest of its run (keep()).
 */
struct merge {
	const struct wm_trace *trace;
	struct decoders *decoders;
	struct slice slice;
	struct feed *feeds; /* [feed_count] */
	struct entry *heap; /* [n] */
	uint32_t *chunks;   /* of all feeds, one after the other */
	unsigned feed_count, n;
	/* Found by the search for the start, and not handed out yet. */
	struct feed_item found[2];
	unsigned found_count;
};

/* ---- the heap ------------------------------------------------------------ */

/* Of equal times the lower thread goes first: every run of a listing is the same. */
static bool is_before(const struct entry *one, const struct entry *other)
{
	if (one->ns != other->ns)
		return one->ns < other->ns;
	return one->feed->thread < other->feed->thread;
}

/* Restores the order after the entry at `at` became later. */
static void sift_down(struct merge *merge, unsigned at)
{
	for (;;) {
		unsigned child = 2 * at + 1;
		struct entry moved = merge->heap[at];

		if (child + 1 < merge->n &&
		    is_before(&merge->heap[child + 1], &merge->heap[child]))
			child++;
		if (child >= merge->n || is_before(&moved, &merge->heap[child]))
			return;
		merge->heap[at] = merge->heap[child];
		merge->heap[child] = moved;
		at = child;
	}
}

/* The feed is closed, which frees its cursor. */
static void remove_first(struct merge *merge)
{
	feed_end(merge->heap[0].feed);
	merge->heap[0] = merge->heap[--merge->n];
	sift_down(merge, 0);
}

/*
 * Until when the first thread may go on before another is due. The rival is the earlier
 * child of the root: in a heap, no other entry is earlier. At equal times the lower
 * thread goes first, so a rival with a lower number limits the first thread to one
 * nanosecond less. Example: thread 5 is at 100 and thread 2 at 140: thread 5 hands out
 * its blocks up to 139.
 */
static uint64_t rival_ns(const struct merge *merge)
{
	const struct entry *heap = merge->heap, *rival;

	if (merge->n < 2)
		return UINT64_MAX;
	rival = merge->n > 2 && is_before(&heap[2], &heap[1]) ? &heap[2] : &heap[1];
	return rival->ns - (rival->feed->thread < heap[0].feed->thread && rival->ns);
}

bool slice_holds_end(bool by_insn, uint64_t to, const struct wm_trace *trace,
		     unsigned thread)
{
	struct wm_stream stream;

	return !wm_trace_stream(trace, thread, &stream) &&
	       to >= (by_insn ? stream.insns : stream.blocks);
}

/* ---- one feed ------------------------------------------------------------ */

/* An ordinal beyond the end of the thread is WM_E_RANGE. */
static int seek(const struct merge *merge, struct feed *feed, struct wm_error *err)
{
	const struct slice *slice = &merge->slice;

	return slice->by_insn ? feed_seek_insn(feed, slice->from, err) :
				feed_seek_block(feed, slice->from, err);
}

/*
 * Events are limited here; blocks are limited by the caller of merge_next(), which sees
 * them.
 */
static bool is_beyond(const struct merge *merge, const struct feed *feed)
{
	const struct slice *slice = &merge->slice;
	const struct wm_event *event = &feed->event;

	return slice->events_to <=
		       (slice->by_insn ? event->insn_ordinal : event->block_ordinal) &&
	       !slice_holds_end(slice->by_insn, slice->events_to, merge->trace,
				feed->thread);
}

/*
 * Opens the feed if it is closed and finds what comes next. The new time of the entry may
 * be later than the old one: the caller sifts it down.
 */
static int prepare(const struct merge *merge, struct entry *entry, struct wm_error *err)
{
	struct feed *feed = entry->feed;
	int ret = WM_OK;

	if (!feed->cursor) {
		ret = feed_begin(feed, err);
		if (!ret && merge->slice.from && !merge->slice.from_first)
			ret = seek(merge, feed, err);
	}
	if (!ret)
		ret = feed_next(feed, err);
	if (!ret && merge->slice.events_only && is_beyond(merge, feed))
		ret = WM_END;
	if (!ret)
		entry->ns = feed_now(feed);
	entry->ready = !ret;
	return ret;
}

/*
 * Hands out the next part. Only the top of the heap has to be ready: all others have a
 * time that is the same or later. The part that is handed out ends where the rival is
 * due, so the entry stays at the top, not ready, until it is known what comes next.
 */
static int take_next(struct merge *merge, struct feed_item *item, struct wm_error *err)
{
	while (merge->n) {
		struct entry *first = merge->heap;
		int ret;

		if (first->ready) {
			feed_take(first->feed, rival_ns(merge), item);
			first->ready = false;
			return WM_OK;
		}
		ret = prepare(merge, first, err);
		if (ret < 0)
			return ret;
		if (ret == WM_END)
			remove_first(merge);
		else
			sift_down(merge, 0);
	}
	return WM_END;
}

/* ---- the start ----------------------------------------------------------- */

/* Drops the first block of an item; `step` then describes the next one. */
static void drop_block(const struct merge *merge, struct feed_item *item)
{
	struct wm_block block = { 0 };

	item->step.block_ordinal++;
	item->step.insn_ordinal += item->step.insns;
	item->ids++;
	item->at++;
	/* No next block: `step` is not used any more. */
	if (!--item->n)
		return;
	wm_trace_block(merge->trace, item->ids[0], &block);
	item->step.id = item->ids[0];
	item->step.insns = block.insns;
}

/*
 * Whether an item's first block ends at or before the begin of the slice. A gap has no
 * instructions: it is before the slice only when it starts before it.
 */
static bool is_before_slice(const struct slice *slice, const struct wm_step *step)
{
	if (!slice->by_insn)
		return slice->from > step->block_ordinal;
	return slice->from > step->insn_ordinal &&
	       slice->from >= step->insn_ordinal + step->insns;
}

/*
 * Removes what is before the slice; false when nothing remains. Of a block that the slice
 * begins in, the instructions before it are skipped: with from = 103 and a block of
 * instructions 100 to 109, skip is 3.
 */
static bool trim(const struct merge *merge, struct feed_item *item)
{
	const struct slice *slice = &merge->slice;
	struct wm_step *step = &item->step;

	if (item->event)
		return slice->from <= (slice->by_insn ? item->event->insn_ordinal :
							item->event->block_ordinal);
	while (item->n && is_before_slice(slice, step))
		drop_block(merge, item);
	if (item->n && slice->by_insn && step->insn_ordinal < slice->from)
		item->skip = (uint32_t)(slice->from - step->insn_ordinal);
	return item->n;
}

/*
 * The index of the first chunk of a feed that ends after `ordinal`; chunk_count when
 * there is none. Chunks are listed in the order of the thread.
 */
static uint32_t chunk_of(const struct feed *feed, uint64_t ordinal, bool by_insn)
{
	struct wm_chunk chunk;
	uint32_t i = 0;

	for (; i < feed->chunk_count; i++) {
		wm_trace_chunk(feed->trace, feed->chunks[i], &chunk);
		if (ordinal < (by_insn ? chunk.first_insn + chunk.insns :
					 chunk.first_block + chunk.blocks))
			break;
	}
	return i;
}

/*
 * The index of the first chunk of a feed that ends at `ns` or later; earlier ones ended
 * before the slice begins.
 */
static uint32_t chunk_at(const struct feed *feed, uint64_t ns)
{
	struct wm_chunk chunk;
	uint32_t i = 0;

	for (; i < feed->chunk_count; i++) {
		wm_trace_chunk(feed->trace, feed->chunks[i], &chunk);
		if (chunk.end_ns >= ns)
			break;
	}
	return i;
}

/*
 * The slice begins at the end of the leader or after it. A seek decides which: the end
 * itself is an empty listing, anything after it is WM_E_RANGE with its sentence.
 */
static int beyond(const struct merge *merge, struct feed *feed, struct wm_error *err)
{
	int ret;

	feed->first_chunk = 0;
	ret = feed_begin(feed, err);
	if (!ret)
		ret = seek(merge, feed, err);
	return ret ? ret : WM_END;
}

/*
 * Leaves out chunks that ended before the leader reaches the begin of the slice. The
 * leader is prepared at its first chunk, whose begin is not later than that moment, so no
 * part of another thread that belongs to the slice is lost. fill_heap() prepares it once
 * more: its feed is open then and has something to take.
 */
static int skip_chunks(struct merge *merge, struct wm_error *err)
{
	struct entry leader = { .feed = &merge->feeds[0] };
	int ret;

	leader.feed->first_chunk =
		chunk_of(leader.feed, merge->slice.from, merge->slice.by_insn);
	if (leader.feed->first_chunk == leader.feed->chunk_count)
		return beyond(merge, leader.feed, err);
	ret = prepare(merge, &leader, err);
	for (unsigned i = 1; !ret && i < merge->feed_count; i++)
		merge->feeds[i].first_chunk = chunk_at(&merge->feeds[i], leader.ns);
	return ret;
}

/*
 * Stores an item that the search has found. A block that begins in its middle becomes an
 * item of its own, marked `broken`, because only such items may have a skip.
 */
static void keep(struct merge *merge, struct feed_item *item)
{
	if (item->skip) {
		struct feed_item *block = &merge->found[merge->found_count++];

		*block = *item;
		block->n = 1;
		block->broken = true;
		drop_block(merge, item);
		item->skip = 0;
		item->broken = false;
	}
	if (item->event || item->n)
		merge->found[merge->found_count++] = *item;
}

/*
 * Takes and drops parts until the leader is at the begin of the slice. Parts of other
 * threads that come earlier are dropped with it.
 */
static int find_start(struct merge *merge, struct wm_error *err)
{
	unsigned leader = merge->feeds[0].thread;
	struct feed_item item;
	int ret;

	do
		ret = take_next(merge, &item, err);
	while (!ret && (item.thread != leader || !trim(merge, &item)));
	if (!ret)
		keep(merge, &item);
	return ret < 0 ? ret : WM_OK;
}

/* ---- making it ----------------------------------------------------------- */

/*
 * Lists the chunks of each feed. All lists are in one array, one after the other: a chunk
 * belongs to one stream, so summary.chunks entries are enough.
 */
static bool give_chunks(struct merge *merge)
{
	uint32_t *at;
	struct wm_summary summary;
	struct wm_chunk chunk;

	wm_trace_summary(merge->trace, &summary);
	merge->chunks = calloc(summary.chunks + 1, sizeof(*merge->chunks));
	at = merge->chunks;
	for (unsigned i = 0; at && i < merge->feed_count; i++) {
		struct feed *feed = &merge->feeds[i];

		feed->chunks = at;
		for (uint32_t j = 0; !wm_trace_chunk(merge->trace, j, &chunk); j++)
			if (chunk.stream == feed->thread)
				*at++ = j;
		feed->chunk_count = (uint32_t)(at - feed->chunks);
	}
	return at;
}

/*
 * A thread that ends before the slice begins is left out. A single thread is not: its
 * user gets the error of the seek.
 */
static bool is_too_short(const struct merge *merge, unsigned thread)
{
	const struct slice *slice = &merge->slice;
	struct wm_stream stream;

	if (slice->from_first || merge->feed_count == 1 ||
	    wm_trace_stream(merge->trace, thread, &stream))
		return false;
	return slice->from > (slice->by_insn ? stream.insns : stream.blocks);
}

/*
 * Prepares a thread for the first time. An error of the file is reported when the
 * thread's turn comes, so that everything before it is listed; WM_E_RANGE is the caller's
 * mistake and reported at once. Threads beyond OPEN_AT_FIRST are closed again and keep
 * their time.
 */
static int add_entry(struct merge *merge, struct feed *feed, struct wm_error *err)
{
	struct entry entry = { .feed = feed };
	int ret = prepare(merge, &entry, err);

	if (ret == WM_E_RANGE)
		return ret;
	/* The time of its chunk is all that is known of a thread that cannot be read. */
	if (ret < 0)
		entry.ns = feed->clock.chunk.begin_ns;
	if (ret || merge->n >= OPEN_AT_FIRST) {
		feed_end(feed);
		entry.ready = false;
	}
	if (ret != WM_END)
		merge->heap[merge->n++] = entry;
	return WM_OK;
}

/* Builds the heap bottom-up: children of entry i are 2i + 1 and 2i + 2. */
static int fill_heap(struct merge *merge, struct wm_error *err)
{
	int ret = WM_OK;

	for (unsigned i = 0; i < merge->feed_count && !ret; i++)
		if (!is_too_short(merge, merge->feeds[i].thread))
			ret = add_entry(merge, &merge->feeds[i], err);
	for (unsigned i = merge->n / 2; i-- > 0;)
		sift_down(merge, i);
	return ret;
}

static int begin(struct merge *merge, struct wm_error *err)
{
	bool search = merge->slice.from_first && merge->slice.from;
	int ret = search ? skip_chunks(merge, err) : WM_OK;

	if (!ret)
		ret = fill_heap(merge, err);
	if (!ret && search)
		ret = find_start(merge, err);
	return ret == WM_END ? WM_OK : ret;
}

static struct merge *allocate(const struct wm_trace *trace, const unsigned *threads,
			      unsigned n, const struct slice *slice)
{
	struct merge *merge = calloc(1, sizeof(*merge));

	if (!merge)
		return NULL;
	merge->trace = trace;
	merge->slice = *slice;
	merge->feeds = calloc(n, sizeof(*merge->feeds));
	merge->heap = calloc(n, sizeof(*merge->heap));
	merge->decoders = decoders_new(trace, n);
	if (!merge->feeds || !merge->heap || !merge->decoders)
		goto failed;
	merge->feed_count = n;
	for (unsigned i = 0; i < n; i++) {
		merge->feeds[i].trace = trace;
		merge->feeds[i].thread = threads[i];
		merge->feeds[i].decoders = merge->decoders;
		merge->feeds[i].events_only = slice->events_only;
		if (slice->excerpts)
			merge->feeds[i].excerpts = &slice->excerpts[threads[i]];
	}
	if (give_chunks(merge))
		return merge;
failed:
	merge_free(merge);
	return NULL;
}

int merge_new(struct merge **out, const struct wm_trace *trace, const unsigned *threads,
	      unsigned n, const struct slice *slice, struct wm_error *err)
{
	struct merge *merge = allocate(trace, threads, n, slice);
	int ret;

	if (!merge)
		return wm_fail_nomem(err, "the threads in order");
	ret = begin(merge, err);
	if (ret)
		merge_free(merge);
	else
		*out = merge;
	return ret;
}

void merge_free(struct merge *merge)
{
	if (!merge)
		return;
	for (unsigned i = 0; i < merge->feed_count; i++)
		feed_end(&merge->feeds[i]);
	decoders_free(merge->decoders);
	free(merge->feeds);
	free(merge->heap);
	free(merge->chunks);
	free(merge);
}

/* What find_start() has kept comes before the heap, in its order. */
int merge_next(struct merge *merge, struct feed_item *item, struct wm_error *err)
{
	if (!merge->found_count)
		return take_next(merge, item, err);
	*item = merge->found[0];
	merge->found[0] = merge->found[1];
	merge->found_count--;
	return WM_OK;
}

/* Where an entry is, which is prepared for it; WM_END: its thread has ended. */
static int place_of(const struct merge *merge, struct entry *entry, uint64_t *place,
		    struct wm_error *err)
{
	const struct feed *feed = entry->feed;
	int ret = entry->ready ? 0 : prepare(merge, entry, err);

	if (ret)
		return ret;
	*place = feed->at < feed->n ? feed->step.insn_ordinal + feed->skip :
				      feed->event.insn_ordinal;
	return 0;
}

/* Threads that are not in the heap have ended. What the leader has found comes before it. */
int merge_places(struct merge *merge, uint64_t *places, struct wm_error *err)
{
	struct wm_stream stream;
	int ret = 0;

	for (unsigned i = 0; i < merge->feed_count; i++)
		places[i] =
			wm_trace_stream(merge->trace, merge->feeds[i].thread, &stream) ?
				0 :
				stream.insns;
	for (unsigned i = 0; ret >= 0 && i < merge->n; i++)
		ret = place_of(merge, &merge->heap[i],
			       &places[merge->heap[i].feed - merge->feeds], err);
	if (merge->slice.from_first)
		places[0] = merge->slice.from;
	/* A time may have become later. */
	for (unsigned i = merge->n / 2; i-- > 0;)
		sift_down(merge, i);
	return ret < 0 ? ret : 0;
}
