// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds where a thread reaches an instruction for the N-th time. The histogram of a chunk
 * says how often each block ran in it, so how often the position was reached there needs no
 * decoding: only the chunk with the answer is decoded, and those in which a block that has
 * the position may have been left before it.
 *
 * Example: work@1000, and work() begins in block 7, which ran 600 times in chunk 0 and 900
 * times in chunk 1. Chunk 0 is passed; in chunk 1 the 400th execution of block 7 is it.
 *
 * Invariant: `hits` counts what was reached before the chunk or run at hand.
 */
#include "query/reached_code.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "query/landing.h"
#include "trace/trace.h"

/* The instructions of a block that are the position: the first of n. */
struct block_places {
	bool known;
	uint16_t n, first;
};

struct search {
	struct reaching *reaching;
	struct wm_cursor *cursor;
	struct block_places *places; /* [known + 1] by id, in the space at hand */
	uint32_t space;
	uint64_t found; /* ordinal of the instruction */
};

/* ---- blocks -------------------------------------------------------------- */

static bool is_place(const struct search *search, uint32_t id, uint64_t address)
{
	unsigned wanted = search->reaching->is_to ? REACH_TO : REACH_FROM;

	return landing_at(search->reaching->landing, search->space, id, address) & wanted;
}

static const struct block_places *places_of(const struct search *search, uint32_t id)
{
	struct block_places *places = &search->places[id];
	struct wm_block block;
	uint64_t address;

	if (places->known || wm_trace_block(search->reaching->source->trace, id, &block))
		return places;
	address = block.address;
	for (uint32_t i = 0; i < block.insns; address += block.sizes[i++])
		if (is_place(search, id, address) && !places->n++)
			places->first = (uint16_t)i;
	places->known = true;
	return places;
}

/* The same block may come from another file in another space. */
static void enter_space(struct search *search, uint32_t space)
{
	if (search->space != space)
		memset(search->places, 0,
		       (search->reaching->source->trace->known + 1ul) *
			       sizeof(*search->places));
	search->space = space;
}

/* ---- runs ---------------------------------------------------------------- */

static bool meet(struct search *search, uint64_t insn, uint64_t block, bool inside)
{
	struct reaching *reaching = search->reaching;
	uint64_t at = reaching->by_insn ? insn : block + (reaching->is_to && inside);

	search->found = insn;
	return ++reaching->hits >= reaching->position->times && at >= reaching->least;
}

/* The first `insns` of a block ran. True: it is found there. */
static bool take_block(struct search *search, uint32_t id, uint32_t insns, uint64_t insn,
		       uint64_t block)
{
	const struct block_places *places = places_of(search, id);
	struct wm_block code;
	uint64_t address;

	if (!places->n || places->first >= insns)
		return false;
	if (places->n == 1)
		return meet(search, insn + places->first, block, places->first);
	wm_trace_block(search->reaching->source->trace, id, &code);
	address = code.address;
	for (uint32_t i = 0; i < insns; address += code.sizes[i++])
		if (is_place(search, id, address) && meet(search, insn + i, block, i))
			return true;
	return false;
}

static bool take_run(struct search *search, const uint32_t *ids, size_t n,
		     const struct wm_step *step)
{
	const struct wm_block *blocks = search->reaching->source->trace->table.blocks;
	uint64_t insn = step->insn_ordinal;

	enter_space(search, step->space);
	for (size_t i = 0; i < n; i++) {
		/* A block that was left early comes alone. */
		uint32_t insns = n == 1 ? step->insns : blocks[ids[i]].insns;

		if (take_block(search, ids[i], insns, insn, step->block_ordinal + i))
			return true;
		insn += insns;
	}
	return false;
}

/* ---- chunks -------------------------------------------------------------- */

/* Decodes a chunk. WM_END: it is not found there. */
static int take_chunk(struct search *search, const struct chunk_head *head,
		      struct wm_error *err)
{
	uint64_t end = head->first_block + head->blocks;
	struct wm_step step;
	const uint32_t *ids;
	size_t n;
	int ret = wm_cursor_seek_block(search->cursor, head->first_block, err);

	for (uint64_t block = head->first_block; !ret && block < end; block += n) {
		ret = wm_cursor_next_run(search->cursor, &ids, &n, &step, err);
		if (!ret && take_run(search, ids, n, &step))
			return 0;
	}
	return ret ? ret : WM_END;
}

/* How often the position would be reached if all blocks had run to their ends. */
static int count_hits(struct search *search, uint32_t index, uint64_t *hits,
		      struct wm_error *err)
{
	const struct wm_trace *trace = search->reaching->source->trace;
	struct wm_count *counts;
	size_t n;
	int ret = wm_trace_histogram(trace, index, &counts, &n, err);

	*hits = 0;
	if (ret)
		return ret;
	enter_space(search, trace_chunk_space(trace, &trace->chunks[index]));
	for (size_t i = 0; i < n; i++)
		*hits += counts[i].count * places_of(search, counts[i].id)->n;
	free(counts);
	return 0;
}

/* Passes a chunk, or finds the answer in it. WM_END: the next one is to be looked at. */
static int look_in(struct search *search, uint32_t index, struct wm_error *err)
{
	struct reaching *reaching = search->reaching;
	const struct trace_chunk *chunk = &reaching->source->trace->chunks[index];
	const struct chunk_head *head = &chunk->head;
	uint64_t end = reaching->by_insn ? head->first_insn + head->insns :
					   head->first_block + head->blocks;
	uint64_t hits;
	int ret = count_hits(search, index, &hits, err);

	if (ret || !hits)
		return ret ? ret : WM_END;
	if (!chunk->partials && (reaching->hits + hits < reaching->position->times ||
				 end < reaching->least)) {
		reaching->hits += hits;
		return WM_END;
	}
	return take_chunk(search, head, err);
}

int reached_code_find(struct reaching *reaching, struct wm_cursor *cursor, uint64_t *insn,
		      struct wm_error *err)
{
	static const struct position none = { .kind = POSITION_NONE };
	const struct wm_trace *trace = reaching->source->trace;
	const struct trace_stream *stream = &trace->streams[reaching->stream];
	struct search search = { .reaching = reaching, .cursor = cursor };
	int ret = WM_OK;

	if (!reaching->landing)
		ret = landing_new(&reaching->landing, reaching->source,
				  reaching->is_to ? &none : reaching->position,
				  reaching->is_to ? reaching->position : &none, err);
	if (ret)
		return ret;
	search.places = calloc(trace->known + 1ul, sizeof(*search.places));
	ret = search.places ? WM_END : wm_fail_nomem(err, "places");
	for (uint32_t i = 0; ret == WM_END && i < stream->chunk_count; i++)
		ret = look_in(&search, stream->chunks[i], err);
	free(search.places);
	*insn = search.found;
	return ret;
}
