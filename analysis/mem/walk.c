// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walks the accesses of a thread with a cursor, and finds the last one that matches.
 *
 * A run of blocks is taken in parts of PART_BLOCKS, so that a part's accesses stay in the
 * processor's cache. An access that is not wanted costs a comparison: its ordinal and its
 * address are computed only afterwards.
 *
 * Values decode forwards only, from the beginning of a chunk. mem_last() therefore walks
 * one chunk after the other, from the chunk of the last wanted instruction back, and
 * keeps the last access that it meets in a chunk.
 *
 * Example: in a thread of 90 chunks an address was last written in chunk 88, counted from
 * 0. Chunk 89 has no match, 88 has: two chunks are decoded.
 */
#include "analysis/mem/walk.h"

#include "analysis/accesses.h"
#include "base/error.h"
#include "trace/cursor.h"
#include "trace/trace.h"

enum { PART_BLOCKS = 256 };

struct walk {
	const struct wm_trace *trace;
	struct wm_cursor *cursor;
	const struct mem_wanted *wanted;
	int (*take)(void *cookie, const struct mem_access *access, struct wm_error *err);
	void *cookie;
	struct mem_access at;	/* the access at hand; `stream` is set once */
	struct mem_bytes bytes; /* that are wanted in the space at hand */
	bool over; /* the end of what is wanted was met, not one of take()'s */
};

static bool is_wanted(const struct mem_wanted *wanted, const struct mem_bytes *bytes,
		      const struct wm_access *access)
{
	if (wanted->others || access->kind > WM_ACCESS_STORE)
		return wanted->others && access->kind > WM_ACCESS_STORE;
	return mem_bytes_touched(bytes, access) &&
	       (!wanted->stores_only || access->kind == WM_ACCESS_STORE);
}

uint64_t mem_pc(const struct wm_block *block, uint32_t insn)
{
	uint64_t pc = block->address;

	for (uint32_t i = 0; i < insn; i++)
		pc += block->sizes[i];
	return pc;
}

/*
 * Accesses of blocks ids[]; `insn` is the ordinal of the first instruction of ids[0].
 * WM_END at the end of what is wanted: accesses come in the order of their instructions.
 */
static int take_part(struct walk *walk, const uint32_t *ids, uint64_t insn,
		     const struct wm_access *accesses, size_t n, struct wm_error *err)
{
	const struct wm_block *blocks = walk->trace->table.blocks;
	struct access_places places = { blocks, ids, 0, insn };
	int ret = 0;

	for (size_t i = 0; !ret && i < n; i++) {
		const struct wm_access *access = &accesses[i];
		uint32_t id = ids[access->block];

		/* Skipping is safe: access_insn() catches up over the blocks between. */
		if (!is_wanted(walk->wanted, &walk->bytes, access))
			continue;
		walk->at.insn = access_insn(&places, access);
		if (walk->at.insn < walk->wanted->from)
			continue;
		if (walk->at.insn >= walk->wanted->to) {
			walk->over = true;
			return WM_END;
		}
		walk->at.id = id;
		walk->at.pc = mem_pc(&blocks[id], access->insn);
		walk->at.access = access;
		ret = walk->take(walk->cookie, &walk->at, err);
	}
	return ret;
}

static int take_run(struct walk *walk, const uint32_t *ids, size_t n,
		    const struct wm_step *step, struct wm_error *err)
{
	const struct wm_block *blocks = walk->trace->table.blocks;
	uint64_t insn = step->insn_ordinal;
	const struct wm_access *accesses;
	size_t part, count;
	int ret = 0;

	walk->at.space = step->space;
	walk->bytes = walk->wanted->spaces ? walk->wanted->spaces[step->space] :
					     walk->wanted->bytes;
	if (walk->bytes.first > walk->bytes.last)
		return 0;
	for (size_t done = 0; !ret && done < n && insn < walk->wanted->to; done += part) {
		part = n - done < PART_BLOCKS ? n - done : PART_BLOCKS;
		ret = cursor_part_accesses(walk->cursor, (uint32_t)done, (uint32_t)part,
					   &accesses, &count, err);
		if (ret == WM_END)
			return 0; /* no values were recorded for this chunk */
		if (!ret)
			ret = take_part(walk, ids + done, insn, accesses, count, err);
		for (size_t i = 0; i < part; i++)
			insn += blocks[ids[done + i]].insns;
	}
	return ret;
}

/* 0 at the end of the thread or of what is wanted, or what `take` ended the walk with. */
static int go(struct walk *walk, struct wm_error *err)
{
	const uint32_t *ids;
	struct wm_step step;
	int ret, taken = 0;
	size_t n;

	do {
		ret = wm_cursor_next_run(walk->cursor, &ids, &n, &step, err);
		if (!ret && step.insn_ordinal >= walk->wanted->to)
			return 0;
		if (!ret)
			taken = take_run(walk, ids, n, &step, err);
	} while (!ret && !taken);
	return ret == WM_END || walk->over ? 0 : ret ? ret : taken;
}

int mem_walk(const struct wm_trace *trace, unsigned stream,
	     const struct mem_wanted *wanted,
	     int (*take)(void *cookie, const struct mem_access *access,
			 struct wm_error *err),
	     void *cookie, struct wm_error *err)
{
	struct walk walk = {
		.trace = trace,
		.wanted = wanted,
		.take = take,
		.cookie = cookie,
		.at = { .stream = stream },
	};
	int ret = trace_load(trace, err);

	if (!ret)
		ret = wm_cursor_new(&walk.cursor, trace, stream, err);
	if (!ret && wanted->excerpts)
		cursor_select(walk.cursor, &wanted->excerpts[stream]);
	/* To seek beyond the last instruction is an error; nothing is there to walk. */
	if (!ret && wanted->from < trace->streams[stream].insns)
		ret = wm_cursor_seek_insn(walk.cursor, wanted->from, err);
	if (!ret && wanted->from < trace->streams[stream].insns)
		ret = go(&walk, err);
	wm_cursor_free(walk.cursor);
	return ret;
}

/* ---- backwards --------------------------------------------------------------------------- */

struct last {
	struct mem_access access;
	struct wm_access values;
	bool found;
};

/* The access that `take` gets is valid during the call, so its values are copied. */
static int keep(void *cookie, const struct mem_access *access, struct wm_error *err)
{
	struct last *last = cookie;

	(void)err;
	last->access = *access;
	last->values = *access->access;
	last->found = true;
	return 0;
}

int mem_last(const struct wm_trace *trace, unsigned stream,
	     const struct mem_wanted *wanted, struct mem_access *access,
	     struct wm_access *values, struct wm_error *err)
{
	const struct trace_stream *of = &trace->streams[stream];
	struct last last = { .found = false };
	int ret = 0;

	for (uint32_t i = of->chunk_count; i-- > 0 && !ret && !last.found;) {
		const struct chunk_head *head = &trace->chunks[of->chunks[i]].head;
		struct mem_wanted part = *wanted;

		/*
		 * Chunks after the wanted part; and lost ones, which cannot be decoded.
		 */
		if (head->first_insn >= wanted->to || chunk_is_lost(head))
			continue;
		if (part.from < head->first_insn)
			part.from = head->first_insn;
		if (part.to > head->first_insn + head->insns)
			part.to = head->first_insn + head->insns;
		/*
		 * This chunk ends before the first wanted instruction, and so do all
		 * before it.
		 */
		if (part.from >= part.to)
			break;
		ret = mem_walk(trace, stream, &part, keep, &last, err);
	}
	if (ret < 0)
		return ret;
	*access = last.access;
	*values = last.values;
	access->access = values;
	return last.found ? 0 : WM_END;
}

uint64_t mem_missing(const struct wm_trace *trace, unsigned stream)
{
	const struct trace_stream *of = &trace->streams[stream];
	uint64_t insns = 0;

	for (uint32_t i = 0; i < of->chunk_count; i++)
		if (!trace->chunks[of->chunks[i]].values.off)
			insns += trace->chunks[of->chunks[i]].head.insns;
	return insns;
}
