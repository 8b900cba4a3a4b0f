// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * record --last: only the newest chunks stay in the file.
 *
 * 	file	[A0][B0][A1][B1][A2]		wanted: 3 chunks' bytes
 * 	beside	[A1][B1][A2]			copied a little with each chunk that comes
 * 	then	rename(): the new one is the file, and the old one is gone
 *
 * A compaction starts when at least half of what would stay can be dropped, so each byte
 * is copied at most three times while it is among the newest. It is spread over the
 * chunks that come meanwhile (STEP_BYTES), so that the collector never stops for long.
 * Both files are sound at any moment: whatever is killed, and when, one of that name can
 * be read.
 *
 * By bytes, chunks are dropped from the oldest on, whatever their stream: when one is
 * dropped so are all before it. By instructions, each stream is judged by itself, and at
 * the end the first chunk that stays is trimmed to the instruction (collect/trim.c).
 *
 * Example: --last 64M, so chunks have 4 MiB. At 96 MiB the 8 oldest ones can go: 32 MiB,
 * half of the 64 that stay. The other 16 are copied. If the 8 had 3,000,000 blocks of
 * thread 0, its first chunk that stays began at block 3,000,000 and begins at 0 now.
 *
 * Invariant: chunks[] are the chunks of the file, in order, and streams[i].dropped is
 * what stream i has lost before the first of its chunks. An ordinal in the file is the
 * run's less that.
 */
#include "collect/newest.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "collect/moved_notes.h"
#include "collect/trim.h"
#include "format/records.h"
#include "format/section.h"
#include "format/values_strings.h"

/* Bytes of a row of the table of contents; of what follows the last chunk, about. */
#define LISTED_BYTES 16u
#define END_BYTES 512u

#define LEAST_BYTES (256u << 10) /* to drop: a compaction is a file made and renamed */
#define STEP_BYTES (1u << 20)	 /* copied for each chunk, at least: half a millisecond */
#define STEP_FACTOR 4		 /* ... or as many times what was added */

/*
 * A chunk costs some 0.3 ms whatever is in it, and more where many blocks are known: see
 * docs/decisions/partial-recording.md.
 */
#define CHUNK_BLOCKS_LEAST (1u << 18)
#define CHUNK_BYTES_LEAST 16384u
#define CHUNKS_KEPT 16

struct newest_chunk {
	uint64_t section;  /* its CHNK's number, the last of its sections */
	uint64_t sections; /* 2: its PATH is the one before; 3: its VALS is between them */
	uint64_t moved;	   /* the CHNK's number in the file that it is copied to */
	uint64_t bytes;	   /* of all */
	uint64_t blocks, insns;
	struct dropped first; /* of a chunk that stays: what is trimmed off its front */
	uint32_t stream;
	bool drops; /* it goes as a whole */
};

struct newest_stream {
	struct dropped dropped; /* what is not in the file */
	struct dropped drops;	/* what the running compaction drops on top */
	uint64_t stays_insns;	/* scratch */
};

void newest_init(struct newest *newest, const struct newest_wish *wish)
{
	*newest = (struct newest){ .wish = *wish, .least_bytes = LEAST_BYTES };
}

void newest_fini(struct newest *newest)
{
	writer_abort(newest->to);
	buf_fini(&newest->stored);
	free(newest->chunks);
	free(newest->streams);
}

static bool is_asked(const struct newest *newest)
{
	return newest->wish.bytes || newest->wish.insns;
}

static uint32_t within(uint64_t value, uint32_t least, uint32_t most)
{
	return value < least ? least : value > most ? most : (uint32_t)value;
}

struct stream_limits newest_limits(const struct newest *newest)
{
	/*
	 * Chunks must be small beside what is wanted, because they are dropped whole:
	 * with CHUNKS_KEPT of them, one chunk more or less is a sixteenth.
	 */
	struct stream_limits limits = stream_no_limits;

	if (newest->wish.insns)
		limits.blocks = within(newest->wish.insns / CHUNKS_KEPT,
				       CHUNK_BLOCKS_LEAST, STREAM_CHUNK_BLOCKS);
	if (newest->wish.bytes)
		limits.bytes = within(newest->wish.bytes / CHUNKS_KEPT, CHUNK_BYTES_LEAST,
				      UINT32_MAX);
	return limits;
}

struct dropped newest_dropped(const struct newest *newest, uint32_t stream)
{
	return stream < newest->stream_count ? newest->streams[stream].dropped :
					       (struct dropped){ 0, 0 };
}

uint64_t newest_dropped_insns(const struct newest *newest)
{
	uint64_t insns = 0;

	for (uint32_t i = 0; i < newest->stream_count; i++)
		insns += newest->streams[i].dropped.insns;
	return insns;
}

/* ---- what could be dropped ----------------------------------------------- */

static bool know_stream(struct newest *newest, uint32_t stream)
{
	/* Streams are numbered from 0 without gaps, so the list is an array by index. */
	while (newest->stream_count <= stream)
		if (!APPEND(newest->streams, newest->stream_count,
			    ((struct newest_stream){ 0 })))
			return false;
	return true;
}

/* Bytes of the complete file that are not chunks. */
static uint64_t other_bytes(const struct newest *newest, const struct writer *writer)
{
	uint64_t bytes =
		writer_bytes(writer) + LISTED_BYTES * writer_sections(writer) + END_BYTES;

	for (uint32_t i = 0; i < newest->chunk_count; i++)
		bytes -= newest->chunks[i].bytes;
	return bytes;
}

/*
 * Bytes for chunks. If definitions alone fill the wanted size, chunks get a quarter of it
 * on top: a recording without chunks would be of no use.
 */
static uint64_t room_for_chunks(const struct newest *newest, const struct writer *writer)
{
	uint64_t wanted = newest->wish.bytes, others = other_bytes(newest, writer);
	uint64_t last = newest->chunks[newest->chunk_count - 1].bytes;

	return others + last <= wanted ? wanted - others : wanted / 4;
}

/* Whether the chunk stays, when all after it have been judged. */
static bool is_wanted(const struct newest *newest, const struct newest_chunk *chunk,
		      uint64_t room)
{
	const struct newest_stream *stream = &newest->streams[chunk->stream];

	if (newest->wish.insns)
		return stream->stays_insns < newest->wish.insns;
	/* The newest chunk stays whatever its size. */
	return chunk->bytes <= room || chunk == &newest->chunks[newest->chunk_count - 1];
}

/* Resets all marks. */
static void mark_none(struct newest *newest)
{
	for (uint32_t i = 0; i < newest->stream_count; i++) {
		newest->streams[i].drops = (struct dropped){ 0, 0 };
		newest->streams[i].stays_insns = 0;
	}
}

/* Marks the chunks to drop, from the newest one back. Returns their bytes. */
static uint64_t mark(struct newest *newest, const struct writer *writer)
{
	uint64_t room = newest->chunk_count ? room_for_chunks(newest, writer) : 0;
	uint64_t drops = 0;

	mark_none(newest);
	for (uint32_t i = newest->chunk_count; i-- > 0;) {
		struct newest_chunk *chunk = &newest->chunks[i];
		struct newest_stream *stream = &newest->streams[chunk->stream];

		chunk->first = (struct dropped){ 0, 0 };
		/*
		 * By bytes, once one chunk is dropped all older ones are: the file then
		 * covers one period of time in all streams.
		 */
		chunk->drops = (drops && newest->wish.bytes) ||
			       !is_wanted(newest, chunk, room);
		if (!chunk->drops) {
			room -= chunk->bytes < room ? chunk->bytes : room;
			stream->stays_insns += chunk->insns;
			continue;
		}
		drops += chunk->bytes;
		stream->drops.blocks += chunk->blocks;
		stream->drops.insns += chunk->insns;
	}
	return drops;
}

/* ---- copying ------------------------------------------------------------- */

/* Copies a STRM; dropped instructions count as passed unrecorded. */
static int put_stream(struct newest *newest, struct wm_error *err)
{
	struct span span = span_of(newest->stored.data, newest->stored.len);
	struct buf payload = BUF_INIT;
	struct stream_record record;
	int ret;

	if (!stream_get(&span, &record))
		return wm_fail_nomem(err, "a thread");
	if (record.index < newest->stream_count)
		record.passed += newest->streams[record.index].drops.insns;
	stream_put(&payload, &record);
	ret = writer_put(newest->to, SECTION_STRM, &payload, 0, NULL, err);
	buf_fini(&payload);
	free(record.name);
	return ret;
}

/* Adapts a stored chunk's ordinals to what its stream has lost. */
static void renumber(struct newest *newest, const struct dropped *drops)
{
	uint8_t *payload = newest->stored.data;
	struct span old = span_of(payload + CHUNK_FIRST_BLOCK_AT, 16);
	uint64_t first_block = span_u64(&old), first_insn = span_u64(&old);

	/*
	 * In place, at the fixed offsets of a chunk's head: the chunk need not be
	 * decoded.
	 */
	put_u64(payload + CHUNK_FIRST_BLOCK_AT, first_block - drops->blocks);
	put_u64(payload + CHUNK_FIRST_INSN_AT, first_insn - drops->insns);
	put_u64(payload + CHUNK_PATH_OFF_AT, newest->path_off);
}

/* What the running compaction drops. */
static struct dropped dropping(const struct newest *newest, uint32_t stream)
{
	return stream < newest->stream_count ? newest->streams[stream].drops :
					       (struct dropped){ 0, 0 };
}

/* Flags mean a compressed payload, which a STRM never has. */
static int copy(struct newest *newest, const struct writer *from, struct wm_error *err)
{
	struct section section;
	int ret = writer_get(from, newest->section, &section, &newest->stored, err);

	if (ret)
		return ret;
	if (section.type == SECTION_STRM && !section.flags)
		return put_stream(newest, err);
	if (section.type == SECTION_NOTE)
		return moved_notes_copy(newest, dropping, &section, &newest->stored,
					newest->to, err);
	return writer_put_stored(newest->to, &section, &newest->stored, NULL, err);
}

/* The number of a chunk's PATH. */
static uint64_t first_section(const struct newest_chunk *chunk)
{
	return chunk->section - (chunk->sections - 1);
}

/* A chunk's sections, of which CHNK is the last and PATH the first; 3: it has a VALS. */
static int get_section(void *from, const struct trim_chunk *chunk, uint32_t type,
		       struct buf *payload, struct wm_error *err)
{
	uint64_t behind = type == SECTION_PATH ? 1u + chunk->has_values :
						 type == SECTION_VALS;
	struct section section;

	return writer_get(from, chunk->number - behind, &section, payload, err);
}

static struct trim_chunk sections_of(const struct newest_chunk *chunk)
{
	return (struct trim_chunk){ chunk->section, chunk->sections > 2 };
}

/* A chunk's VALS, after its PATH. */
static int copy_values(struct newest *newest, const struct writer *from,
		       const struct newest_chunk *chunk, struct wm_error *err)
{
	struct section section;
	int ret = writer_get(from, chunk->section - 1, &section, &newest->stored, err);

	if (!ret && (section.flags || newest->stored.len < VALS_PATH_OFF_AT + 8))
		ret = wm_fail(err, WM_E_DAMAGED, section.off, "the file changed");
	if (ret)
		return ret;
	put_u64(newest->stored.data + VALS_PATH_OFF_AT, newest->path_off);
	return writer_put_stored(newest->to, &section, &newest->stored, NULL, err);
}

/* A chunk's sections. */
static int copy_chunk(struct newest *newest, const struct writer *from,
		      const struct newest_chunk *chunk, struct wm_error *err)
{
	const struct dropped *drops = &newest->streams[chunk->stream].drops;
	struct trim_range range = {
		.stream = chunk->stream,
		.first = chunk->first,
		.end = UINT32_MAX,
		.last = UINT32_MAX,
	};
	struct section section;
	int ret;

	/* Only at the end of the recording: see mark_parts(). */
	if (chunk->first.blocks)
		return trim_put(newest->trim, sections_of(chunk), &range, drops,
				newest->to, err);
	ret = writer_get(from, first_section(chunk), &section, &newest->stored, err);
	if (!ret)
		ret = writer_put_stored(newest->to, &section, &newest->stored,
					&newest->path_off, err);
	if (!ret && chunk->sections > 2)
		ret = copy_values(newest, from, chunk, err);
	if (!ret)
		ret = writer_get(from, chunk->section, &section, &newest->stored, err);
	/* We wrote this section; anything else means that somebody changed the file. */
	if (!ret && (section.flags || newest->stored.len < CHUNK_HEAD_BYTES))
		ret = wm_fail(err, WM_E_DAMAGED, section.off, "the file changed");
	if (ret)
		return ret;
	renumber(newest, drops);
	return writer_put_stored(newest->to, &section, &newest->stored, NULL, err);
}

/* The next section, or those of the next chunk. */
static int copy_next(struct newest *newest, const struct writer *from,
		     struct wm_error *err)
{
	struct newest_chunk *chunk = newest->chunk < newest->chunk_count ?
					     &newest->chunks[newest->chunk] :
					     NULL;
	int ret = 0;

	if (!chunk || newest->section != first_section(chunk)) {
		ret = copy(newest, from, err);
		newest->section++;
		return ret;
	}
	if (!chunk->drops)
		ret = copy_chunk(newest, from, chunk, err);
	/* Of a dropped chunk this is meaningless; forget_dropped() removes it. */
	chunk->moved = writer_sections(newest->to) - 1;
	newest->chunk++;
	newest->section += chunk->sections;
	return ret;
}

/* Copies some `most` bytes; WM_END: that was all. */
static int copy_some(struct newest *newest, const struct writer *from, uint64_t most,
		     struct wm_error *err)
{
	uint64_t end = writer_bytes(newest->to) + most;
	int ret = 0;

	while (!ret && newest->section < writer_sections(from) &&
	       writer_bytes(newest->to) < end)
		ret = copy_next(newest, from, err);
	return !ret && newest->section == writer_sections(from) ? WM_END : ret;
}

/* ---- compacting ---------------------------------------------------------- */

static int begin(struct newest *newest, struct output *out, struct wm_error *err)
{
	newest->section = 0;
	newest->chunk = 0;
	return writer_open_beside(&newest->to, out->writer, err);
}

static void give_up(struct newest *newest, struct output *out)
{
	if (newest->to)
		writer_abandon(out->writer, newest->to);
	newest->to = NULL;
	/* The disk may have room later, when more can be dropped. */
	newest->look_at = writer_bytes(out->writer) + writer_bytes(out->writer) / 2;
}

/* Removes dropped chunks from the list; the others have new positions. */
static void forget_dropped(struct newest *newest)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < newest->chunk_count; i++) {
		struct newest_chunk chunk = newest->chunks[i];

		if (chunk.drops)
			continue;
		chunk.section = chunk.moved;
		newest->chunks[n++] = chunk;
	}
	newest->chunk_count = n;
	for (uint32_t i = 0; i < newest->stream_count; i++) {
		struct newest_stream *stream = &newest->streams[i];

		stream->dropped.blocks += stream->drops.blocks;
		stream->dropped.insns += stream->drops.insns;
		stream->drops = (struct dropped){ 0, 0 };
	}
}

/* Everything is copied: the new file takes the old one's name. */
static int change(struct newest *newest, struct output *out, struct wm_error *err)
{
	int ret = writer_sections(newest->to) ?
			  writer_replace(out->writer, newest->to, err) :
			  wm_fail_nomem(err, "a table of contents");

	if (ret)
		return ret;
	out->writer = newest->to;
	newest->to = NULL;
	newest->compactions++;
	newest->look_at = writer_bytes(out->writer) + newest->least_bytes;
	forget_dropped(newest);
	return 0;
}

/* One step of the running compaction; a failure costs only the compaction. */
static void go_on(struct newest *newest, struct output *out, uint64_t most)
{
	struct wm_error err;
	int ret = copy_some(newest, out->writer, most, &err);

	if (ret == WM_END)
		ret = change(newest, out, &err);
	if (ret)
		give_up(newest, out);
}

/* Begins a compaction if it is worth it; otherwise computes when to look again. */
static void look(struct newest *newest, struct output *out)
{
	uint64_t bytes = writer_bytes(out->writer);
	/*
	 * At least half of what stays: a compaction copies (bytes - drops) to win
	 * `drops`.
	 */
	uint64_t drops = mark(newest, out->writer), enough = (bytes - drops) / 2;

	if (enough < newest->least_bytes)
		enough = newest->least_bytes;
	if (drops < enough)
		/*
		 * Each byte that is added can at most make one more byte droppable, so
		 * looking earlier is useless.
		 */
		newest->look_at = bytes + (enough - drops);
	else if (begin(newest, out, NULL))
		give_up(newest, out);
}

/* Adds the chunk that was put last to the list; false without memory. */
static bool note(struct newest *newest, const struct writer *writer,
		 struct newest_chunk *chunk)
{
	uint64_t sections = writer_sections(writer);

	if (sections < chunk->sections || !know_stream(newest, chunk->stream))
		return false;
	chunk->section = sections - 1;
	/*
	 * From the start of its PATH to the end of the file, and their rows of the table of
	 * contents.
	 */
	chunk->bytes = writer_bytes(writer) -
		       writer_section_off(writer, sections - chunk->sections) +
		       chunk->sections * LISTED_BYTES;
	return APPEND(newest->chunks, newest->chunk_count, *chunk);
}

void newest_chunk(struct newest *newest, struct output *out, uint32_t stream,
		  uint64_t sections, uint64_t blocks, uint64_t insns)
{
	struct newest_chunk chunk = {
		.sections = sections, .blocks = blocks, .insns = insns, .stream = stream
	};

	if (!is_asked(newest) || newest->failed)
		return;
	if (!note(newest, out->writer, &chunk)) {
		newest->failed = true;
		give_up(newest, out);
		return;
	}
	if (!newest->to && writer_bytes(out->writer) >= newest->look_at)
		look(newest, out);
	if (newest->to)
		/*
		 * A step copies several times what was added since the last one, so the
		 * copy catches up with a file that grows.
		 */
		go_on(newest, out, STEP_BYTES + STEP_FACTOR * chunk.bytes);
}

/* ---- the end ------------------------------------------------------------- */

/* Of each stream's first chunk that stays, the part before the last instructions goes. */
static int mark_parts(struct newest *newest, struct wm_error *err)
{
	int ret = 0;

	for (uint32_t i = 0; i < newest->chunk_count && !ret; i++) {
		struct newest_chunk *chunk = &newest->chunks[i];
		struct newest_stream *stream = &newest->streams[chunk->stream];
		uint64_t extra = stream->stays_insns - newest->wish.insns;

		/*
		 * `extra` wraps if the stream has less than was asked for; then it is not
		 * used.
		 */
		if (chunk->drops || stream->stays_insns <= newest->wish.insns)
			continue;
		stream->stays_insns = 0; /* the others stay whole */
		ret = trim_find(newest->trim, sections_of(chunk), chunk->insns - extra,
				&chunk->first, err);
		stream->drops.blocks += chunk->first.blocks;
		stream->drops.insns += chunk->first.insns;
	}
	return ret;
}

static bool drops_any(const struct newest *newest)
{
	for (uint32_t i = 0; i < newest->chunk_count; i++)
		if (newest->chunks[i].drops || newest->chunks[i].first.blocks)
			return true;
	return false;
}

static int compact(struct newest *newest, struct output *out, struct wm_error *err)
{
	int ret = 0;

	mark(newest, out->writer);
	if (newest->wish.insns)
		ret = mark_parts(newest, err);
	if (ret || !drops_any(newest))
		return ret;
	ret = begin(newest, out, err);
	if (!ret)
		/* Half, because copy_some() adds the size so far. */
		ret = copy_some(newest, out->writer, UINT64_MAX / 2, err);
	return ret == WM_END ? change(newest, out, err) : ret;
}

/*
 * The last compaction is exact, not in steps: the guest has ended and nobody waits for
 * room. A running one is given up first, because what it was to drop was decided earlier.
 */
int newest_finish(struct newest *newest, struct output *out, const uint16_t *insns_of,
		  uint32_t known, const struct value_programs *programs,
		  struct wm_error *err)
{
	struct trim trim = { .get = get_section,
			     .from = out->writer,
			     .insns_of = insns_of,
			     .known = known,
			     .values.programs = programs };
	struct wm_error why = { 0 };
	int ret;

	if (!is_asked(newest) || newest->failed || writer_failed(out->writer) ||
	    !writer_sections(out->writer))
		return 0;
	if (newest->to)
		give_up(newest, out);
	newest->trim = &trim;
	ret = compact(newest, out, &why);
	newest->trim = NULL;
	trim_fini(&trim);
	if (!ret)
		return 0;
	give_up(newest, out);
	return wm_fail(err, ret, 0, "the trace has more than --last asks for: %s",
		       why.text);
}
