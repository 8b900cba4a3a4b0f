// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decoders by least recent use. With no more cursors than decoders nothing is ever
 * decoded twice. With more, a window that is as long as memory allows makes that rare.
 *
 * Example: 300 cursors get windows of 98,304 ids, 6 pieces each. A chunk of 8 Mi ids
 * takes 86 windows. When each starts over from the beginning of the chunk, its ids are
 * decoded some forty times over, which takes less time than printing them.
 */
#include "trace/decoders.h"

#include <stdlib.h>
#include <string.h>

#define NO_CHUNK UINT64_MAX

struct slot {
	struct decoder *decoder; /* NULL: not made yet */
	struct buf raw;		 /* the strings of the chunk, which the decoder reads */
	uint64_t chunk;		 /* of the trace, or NO_CHUNK */
	uint64_t used;		 /* time of the last use, counted in uses */
};

struct decoders {
	const struct wm_trace *trace;
	uint32_t cursors;
	uint64_t now;
	struct slot slots[DECODERS];
	unsigned n_slots; /* in use: a single cursor is in one chunk at a time */
	struct decoders_tenant tenants; /* a ring of all; after it comes the latest */
	size_t values, values_most;	/* bytes */
};

struct decoders *decoders_new(const struct wm_trace *trace, uint32_t cursors)
{
	struct decoders *decoders = calloc(1, sizeof(*decoders));

	if (!decoders)
		return NULL;
	decoders->trace = trace;
	decoders->cursors = cursors;
	decoders->n_slots = cursors == 1 ? 1 : DECODERS;
	decoders->tenants.before = decoders->tenants.after = &decoders->tenants;
	decoders->values_most = DECODERS_VALUES;
	for (unsigned i = 0; i < DECODERS; i++)
		decoders->slots[i].chunk = NO_CHUNK;
	return decoders;
}

void decoders_free(struct decoders *decoders)
{
	if (!decoders)
		return;
	for (unsigned i = 0; i < DECODERS; i++) {
		decoder_free(decoders->slots[i].decoder);
		buf_fini(&decoders->slots[i].raw);
	}
	free(decoders);
}

uint32_t decoders_window(const struct decoders *decoders)
{
	uint32_t ids;

	/* Each cursor has a decoder of its own, which keeps the chunk. */
	if (decoders->cursors <= DECODERS)
		return DECODER_PIECE;
	/* Whole pieces: copy_piece() decodes no part of one twice. */
	ids = DECODERS_WINDOWS / decoders->cursors;
	if (ids > DECODERS_WINDOW_MOST)
		return DECODERS_WINDOW_MOST;
	return ids < DECODER_PIECE ? DECODER_PIECE : ids - ids % DECODER_PIECE;
}

/* The slot that has the chunk, else the least recently used one. */
static struct slot *find_slot(struct decoders *decoders, uint64_t index)
{
	struct slot *oldest = decoders->slots;

	for (unsigned i = 0; i < decoders->n_slots; i++) {
		struct slot *slot = &decoders->slots[i];

		if (slot->chunk == index)
			return slot;
		if (slot->used < oldest->used)
			oldest = slot;
	}
	return oldest;
}

/*
 * Gives the chunk a slot. Begins to decode it when it had none, or when its events are
 * requested: these are not kept.
 */
static int enter(struct decoders *decoders, uint64_t index, struct slot **out,
		 struct span *events, struct wm_error *err)
{
	struct slot *slot = find_slot(decoders, index);
	struct span unwanted;
	int ret;

	*out = slot;
	slot->used = ++decoders->now;
	if (slot->chunk == index && !events)
		return 0;
	/* If anything below fails, the slot has no chunk. */
	slot->chunk = NO_CHUNK;
	if (!slot->decoder)
		slot->decoder = decoder_new();
	if (!slot->decoder)
		return wm_fail_nomem(err, "decoding a chunk");
	ret = trace_begin(decoders->trace, index, slot->decoder, &slot->raw,
			  events ? events : &unwanted, err);
	if (!ret)
		slot->chunk = index;
	return ret;
}

int decoders_begin(struct decoders *decoders, uint64_t index, struct buf *raw,
		   struct span *events, struct wm_error *err)
{
	struct slot *slot;
	struct span found;
	int ret = enter(decoders, index, &slot, &found, err);

	if (ret)
		return ret;
	/*
	 * Copied: the slot can go to another chunk while the caller still reads the
	 * events.
	 */
	buf_fini(raw);
	buf_put(raw, found.at, span_left(&found));
	if (raw->failed)
		return wm_fail_nomem(err, "the events of a chunk");
	*events = span_of(raw->data, raw->len);
	return 0;
}

/*
 * Copies ids from position `first` to the end of its piece, `most` at most; *n of them.
 */
static int copy_piece(const struct decoders *decoders, const struct slot *slot,
		      uint32_t first, uint32_t *ids, uint32_t most, uint32_t *n,
		      struct wm_error *err)
{
	/*
	 * The same pieces as for a reader from the start, so that an error shows at the
	 * same block.
	 */
	uint32_t skip = first % DECODER_PIECE;
	const uint32_t *piece;
	int ret = trace_decode(decoders->trace, slot->chunk, slot->decoder, first - skip,
			       &piece, n, err);

	if (ret)
		return ret;
	*n -= skip;
	if (*n > most)
		*n = most;
	memcpy(ids, piece + skip, *n * sizeof(*ids));
	return 0;
}

int decoders_read(struct decoders *decoders, uint64_t index, uint32_t first,
		  uint32_t *ids, uint32_t *n, struct wm_error *err)
{
	uint32_t done = 0, got;
	struct slot *slot;
	int ret = enter(decoders, index, &slot, NULL, err);

	for (; !ret && done < *n; done += got) {
		ret = copy_piece(decoders, slot, first + done, ids + done, *n - done,
				 &got, err);
		if (ret)
			break;
	}
	*n = done;
	/* An error after some ids shows again with the next call, which gets none. */
	return done ? 0 : ret;
}

/* ---- values -------------------------------------------------------------- */

void decoders_leave(struct decoders *decoders, struct decoders_tenant *tenant)
{
	if (!tenant->bytes)
		return;
	tenant->before->after = tenant->after;
	tenant->after->before = tenant->before;
	decoders->values -= tenant->bytes;
	tenant->bytes = 0;
}

void decoders_use(struct decoders *decoders, struct decoders_tenant *tenant, size_t bytes)
{
	struct decoders_tenant *ring = &decoders->tenants;

	decoders_leave(decoders, tenant);
	if (!bytes)
		return;
	tenant->bytes = bytes;
	decoders->values += bytes;
	tenant->before = ring;
	tenant->after = ring->after;
	ring->after->before = tenant;
	ring->after = tenant;
	while (decoders->values > decoders->values_most && ring->before != tenant) {
		struct decoders_tenant *oldest = ring->before;

		decoders_leave(decoders, oldest);
		oldest->drop(oldest);
	}
}

void decoders_limit_values(struct decoders *decoders, size_t bytes)
{
	decoders->values_most = bytes;
}
