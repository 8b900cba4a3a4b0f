// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decides what of a damaged file is kept.
 *
 * Its sections are put into a trace one by one, as if it was opened, with stand-ins for
 * what is lost between them (salvage-fill.c). Then the chunks of that trace are retraced:
 * a chunk that is not what it says becomes a lost one.
 *
 * The plan is a list of steps, each a section of the new file, in the order of the old
 * one. So a file that only lost its end stays the same up to there. Example: PATH, CHNK,
 * damaged PATH, CHNK become the steps copy path, put chunk, put lost chunk; the damaged
 * PATH is a place and no step.
 *
 * Invariant: after each step the steps so far are a valid file, up to its end.
 */
#include "trace/salvage.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/bisect.h"
#include "base/error.h"
#include "format/values_programs.h"
#include "trace/salvage-fill.h"

static const char malformed[] = "it is malformed, or contradicts those before it";

/* ---- what is lost -------------------------------------------------------- */

static int add_place(struct salvage *out, const struct piece *piece, const char *why)
{
	struct salvage_work *work = out->work;
	struct salvage_place place = {
		.section = piece->section,
		.bytes = piece->bytes,
		.ordinal = (size_t)(piece - work->survey.pieces) + 1,
		.why = why,
	};

	/* The budget of stand-ins: see can_be_lost(). */
	work->lost_bytes += piece->bytes;
	return APPEND(out->places, out->place_count, place) ? 0 : WM_E_NOMEM;
}

/* The lost definitions that contain `id`, or NULL. They ascend. */
static const struct salvage_ids *find_ids(const struct salvage *out, uint32_t id)
{
	size_t at = BISECT(out->ids_count, i, out->ids[i].last < id);

	return at < out->ids_count && out->ids[at].first <= id ? &out->ids[at] : NULL;
}

/* ---- chunks -------------------------------------------------------------- */

/*
 * Sets *place_off to the place of a lost definition of a block that ran in the chunk; 0:
 * all definitions are there.
 */
static int find_lost_ids(const struct salvage *out, const struct chunk_head *head,
			 struct span histogram, uint64_t *place_off)
{
	struct wm_count *counts;
	int ret = 0;

	*place_off = 0;
	/* A chunk that knew fewer blocks than the first lost one cannot contain it. */
	if (!out->ids_count || head->known < out->ids[0].first)
		return 0;
	counts = calloc(head->counted + 1ul, sizeof(*counts));
	if (!counts)
		return WM_E_NOMEM;
	ret = chunk_get_counts(histogram, head, counts, NULL);
	for (uint32_t i = 0; !ret && !*place_off && i < head->counted; i++) {
		const struct salvage_ids *ids = find_ids(out, counts[i].id);

		*place_off = ids ? ids->place_off : 0;
	}
	free(counts);
	return ret == WM_E_DAMAGED ? TRACE_MALFORMED : ret;
}

/*
 * Finds the step of the chunk's path. NO_STEP when the path is damaged; *place_off is its
 * place.
 */
static int find_path(const struct salvage *out, const struct chunk_head *head,
		     const struct piece *chunk, size_t *step, uint64_t *place_off)
{
	const struct survey *survey = &out->work->survey;
	const struct piece *piece = survey_find(survey, head->path_off);

	/*
	 * A path stands before its chunk. An offset where no section begins is damage of
	 * the chunk.
	 */
	if (!piece || piece > chunk)
		return TRACE_MALFORMED;
	*step = out->work->path_steps[piece - survey->pieces];
	*place_off = piece->section.off;
	/*
	 * A piece with a fault (`why`) is a place already; without one, the chunk refers
	 * to a section that is no path.
	 */
	return *step != NO_STEP || piece->why ? 0 : TRACE_MALFORMED;
}

/*
 * Keeps a lost chunk, with its counts or without them. Without: some of its blocks have
 * no definition, and the counts would name their ids.
 */
static int take_lost(struct salvage *out, const struct piece *piece,
		     const struct chunk_head *head, uint32_t space, struct buf *payload,
		     bool counts)
{
	struct step step = { .kind = STEP_CHUNK,
			     .piece = piece,
			     .path = NO_STEP,
			     .same = chunk_is_lost(head) };
	int ret;

	/* An empty chunk: nothing is lost with it. */
	if (!head->blocks)
		return 0;
	if (!counts)
		return salvage_make_lost_chunk(out->work, head, space,
					       piece->section.off);
	/* The offset 0 marks a chunk as lost; its counts stay. */
	put_u64(payload->data + CHUNK_PATH_OFF_AT, 0);
	ret = salvage_take(out->work, &piece->section, payload);
	return ret ? ret : salvage_add_step(out->work, &step);
}

static int take_whole(struct salvage *out, const struct piece *piece,
		      const struct buf *payload, size_t path)
{
	struct step step = {
		.kind = STEP_CHUNK, .piece = piece, .path = path, .same = true
	};
	int ret = salvage_take(out->work, &piece->section, payload);

	if (ret)
		return ret;
	/* A path is copied as long as it has a user. */
	out->work->steps[path].users++;
	return salvage_add_step(out->work, &step);
}

/* Reads the fields of a chunk before its histogram, and the space after it. */
static int get_chunk(struct span *span, struct chunk_head *head, uint32_t *space)
{
	struct buf raw = BUF_INIT;
	struct span partials;
	int ret = TRACE_MALFORMED;

	if (chunk_get_head(span, head) && head->stream < UINT32_MAX)
		ret = chunk_get_rest(*span, &raw, &partials, space, NULL);
	buf_fini(&raw);
	return ret == WM_E_DAMAGED ? TRACE_MALFORMED : ret;
}

static int take_chunk(struct salvage *out, const struct piece *piece, struct buf *payload)
{
	struct span span = span_of(payload->data, payload->len);
	uint64_t blocks_off = 0, path_off = 0;
	size_t path = NO_STEP;
	struct chunk_head head;
	uint32_t space;
	int ret = get_chunk(&span, &head, &space);

	/*
	 * In the order in which each refers to the one before: spaces, streams, blocks,
	 * ordinals.
	 */
	if (!ret && space != CHUNK_SPACE_OF_STREAM)
		ret = salvage_fill_spaces(out, space + 1);
	if (!ret)
		ret = salvage_fill_streams(out, head.stream + 1);
	if (!ret)
		ret = salvage_fill_blocks(out, head.known);
	if (!ret)
		ret = find_lost_ids(out, &head, span, &blocks_off);
	if (!ret && !chunk_is_lost(&head)) /* a lost chunk has no path */
		ret = find_path(out, &head, piece, &path, &path_off);
	if (!ret)
		ret = salvage_fill_gap(out, &head, piece->section.off);
	if (ret)
		return ret;
	if (path != NO_STEP && !blocks_off)
		return take_whole(out, piece, payload, path);
	if (head.blocks && !chunk_is_lost(&head))
		/*
		 * The loss is blamed on missing definitions first: with them, the path
		 * may be sound.
		 */
		ret = salvage_add_loss(out, head.stream, head.blocks, head.insns,
				       blocks_off ? blocks_off : path_off);
	return ret ? ret : take_lost(out, piece, &head, space, payload, !blocks_off);
}

/* ---- values -------------------------------------------------------------- */

/*
 * Programs follow each other without holes. After one of their sections is lost, or one of
 * blocks, no others can be read, and no values.
 */
static int take_programs(struct salvage *out, const struct piece *piece,
			 const struct buf *payload)
{
	struct step step = { .kind = STEP_COPY, .piece = piece };
	struct wm_trace *trace = out->work->trace;
	int ret;

	if (!trace->programs)
		trace->programs = value_programs_new();
	if (!trace->programs)
		return WM_E_NOMEM;
	trace->programs->most = reader_memory_max(trace->reader);
	trace->programs->features = trace->features;
	ret = value_programs_add(trace->programs, span_of(payload->data, payload->len),
				 &trace->table, NULL);
	if (ret)
		return ret == WM_E_DAMAGED ? TRACE_MALFORMED : ret;
	return salvage_add_step(out->work, &step);
}

static bool has_programs(const struct wm_trace *trace)
{
	return trace->programs && trace->programs->known == trace->table.count;
}

/* Whether a path has its values, or its chunk, which comes after them. */
static bool is_path_done(const struct salvage_work *work, size_t path)
{
	/* A path is a step, too: there is one before. */
	const struct step *before = &work->steps[work->step_count - 1];

	return work->steps[path].users ||
	       (before->kind == STEP_VALUES && before->path == path);
}

/* They stay if their path does. That they decode is for `waymark verify` to see. */
static int take_values(struct salvage *out, const struct piece *piece,
		       const struct buf *payload)
{
	struct salvage_work *work = out->work;
	struct step step = { .kind = STEP_VALUES, .piece = piece, .path = NO_STEP };
	struct span span = span_of(payload->data, payload->len);
	const struct piece *path = survey_find(&work->survey, span_u64(&span));

	if (!path || path > piece || !has_programs(work->trace))
		return TRACE_MALFORMED;
	step.path = work->path_steps[path - work->survey.pieces];
	if (step.path == NO_STEP)
		return 0;
	return is_path_done(work, step.path) ? TRACE_MALFORMED :
					       salvage_add_step(work, &step);
}

/* ---- all sections -------------------------------------------------------- */

/*
 * Makes stand-ins for what a record refers to. All of these records begin with two
 * numbers.
 */
static int fill_for(struct salvage *out, uint32_t type, const struct buf *payload)
{
	struct span span = span_of(payload->data, payload->len);
	uint32_t first = span_u32(&span), second = span_u32(&span);
	int ret;

	switch (type) {
	/*
	 * Records of spaces state their own index, so what is missing before it is known.
	 */
	case SECTION_PROC:
		return salvage_fill_spaces(out, first);
	case SECTION_PEND:
	case SECTION_MODU:
		return first == UINT32_MAX ? 0 : salvage_fill_spaces(out, first + 1);
	case SECTION_STRM:
		ret = second == UINT32_MAX ? 0 : salvage_fill_spaces(out, second + 1);
		return ret ? ret : salvage_fill_streams(out, first);
	case SECTION_BLKS:
		return first ? salvage_fill_blocks(out, first - 1) : 0;
	}
	return 0;
}

/* 0, TRACE_MALFORMED, or an error. */
static int take_section(struct salvage *out, const struct piece *piece,
			struct buf *payload, struct wm_error *err)
{
	struct salvage_work *work = out->work;
	struct step step = { .kind = STEP_COPY, .piece = piece };
	uint32_t type = piece->section.type;
	int ret;

	/*
	 * A path is read when its chunk is retraced. It is a step only if a chunk uses
	 * it.
	 */
	if (type == SECTION_PATH) {
		step.kind = STEP_PATH;
		work->path_steps[piece - work->survey.pieces] = work->step_count;
		return salvage_add_step(work, &step);
	}
	ret = reader_read(work->trace->reader, &piece->section, payload, err);
	if (ret)
		return ret == WM_E_DAMAGED ? TRACE_MALFORMED : ret;
	if (type == SECTION_CHNK)
		return take_chunk(out, piece, payload);
	if (type == SECTION_SITE)
		return take_programs(out, piece, payload);
	if (type == SECTION_VALS)
		return take_values(out, piece, payload);
	ret = fill_for(out, type, payload);
	if (!ret)
		ret = salvage_take(work, &piece->section, payload);
	if (!ret && type == SECTION_BLKS)
		/*
		 * Lost definitions are between this section and the next one of blocks.
		 */
		work->blocks_off = piece->section.off;
	return ret ? ret : salvage_add_step(work, &step);
}

static int take_pieces(struct salvage *out, struct wm_error *err)
{
	const struct survey *survey = &out->work->survey;
	struct buf payload = BUF_INIT;
	int ret = 0;

	for (size_t i = 0; !ret && i < survey->count; i++) {
		const struct piece *piece = &survey->pieces[i];
		const char *why = piece->why;

		if (!why) {
			ret = take_section(out, piece, &payload, err);
			if (ret == TRACE_MALFORMED)
				why = malformed;
		}
		/*
		 * The file continues after it: that is the difference to opening a trace.
		 */
		if (why)
			ret = add_place(out, piece, why);
	}
	buf_fini(&payload);
	return ret;
}

/* ---- the chunks, retraced ------------------------------------------------ */

/* The index of a chunk among those of its stream. */
static uint32_t place_in_stream(const struct wm_trace *trace, uint64_t index)
{
	const struct trace_stream *stream =
		&trace->streams[trace->chunks[index].head.stream];

	return (uint32_t)BISECT(stream->chunk_count, i, stream->chunks[i] < index);
}

/*
 * A chunk differs from its own counts: it becomes a lost one. The step that copied its
 * CHNK then makes a new one instead.
 */
static void lose_chunk(void *cookie, uint64_t index, const struct wm_error *err)
{
	struct salvage *out = cookie;
	struct salvage_work *work = out->work;
	struct trace_chunk *chunk = &work->trace->chunks[index];
	struct step *step = &work->steps[work->chunk_steps[index]];
	const struct piece *path = work->steps[step->path].piece;
	struct salvage_loss loss = {
		.stream = chunk->head.stream,
		.chunk = place_in_stream(work->trace, index),
		.first_block = chunk->head.first_block,
		.blocks = chunk->head.blocks,
		.first_insn = chunk->head.first_insn,
		.insns = chunk->head.insns,
		.place_off = path->section.off,
	};

	(void)err; /* it does not show which of its sections is wrong */
	/* Without users the path is left out of the new file. */
	work->steps[step->path].users--;
	*step = (struct step){ .kind = STEP_MADE, .type = SECTION_CHNK };
	salvage_put_lost_chunk(&step->made, &chunk->head, chunk->space);
	work->no_memory |= step->made.failed ||
			   add_place(out, path, "its chunk does not match its header") ||
			   !APPEND(out->losses, out->loss_count, loss);
}

static int by_place(const void *a, const void *b)
{
	const struct salvage_place *one = a, *other = b;

	return one->section.off < other->section.off ?
		       -1 :
		       one->section.off > other->section.off;
}

static int by_ordinal(const void *a, const void *b)
{
	const struct salvage_loss *one = a, *other = b;

	if (one->stream != other->stream)
		return one->stream < other->stream ? -1 : 1;
	return one->first_block < other->first_block ?
		       -1 :
		       one->first_block > other->first_block;
}

static int retrace(struct salvage *out, struct wm_error *err)
{
	struct salvage_work *work = out->work;
	int ret;

	/* salvage_take() has loaded the blocks already. */
	work->trace->loaded = true;
	ret = trace_check_chunks(work->trace, &out->kept, lose_chunk, out, err);
	if (ret)
		return ret;
	if (work->no_memory)
		return wm_fail_nomem(err, "what is lost of a trace");
	/* Retracing runs on several threads and adds places in any order. */
	if (out->place_count)
		qsort(out->places, out->place_count, sizeof(*out->places), by_place);
	if (out->loss_count)
		qsort(out->losses, out->loss_count, sizeof(*out->losses), by_ordinal);
	return 0;
}

/* ---- opening ------------------------------------------------------------- */

/*
 * Paths that no chunk uses are left out. They may be damaged all the same, and are
 * reported.
 */
static int check_unused(struct salvage *out, struct wm_error *err)
{
	struct salvage_work *work = out->work;
	struct buf payload = BUF_INIT;
	int ret = 0;

	for (size_t i = 0; !ret && i < work->step_count; i++) {
		const struct step *step = &work->steps[i];

		if (step->kind != STEP_PATH || step->users)
			continue;
		ret = reader_read(work->trace->reader, &step->piece->section, &payload,
				  err);
		if (ret == WM_E_DAMAGED)
			ret = add_place(out, step->piece, malformed);
	}
	buf_fini(&payload);
	return ret;
}

/* The incompatible features that the kept sections need, when the header does not say. */
static uint32_t needed_features(const struct wm_trace *trace)
{
	const struct value_programs *programs = trace->programs;
	uint32_t features = FILE_WAYS | (trace->code.n ? FILE_CODE : 0);

	if (programs && programs->wanted & VALUES_FETCHES)
		features |= FILE_FETCHES | FILE_STEPS;
	for (uint32_t i = 0; i < trace->space_count; i++)
		if (!space_is_plain(&trace->spaces[i].record))
			return features | FILE_SPACES;
	for (uint32_t i = 0; i < trace->chunk_count; i++)
		if (trace->chunks[i].space != CHUNK_SPACE_OF_STREAM)
			return features | FILE_SPACES;
	return features;
}

static int plan(struct salvage *out, struct wm_error *err)
{
	struct salvage_work *work = out->work;
	size_t n = work->survey.count;
	int ret;

	/* `n + 1`: reallocarray() of nothing may return NULL. */
	work->path_steps = reallocarray(NULL, n + 1, sizeof(*work->path_steps));
	if (!work->path_steps)
		return wm_fail_nomem(err, "what is kept of a trace");
	for (size_t i = 0; i < n; i++)
		work->path_steps[i] = NO_STEP;
	ret = take_pieces(out, err);
	/* A file without one readable section is not worth a new one. */
	if (!ret && !work->step_count)
		ret = wm_fail(err, WM_E_DAMAGED, FILE_HEADER_BYTES,
			      "nothing in the file can be kept");
	if (!ret)
		ret = check_unused(out, err);
	if (ret == WM_E_NOMEM)
		return wm_fail_nomem(err, "what is kept of a trace");
	/* That a file is not here says nothing about the trace. */
	if (ret == WM_E_IO && work->missing.code == ret && err)
		*err = work->missing;
	if (!ret)
		ret = retrace(out, err);
	if (ret)
		return ret;
	out->features = work->survey.header ? needed_features(work->trace) :
					      work->trace->features;
	out->header = work->survey.header;
	out->end = work->survey.end;
	out->ended = work->trace->ended;
	out->cut = work->trace->cut && *work->trace->cut ? work->trace->cut : NULL;
	out->prefix_bytes = salvage_prefix(out);
	return 0;
}

static int salvage_new(struct salvage **salvage, struct reader *reader,
		       struct wm_error *err)
{
	struct salvage *out = calloc(1, sizeof(*out));
	int ret = WM_E_NOMEM;

	if (out)
		out->work = calloc(1, sizeof(*out->work));
	if (!out || !out->work) {
		/* The reader was handed over: it is closed on failure, too. */
		free(out);
		reader_close(reader);
		return wm_fail_nomem(err, "what is kept of a trace");
	}
	out->work->trace = trace_new(reader, err);
	if (out->work->trace)
		ret = survey_file(&out->work->survey, reader, err);
	if (!ret) {
		out->work->trace->features = out->work->survey.features;
		ret = plan(out, err);
	}
	if (ret)
		salvage_close(out);
	else
		*salvage = out;
	return ret;
}

int salvage_open(struct salvage **salvage, int fd, const char *path, struct wm_error *err)
{
	struct reader *reader;
	int ret = reader_open_unread(&reader, fd, path, err);

	return ret ? ret : salvage_new(salvage, reader, err);
}

int salvage_open_memory(struct salvage **salvage, const void *data, size_t bytes,
			struct wm_error *err)
{
	struct reader *reader;
	int ret = reader_open_memory_unread(&reader, data, bytes, err);

	return ret ? ret : salvage_new(salvage, reader, err);
}

void salvage_close(struct salvage *salvage)
{
	struct salvage_work *work;

	if (!salvage)
		return;
	work = salvage->work;
	for (size_t i = 0; i < work->step_count; i++)
		buf_fini(&work->steps[i].made);
	free(work->steps);
	free(work->path_steps);
	free(work->chunk_steps);
	survey_fini(&work->survey);
	wm_trace_close(work->trace);
	free(work);
	free(salvage->places);
	free(salvage->ids);
	free(salvage->losses);
	free(salvage);
}
