// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Several streams read as one sequence: those of a CPU that ran one thread after the
 * other. Ordinal N of the sequence is ordinal N - first of the stream that has it:
 *
 *	streams of 100 and 50 instructions: ordinal 120 is 20 of the second
 *
 * Only the stream at hand has an open cursor.
 *
 * A seek decodes a chunk from its begin up to the place. Who goes from place to place asks for
 * thousands of them in one chunk, so an instruction that is not far ahead is read up to.
 */
#include "query/spot.h"

/* As many are read in the time that it takes to decode a small part of a chunk. */
enum { NEAR_INSNS = 1 << 14 };

void spots_init(struct spots *spots, const struct source *source, const unsigned *streams,
		unsigned n)
{
	*spots = (struct spots){ .source = source, .streams = streams, .n = n };
}

void spots_fini(struct spots *spots)
{
	wm_cursor_free(spots->cursor);
	spots->cursor = NULL;
}

static struct wm_stream stream_of(const struct spots *spots, unsigned index)
{
	struct wm_stream stream = { .insns = 0 };

	wm_trace_stream(spots->source->trace, spots->streams[index], &stream);
	return stream;
}

/*
 * Opens a cursor in a stream that begins at ordinal `first` of the sequence. The open one
 * is kept when it is the same: a seek is cheaper than a new cursor.
 */
static int open_stream(struct spots *spots, unsigned index, uint64_t first,
		       struct wm_error *err)
{
	if (spots->cursor && spots->stream == index)
		return 0;
	spots_fini(spots);
	if (index == spots->n)
		return WM_END;
	spots->stream = index;
	spots->first = first;
	return wm_cursor_new(&spots->cursor, spots->source->trace, spots->streams[index],
			     err);
}

/* At the end of a stream the sequence goes on with the next one, which may be empty. */
static int step(struct spots *spots, struct wm_step *found, struct wm_error *err)
{
	int ret = spots->cursor ? wm_cursor_next_insn(spots->cursor, found, err) : WM_END;

	while (ret == WM_END && spots->cursor) {
		ret = open_stream(spots, spots->stream + 1,
				  spots->first + stream_of(spots, spots->stream).insns,
				  err);
		if (!ret)
			ret = wm_cursor_next_insn(spots->cursor, found, err);
	}
	spots->next = ret ? UINT64_MAX : spots->next + 1;
	return ret;
}

static int read_up_to(struct spots *spots, uint64_t ordinal, struct wm_error *err)
{
	struct wm_step passed;
	int ret = 0;

	while (!ret && spots->next < ordinal)
		ret = step(spots, &passed, err);
	return ret;
}

/* Streams without instructions are passed over: ordinal - first is never below 0. */
int spots_seek(struct spots *spots, uint64_t ordinal, struct wm_error *err)
{
	uint64_t first = 0;
	unsigned index = 0;
	int ret;

	for (; index < spots->n; index++) {
		uint64_t insns = stream_of(spots, index).insns;

		if (ordinal - first < insns)
			break;
		first += insns;
	}
	if (index < spots->n && spots->cursor && ordinal >= spots->next &&
	    ordinal - spots->next < NEAR_INSNS)
		return read_up_to(spots, ordinal, err);
	ret = open_stream(spots, index, first, err);
	if (!ret)
		ret = wm_cursor_seek_insn(spots->cursor, ordinal - first, err);
	spots->next = ret ? UINT64_MAX : ordinal;
	return ret;
}

static void find_line(const struct source *source, uint32_t space, uint32_t id,
		      struct spot *spot)
{
	struct srcline line;

	if (!source_srcline(source, space, spot->address, id, &line))
		return;
	spot->path = srclines_path(source->lines, line.source);
	spot->line = line.number;
}

/* The address of an instruction is that of its block plus the sizes before it. */
static void describe(const struct spots *spots, const struct wm_step *step,
		     struct spot *spot)
{
	const struct source *source = spots->source;
	struct wm_block block = { .address = 0 };

	wm_trace_block(source->trace, step->id, &block);
	*spot = (struct spot){ .address = block.address };
	for (uint32_t i = 0; i < step->index; i++)
		spot->address += block.sizes[i];
	source_name(source, step->space, spot->address, step->id, &spot->place);
	wm_trace_disas(source->trace, step->id, step->index, spot->disas,
		       sizeof(spot->disas));
	find_line(source, step->space, step->id, spot);
}

int spots_next(struct spots *spots, struct spot *spot, struct wm_error *err)
{
	struct wm_step at;
	int ret = step(spots, &at, err);

	if (!ret)
		describe(spots, &at, spot);
	return ret;
}

/* Block 0 stands for "not of the trace"; the space is that of the first stream. */
void spots_find(const struct spots *spots, uint64_t address, struct spot *spot)
{
	uint32_t space;

	*spot = (struct spot){ .address = address };
	if (!spots->n)
		return;
	space = stream_of(spots, 0).space;
	source_name(spots->source, space, address, 0, &spot->place);
	find_line(spots->source, space, 0, spot);
}
