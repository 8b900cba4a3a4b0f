// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A thread's blocks by ordinal, in both directions. A cursor reads forwards only, and a
 * chunk decodes alone, in about 20 ms. So a chunk is decoded as a whole into an array of
 * ids (a reel), and a step back is a step in the array. Two reels are kept, because steps
 * forwards and back across the bound of two chunks would otherwise decode a chunk each.
 *
 * Ordinals of instructions are not stored for each block: only the first of every MILE
 * blocks has one, and the others are sums from there. A chunk of 2^23 ids needs 32 MiB
 * for the ids and 256 KiB for miles, instead of 64 MiB more.
 *
 * Example: block 300 of a chunk. Mile 1 has the ordinal of block 256's first instruction;
 * the sizes of the 44 blocks from 256 to 299 are added to it.
 *
 * Invariant: a gap has 0 instructions, so it takes part in all sums, and every function
 * that returns a block skips it.
 */
#include "browse/tape.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

enum { MILE = 256, KEPT = 2 };

/* A decoded chunk. All zeros except .chunk = SIZE_MAX when it is empty. */
struct reel {
	size_t chunk;	 /* index into tape->chunks; SIZE_MAX: empty */
	uint32_t *ids;	 /* [blocks] */
	uint64_t *miles; /* [blocks / MILE + 1] ordinals of first instructions */
	struct wm_partial *partials; /* [n_partials] in order */
	size_t n_partials;
	uint64_t used; /* the higher, the later */
};

struct tape {
	const struct wm_trace *trace;
	struct wm_cursor *cursor;
	struct wm_stream stream;
	struct wm_chunk *chunks; /* [n] of the thread, in order */
	uint64_t *numbers;	 /* [n] of them in the trace */
	size_t n;
	uint64_t clock;
	struct reel reels[KEPT];
};

/* ---- chunks ---------------------------------------------------------------- */

/*
 * Chunks of all streams are in one list. A lost chunk is left out, which leaves a hole in
 * the ordinals of blocks and of instructions. One entry more than needed, of zeros:
 * calloc(0) may return NULL, and tape_first() reads chunks[0] also of a thread that has
 * no chunk.
 */
static int list_chunks(struct tape *tape, unsigned stream, struct wm_error *err)
{
	struct wm_chunk chunk;

	tape->chunks = calloc(tape->stream.chunks + 1, sizeof(*tape->chunks));
	tape->numbers = calloc(tape->stream.chunks + 1, sizeof(*tape->numbers));
	if (!tape->chunks || !tape->numbers)
		return wm_fail_nomem(err, "a thread");
	for (uint64_t i = 0; !wm_trace_chunk(tape->trace, i, &chunk); i++) {
		if (chunk.stream != stream || chunk.lost ||
		    tape->n == tape->stream.chunks)
			continue;
		tape->numbers[tape->n] = i;
		tape->chunks[tape->n++] = chunk;
	}
	return 0;
}

/*
 * The last chunk that begins at or before a block. Invariant of the search: chunk `low`
 * begins at or before the block or is the first, and chunk `high` begins after it or does
 * not exist.
 */
static size_t chunk_of(const struct tape *tape, uint64_t ordinal)
{
	size_t low = 0, high = tape->n;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (tape->chunks[middle].first_block <= ordinal)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static void reel_clear(struct reel *reel)
{
	free(reel->ids);
	free(reel->miles);
	free(reel->partials);
	*reel = (struct reel){ .chunk = SIZE_MAX };
}

/*
 * How many instructions of block `at` of the chunk began. Partial blocks are listed per
 * chunk, sorted by ordinal, and are rare; all others ran to their end. 0 for a gap and
 * for an id that the trace does not define.
 */
static uint32_t insns_at(const struct tape *tape, const struct reel *reel, uint64_t at)
{
	uint64_t ordinal = tape->chunks[reel->chunk].first_block + at;
	struct wm_block block;
	size_t low = 0, high = reel->n_partials;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (reel->partials[middle].block_ordinal < ordinal)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < reel->n_partials && reel->partials[low].block_ordinal == ordinal)
		return reel->partials[low].insns;
	return wm_trace_block(tape->trace, reel->ids[at], &block) ? 0 : block.insns;
}

/*
 * A cursor returns runs that end at each event, gap and partial block; together they are
 * the ids of the chunk without holes. The last run is cut in case it reaches beyond what
 * the chunk's header announced, for which `ids` has no room.
 */
static int read_ids(struct tape *tape, const struct wm_chunk *chunk, uint32_t *ids,
		    struct wm_error *err)
{
	int ret = wm_cursor_seek_block(tape->cursor, chunk->first_block, err);

	for (uint64_t done = 0; !ret && done < chunk->blocks;) {
		const uint32_t *run;
		struct wm_step step;
		size_t n;

		ret = wm_cursor_next_run(tape->cursor, &run, &n, &step, err);
		if (ret > 0)
			return wm_fail(err, WM_E_DAMAGED, chunk->file_off,
				       "a chunk ends early");
		if (ret)
			break;
		n = n < chunk->blocks - done ? n : (size_t)(chunk->blocks - done);
		memcpy(ids + done, run, n * sizeof(*run));
		done += n;
	}
	return ret;
}

/* Needs reel->chunk, ids and partials: insns_at() reads all three. */
static void set_miles(const struct tape *tape, struct reel *reel)
{
	const struct wm_chunk *chunk = &tape->chunks[reel->chunk];
	uint64_t insn = chunk->first_insn;

	for (uint64_t i = 0; i < chunk->blocks; i++) {
		if (i % MILE == 0)
			reel->miles[i / MILE] = insn;
		insn += insns_at(tape, reel, i);
	}
}

/*
 * Invariant: reel->chunk is set only after everything else is loaded, so a failure leaves
 * an empty reel that no later call takes for a decoded chunk.
 */
static int reel_load(struct tape *tape, struct reel *reel, size_t index,
		     struct wm_error *err)
{
	const struct wm_chunk *chunk = &tape->chunks[index];
	int ret;

	reel_clear(reel);
	reel->ids = malloc((chunk->blocks + 1) * sizeof(*reel->ids));
	reel->miles = malloc((chunk->blocks / MILE + 1) * sizeof(*reel->miles));
	if (!reel->ids || !reel->miles) {
		reel_clear(reel);
		return wm_fail_nomem(err, "a chunk");
	}
	ret = wm_trace_partials(tape->trace, tape->numbers[index], &reel->partials,
				&reel->n_partials, err);
	if (!ret)
		ret = read_ids(tape, chunk, reel->ids, err);
	if (ret) {
		reel_clear(reel);
		return ret;
	}
	reel->chunk = index;
	set_miles(tape, reel);
	return 0;
}

/*
 * The decoded chunk `index`. When it is not kept, it replaces the one that was used
 * longest ago. An empty reel has `used` 0 and so is taken first. Valid until two other
 * chunks are loaded.
 */
static int reel_of(struct tape *tape, size_t index, struct reel **out,
		   struct wm_error *err)
{
	struct reel *oldest = &tape->reels[0];
	int ret = 0;

	for (unsigned i = 0; i < KEPT; i++) {
		struct reel *reel = &tape->reels[i];

		if (reel->chunk == index) {
			oldest = reel;
			break;
		}
		if (reel->used < oldest->used)
			oldest = reel;
	}
	if (oldest->chunk != index)
		ret = reel_load(tape, oldest, index, err);
	oldest->used = ++tape->clock;
	*out = oldest;
	return ret;
}

/* ---- positions ------------------------------------------------------------- */

/*
 * Costs at most MILE - 1 additions. tape_next() and tape_previous() avoid even these,
 * because they know the ordinal of the neighbouring block.
 */
static void fill_in(const struct tape *tape, const struct reel *reel, uint64_t at,
		    struct tape_block *block)
{
	const struct wm_chunk *chunk = &tape->chunks[reel->chunk];

	*block = (struct tape_block){
		.ordinal = chunk->first_block + at,
		.insn = reel->miles[at / MILE],
		.id = reel->ids[at],
		.space = chunk->space,
		.insns = insns_at(tape, reel, at),
	};
	for (uint64_t i = at - at % MILE; i < at; i++)
		block->insn += insns_at(tape, reel, i);
}

/*
 * The chunk, then the mile, then the block. Chunks are few (a thread of 10^9 blocks has
 * some 120), so a linear search does. An instruction in a lost chunk is found in none:
 * WM_END. The final loop skips gaps, whose 0 instructions can hold no ordinal.
 */
int tape_seek(struct tape *tape, uint64_t ordinal, struct tape_block *block,
	      struct wm_error *err)
{
	uint64_t low = 0, high, at;
	struct reel *reel;
	size_t index = 0;
	int ret;

	while (index + 1 < tape->n && tape->chunks[index + 1].first_insn <= ordinal)
		index++;
	if (!tape->n || ordinal < tape->chunks[index].first_insn ||
	    ordinal - tape->chunks[index].first_insn >= tape->chunks[index].insns)
		return WM_END;
	ret = reel_of(tape, index, &reel, err);
	if (ret)
		return ret;
	/* The last mile that begins at or before the instruction. */
	high = (tape->chunks[index].blocks + MILE - 1) / MILE;
	while (high - low > 1) {
		uint64_t middle = low + (high - low) / 2;

		if (reel->miles[middle] <= ordinal)
			low = middle;
		else
			high = middle;
	}
	at = low * MILE;
	fill_in(tape, reel, at, block);
	while (ordinal - block->insn >= block->insns &&
	       ++at < tape->chunks[index].blocks) {
		block->insn += block->insns;
		block->insns = insns_at(tape, reel, at);
	}
	fill_in(tape, reel, at, block);
	return 0;
}

uint64_t tape_first(const struct tape *tape)
{
	return tape->chunks[0].first_insn;
}

uint64_t tape_end(const struct tape *tape)
{
	return tape->stream.insns;
}

/*
 * `at` counts on from the block; when the chunk ends, the outer loop enters the next one
 * at 0.
 */
int tape_next(struct tape *tape, struct tape_block *block, struct wm_error *err)
{
	size_t index = chunk_of(tape, block->ordinal);
	uint64_t at = block->ordinal - tape->chunks[index].first_block + 1;
	uint64_t insn = block->insn + block->insns;
	struct reel *reel;
	int ret;

	for (;; at = 0, index++) {
		if (index == tape->n)
			return WM_END;
		if (at >= tape->chunks[index].blocks)
			continue;
		ret = reel_of(tape, index, &reel, err);
		if (ret)
			return ret;
		/* A lost chunk lies between: its instructions have ordinals, too. */
		if (at == 0)
			insn = tape->chunks[index].first_insn;
		for (; at < tape->chunks[index].blocks; at++) {
			uint32_t insns = insns_at(tape, reel, at);

			if (!insns)
				continue;
			*block = (struct tape_block){
				.ordinal = tape->chunks[index].first_block + at,
				.insn = insn,
				.id = reel->ids[at],
				.space = tape->chunks[index].space,
				.insns = insns,
			};
			return 0;
		}
	}
}

/*
 * Mirrors tape_next(). `end` is the ordinal after the instructions that are still before
 * the position, so a block's first ordinal is `end` minus its size. A block that is the
 * first of its chunk does not need that chunk, which is therefore not decoded again (`at`
 * is 0).
 */
int tape_previous(struct tape *tape, struct tape_block *block, struct wm_error *err)
{
	size_t index = chunk_of(tape, block->ordinal);
	uint64_t at = block->ordinal - tape->chunks[index].first_block;
	uint64_t end = block->insn; /* of the instructions before */
	struct reel *reel;
	int ret;

	for (;;) {
		ret = at ? reel_of(tape, index, &reel, err) : 0;
		if (ret)
			return ret;
		while (at--) {
			uint32_t insns = insns_at(tape, reel, at);

			if (!insns)
				continue;
			*block = (struct tape_block){
				.ordinal = tape->chunks[index].first_block + at,
				.insn = end - insns,
				.id = reel->ids[at],
				.space = tape->chunks[index].space,
				.insns = insns,
			};
			return 0;
		}
		if (!index--)
			return WM_END;
		at = tape->chunks[index].blocks;
		end = tape->chunks[index].first_insn + tape->chunks[index].insns;
	}
}

/*
 * Makes a block of a chunk's bound without decoding the chunk. Only its ordinals are
 * right: the next step leaves the chunk and reads nothing else.
 */
static void stand_at(const struct wm_chunk *chunk, bool back, struct tape_block *block)
{
	block->ordinal = chunk->first_block + (back ? 0 : chunk->blocks - 1);
	block->insn = chunk->first_insn + (back ? 0 : chunk->insns - 1);
	block->insns = 1;
}

/* A histogram is stored beside the chunk and read without decoding it. */
static int chunk_has(const struct tape *tape, size_t index, tape_wanted *wanted,
		     void *cookie, bool *has, struct wm_error *err)
{
	struct wm_count *counts;
	size_t n;
	int ret = wm_trace_histogram(tape->trace, tape->numbers[index], &counts, &n, err);

	*has = false;
	for (size_t i = 0; !ret && i < n && !*has; i++)
		*has = wanted(cookie, counts[i].id, tape->chunks[index].space);
	if (!ret)
		free(counts);
	return ret;
}

/*
 * Acts only at the bound of a chunk: inside it, the caller has the decoded ids anyway.
 * Stops before the first chunk that has a wanted block, or at the last chunk of all; the
 * caller's next step then enters that chunk or finds the end of the thread.
 */
int tape_skip(struct tape *tape, struct tape_block *block, bool back, tape_wanted *wanted,
	      void *cookie, struct wm_error *err)
{
	size_t index = chunk_of(tape, block->ordinal);
	const struct wm_chunk *chunk = &tape->chunks[index];

	if (block->ordinal != chunk->first_block + (back ? 0 : chunk->blocks - 1))
		return 0;
	while (back ? index > 0 : index + 1 < tape->n) {
		bool has;
		int ret;

		index = back ? index - 1 : index + 1;
		ret = chunk_has(tape, index, wanted, cookie, &has, err);
		if (ret || has)
			return ret;
		stand_at(&tape->chunks[index], back, block);
	}
	return 0;
}

/* ---- life ------------------------------------------------------------------ */

int tape_new(struct tape **out, const struct wm_trace *trace, unsigned stream,
	     struct wm_error *err)
{
	struct tape *tape = calloc(1, sizeof(*tape));
	int ret;

	if (!tape)
		return wm_fail_nomem(err, "a thread");
	tape->trace = trace;
	for (unsigned i = 0; i < KEPT; i++)
		tape->reels[i].chunk = SIZE_MAX;
	ret = wm_cursor_new(&tape->cursor, trace, stream, err);
	if (!ret) {
		wm_trace_stream(trace, stream, &tape->stream);
		ret = list_chunks(tape, stream, err);
	}
	*out = tape;
	if (ret) {
		tape_free(tape);
		*out = NULL;
	}
	return ret;
}

void tape_free(struct tape *tape)
{
	if (!tape)
		return;
	for (unsigned i = 0; i < KEPT; i++)
		reel_clear(&tape->reels[i]);
	wm_cursor_free(tape->cursor);
	free(tape->chunks);
	free(tape->numbers);
	free(tape);
}
