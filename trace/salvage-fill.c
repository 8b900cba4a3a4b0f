// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The steps of the plan for a new file, and the stand-ins for what is lost.
 *
 * Every section goes through the code that opens a trace, so every rule of a file holds
 * for what is kept. If a section would break a rule because something before it is lost,
 * a stand-in for that is made first. Example: a chunk starts at block 500 of its stream,
 * of which 300 blocks were kept: a lost chunk of 200 blocks is put before it.
 *
 * Invariant: the number of stand-ins is bounded by the lost bytes, from which each takes
 * the least size of what it stands for. Numbers beyond that come from damage, not from a
 * loss.
 */
#include "trace/salvage-fill.h"

#include "base/append.h"
#include "base/bisect.h"
#include "base/error.h"

/* The least bytes of these in a file, with their headers. */
enum {
	RECORD_BYTES = SECTION_HEADER_BYTES + 21, /* PROC, STRM */
	CHUNK_BYTES = SECTION_HEADER_BYTES + 70,
	IDS_PER_BYTE = 64, /* most definitions of blocks in one compressed byte */
};

enum {
	BLANKS_MAX = 1 << 20, /* blocks in one section */
	LOOKED_AT = 100,      /* places that blame() considers */
};

/* ---- what is lost -------------------------------------------------------- */

static bool may_have(const struct salvage_place *place, uint32_t type)
{
	/*
	 * A place whose type is unknown, or that extends over several sections, may have
	 * had anything.
	 */
	return !place->section.type || place->section.type == type ||
	       salvage_has_more(place);
}

/* The first place from `off` on; the number of places when there is none. */
static size_t find_place(const struct salvage *out, uint64_t off)
{
	return BISECT(out->place_count, i, out->places[i].section.off < off);
}

/*
 * The place to blame for a loss: the first from `off` on that may have had a section of
 * either type, or else the last place.
 */
static uint64_t blame(const struct salvage *out, uint64_t off, uint32_t type,
		      uint32_t other)
{
	size_t first = find_place(out, off);

	/* Bounded: with many places and many losses the search would be quadratic. */
	for (size_t i = first; i < out->place_count && i - first < LOOKED_AT; i++) {
		const struct salvage_place *place = &out->places[i];

		if (may_have(place, type) || may_have(place, other))
			return place->section.off;
	}
	return out->places[out->place_count - 1].section.off;
}

/* Notes that the next blocks of the stream are lost. */
int salvage_add_loss(struct salvage *out, uint32_t index, uint64_t blocks, uint64_t insns,
		     uint64_t place_off)
{
	const struct trace_stream *stream = &out->work->trace->streams[index];
	struct salvage_loss loss = {
		.stream = index,
		.chunk = stream->chunk_count,
		.first_block = stream->blocks,
		.blocks = blocks,
		.first_insn = stream->insns,
		.insns = insns,
		.place_off = place_off,
	};

	return APPEND(out->losses, out->loss_count, loss) ? 0 : WM_E_NOMEM;
}

/* The offset of the last kept chunk of a stream: what is lost was after it. */
static uint64_t stream_end(const struct salvage_work *work, uint32_t index)
{
	const struct trace_stream *stream = &work->trace->streams[index];

	if (!stream->chunk_count)
		return 0;
	return work->trace->chunks[stream->chunks[stream->chunk_count - 1]].section.off;
}

/*
 * Whether n records of `bytes` bytes fit into the lost bytes. If so, takes them from
 * these.
 */
static bool can_be_lost(struct salvage *out, uint64_t n, uint32_t bytes)
{
	struct salvage_work *work = out->work;

	/* The division: n comes from the file, and the product could overflow. */
	if (n > work->lost_bytes / bytes)
		return false;
	work->lost_bytes -= n * bytes;
	return true;
}

/* ---- the steps, and the trace they make ---------------------------------- */

int salvage_add_step(struct salvage_work *work, struct step *step)
{
	if (APPEND(work->steps, work->step_count, *step))
		return 0;
	buf_fini(&step->made);
	return WM_E_NOMEM;
}

/* Adds a section to the trace: 0, TRACE_MALFORMED or WM_E_NOMEM. */
int salvage_take(struct salvage_work *work, const struct section *section,
		 const struct buf *payload)
{
	struct span span = span_of(payload->data, payload->len);
	int ret = trace_load_section(work->trace, section, span, &work->missing);

	if (ret)
		return ret == WM_E_DAMAGED ? TRACE_MALFORMED : ret;
	ret = trace_add_section(work->trace, section, &span);
	if (ret || section->type != SECTION_CHNK)
		return ret;
	/* lose_chunk() finds a chunk's step by this list; the step is added next. */
	return APPEND(work->chunk_steps, work->chunk_step_count, work->step_count) ?
		       0 :
		       WM_E_NOMEM;
}

/*
 * Adds a section that is not in the old file. Takes ownership of the payload, on failure
 * too.
 */
static int make(struct salvage_work *work, uint32_t type, uint64_t off,
		struct buf *payload)
{
	struct section section = { .type = type, .off = off };
	struct step step = { .kind = STEP_MADE, .type = type, .made = *payload };
	int ret = payload->failed ? WM_E_NOMEM : salvage_take(work, &section, payload);

	if (ret)
		buf_fini(payload);
	return ret ? ret : salvage_add_step(work, &step);
}

static int make_space(struct salvage_work *work)
{
	struct space_record space = { .index = work->trace->space_count,
				      .parent = SPACE_NONE,
				      .path = (char *)"",
				      .over = SPACE_NONE };
	struct buf payload = BUF_INIT;

	space_put(&payload, &space);
	return make(work, SECTION_PROC, 0, &payload);
}

static int make_stream(struct salvage_work *work)
{
	struct stream_record stream = { .index = work->trace->stream_count,
					.space = work->trace->space_count - 1,
					.name = (char *)"(lost)" };
	struct buf payload = BUF_INIT;

	stream_put(&payload, &stream);
	return make(work, SECTION_STRM, 0, &payload);
}

/*
 * Definitions of one instruction each. No kept chunk executes them: find_lost_ids() sees
 * to it.
 */
static int make_blocks(struct salvage_work *work, uint32_t count)
{
	static const uint8_t size = 1, code = 0;
	const struct wm_block block = { 0, 1, 1, &size, &code };
	struct blocks_writer blocks;
	struct buf payload = BUF_INIT;

	blocks_writer_init(&blocks, SIZES_LISTED, work->trace->known + 1);
	while (count-- && !payload.failed)
		payload.failed = !blocks_writer_add(&blocks, &block);
	if (!payload.failed)
		blocks_writer_flush(&blocks, &payload);
	blocks_writer_fini(&blocks);
	return make(work, SECTION_BLKS, 0, &payload);
}

/* A chunk of which only the number of blocks and instructions is known. */
void salvage_put_lost_chunk(struct buf *payload, const struct chunk_head *head,
			    uint32_t space)
{
	static const struct buf no_partials = BUF_INIT;
	struct chunk_head lost = *head;

	lost.path_off = 0;
	lost.highest = lost.known = 0;
	chunk_put(payload, &lost, NULL);
	chunk_put_rest(payload, &no_partials, space);
}

int salvage_make_lost_chunk(struct salvage_work *work, const struct chunk_head *head,
			    uint32_t space, uint64_t off)
{
	const struct trace_stream *stream = &work->trace->streams[head->stream];
	struct chunk_head lost = *head;
	struct buf payload = BUF_INIT;

	lost.first_block = stream->blocks;
	lost.first_insn = stream->insns;
	salvage_put_lost_chunk(&payload, &lost, space);
	return make(work, SECTION_CHNK, off, &payload);
}

/* ---- stand-ins ----------------------------------------------------------- */

/*
 * Each makes what is missing, or returns TRACE_MALFORMED when so much cannot have been
 * lost.
 */

int salvage_fill_spaces(struct salvage *out, uint32_t count)
{
	struct salvage_work *work = out->work;
	uint32_t have = work->trace->space_count;
	int ret = 0;

	if (count > have && !can_be_lost(out, count - have, RECORD_BYTES))
		return TRACE_MALFORMED;
	while (!ret && work->trace->space_count < count)
		ret = make_space(work);
	return ret;
}

int salvage_fill_streams(struct salvage *out, uint32_t count)
{
	struct salvage_work *work = out->work;
	uint32_t have = work->trace->stream_count;
	int ret = 0;

	if (count <= have)
		return 0;
	if (!can_be_lost(out, count - have, RECORD_BYTES))
		return TRACE_MALFORMED;
	if (!work->trace->space_count)
		ret = salvage_fill_spaces(out, 1);
	while (!ret && work->trace->stream_count < count)
		ret = make_stream(work);
	return ret;
}

int salvage_fill_blocks(struct salvage *out, uint32_t last)
{
	struct salvage_work *work = out->work;
	uint32_t known = work->trace->known;
	struct salvage_ids ids = { .first = known + 1, .last = last };
	int ret = 0;

	if (last <= known)
		return 0;
	if (!can_be_lost(out, (last - known) / IDS_PER_BYTE + 1, 1))
		return TRACE_MALFORMED;
	/*
	 * Before the first stand-in: the error must name a damaged place of the old file.
	 */
	ids.place_off = blame(out, work->blocks_off, SECTION_BLKS, SECTION_BLKS);
	if (!APPEND(out->ids, out->ids_count, ids))
		return WM_E_NOMEM;
	while (!ret && work->trace->known < last) {
		uint32_t left = last - work->trace->known;

		ret = make_blocks(work, left < BLANKS_MAX ? left : BLANKS_MAX);
	}
	return ret;
}

/* The space of the stream's last chunk: most likely that of the lost ones, too. */
static uint32_t last_space(const struct salvage_work *work, uint32_t index)
{
	const struct trace_stream *stream = &work->trace->streams[index];

	if (!stream->chunk_count)
		return CHUNK_SPACE_OF_STREAM;
	return work->trace->chunks[stream->chunks[stream->chunk_count - 1]].space;
}

/*
 * Puts lost chunks for the blocks of the stream between the last kept chunk and this one.
 */
int salvage_fill_gap(struct salvage *out, const struct chunk_head *head, uint64_t off)
{
	const struct trace_stream *stream = &out->work->trace->streams[head->stream];
	uint64_t blocks = head->first_block - stream->blocks;
	uint64_t insns = head->first_insn - stream->insns;
	int ret;

	/* Ordinals that go back contradict what was kept. */
	if (head->first_block < stream->blocks || head->first_insn < stream->insns)
		return TRACE_MALFORMED;
	if (!blocks && !insns)
		return 0;
	if (!can_be_lost(out, blocks / CODEC_BLOCKS_MAX + 1, CHUNK_BYTES) ||
	    insns > blocks * BLOCK_INSNS_MAX)
		return TRACE_MALFORMED;
	ret = salvage_add_loss(out, head->stream, blocks, insns,
			       blame(out, stream_end(out->work, head->stream),
				     SECTION_CHNK, SECTION_PATH));
	while (!ret && blocks) {
		struct chunk_head part = { .stream = head->stream,
					   .begin_ns = head->begin_ns,
					   .end_ns = head->begin_ns };

		part.blocks = blocks < CODEC_BLOCKS_MAX ? (uint32_t)blocks :
							  CODEC_BLOCKS_MAX;
		/*
		 * As many instructions as the blocks can have; the rest goes to the next
		 * chunk. The check above makes sure that the last one takes all of it.
		 */
		part.insns = (uint64_t)part.blocks * BLOCK_INSNS_MAX;
		part.insns = part.insns < insns ? part.insns : insns;
		blocks -= part.blocks;
		insns -= part.insns;
		ret = salvage_make_lost_chunk(out->work, &part,
					      last_space(out->work, head->stream), off);
	}
	return ret;
}
