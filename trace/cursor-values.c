// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The accesses of what a cursor's last step returned.
 *
 * Values are decoded in step with the blocks of a chunk, from its start. When steps were
 * not asked about, or after a seek, the blocks between are decoded again for their values
 * alone. Asking about each step costs nothing of that.
 *
 * Invariant: values->at is the position of the next block whose values will be decoded.
 * Example: a seek to block 1000 of a chunk, a step, and a question: values of blocks 0 to
 * 999 are passed over, those of block 1000 returned, and values->at is 1001.
 */
#include <assert.h>
#include <stdlib.h>

#include "base/sized.h"
#include "trace/cursor-data.h"
#include "trace/cursor.h"
#include "trace/values.h"

struct cursor_values {
	struct decoders_tenant tenant; /* first; of a cursor that shares decoders */
	struct values_reader reader;
	uint32_t *ids; /* [DECODER_PIECE], of a cursor that shares decoders; or NULL */
	char *sized;   /* accesses of a caller whose struct wm_access is another */
	size_t sized_bytes;
};

/* Another cursor's values need the memory. */
static void drop(struct decoders_tenant *tenant)
{
	struct cursor_values *values = (struct cursor_values *)tenant;

	values_reader_fini(&values->reader);
	values->reader = (struct values_reader){ .decoder = NULL };
}

void cursor_values_free(struct cursor_values *values, struct decoders *shared)
{
	if (!values)
		return;
	if (shared)
		decoders_leave(shared, &values->tenant);
	values_reader_fini(&values->reader);
	free(values->ids);
	free(values->sized);
	free(values);
}

/* Index in the trace of the chunk that is loaded. */
static uint32_t chunk_of(const struct wm_cursor *cursor)
{
	return cursor->stream->chunks[cursor->chunk];
}

/* ---- blocks that were not asked about -------------------------------------------------- */

/* Ids of the chunk from position `first` on, *n at most. */
static int read_ids(struct wm_cursor *cursor, uint32_t first, const uint32_t **ids,
		    uint32_t *n, struct wm_error *err)
{
	struct cursor_values *values = cursor->values;
	uint32_t most = *n;
	int ret;

	if (!cursor->shared) {
		ret = trace_decode(cursor->trace, chunk_of(cursor), cursor->decoder,
				   first, ids, n, err);
		if (*n > most)
			*n = most;
		return ret;
	}
	if (!values->ids)
		values->ids = malloc(DECODER_PIECE * sizeof(*values->ids));
	if (!values->ids)
		return wm_fail_nomem(err, "values");
	*ids = values->ids;
	if (*n > DECODER_PIECE)
		*n = DECODER_PIECE;
	return decoders_read(cursor->shared, chunk_of(cursor), first, values->ids, n,
			     err);
}

/*
 * The decoder has one piece of ids, at one place, which the last run lies in: what was
 * there comes back to where it was.
 */
static int restore_piece(struct wm_cursor *cursor, struct wm_error *err)
{
	const uint32_t *ids;
	uint32_t n;
	int ret;

	if (cursor->shared)
		return 0;
	/* The piece that was read last may have its ids, too, but at another place. */
	decoder_forget(cursor->decoder);
	ret = trace_decode(cursor->trace, chunk_of(cursor), cursor->decoder,
			   cursor->first, &ids, &n, err);
	assert(ret || ids == cursor->ids);
	return ret;
}

/* Passes over values until those of position `to` come next. */
static int pass_values(struct wm_cursor *cursor, uint32_t to, struct wm_error *err)
{
	struct values_reader *reader = &cursor->values->reader;
	const uint32_t *ids;
	int ret = 0;

	if (reader->at == to)
		return 0;
	while (!ret && reader->at < to) {
		uint32_t n = to - reader->at;

		ret = read_ids(cursor, reader->at, &ids, &n, err);
		if (!ret)
			ret = values_reader_take(reader, cursor->trace, ids, n, false,
						 err);
	}
	return ret ? ret : restore_piece(cursor, err);
}

/* ---- what was asked for ---------------------------------------------------------------- */

/* Stands before position `first` of the chunk that is loaded, or at what it just had. */
static int find(struct wm_cursor *cursor, uint32_t first, uint32_t n,
		struct wm_error *err)
{
	struct values_reader *reader = &cursor->values->reader;
	const uint32_t *ids = cursor->ids + (first - cursor->first);
	int ret = 0;

	if (!reader->begun || reader->chunk != chunk_of(cursor) ||
	    (reader->at > first && (reader->first != first || reader->at != first + n)))
		ret = values_reader_begin(reader, cursor->trace, chunk_of(cursor), err);
	else if (reader->at == first + n && reader->first == first)
		return 0; /* asked again */
	if (!ret)
		ret = pass_values(cursor, first, err);
	return ret ? ret : values_reader_take(reader, cursor->trace, ids, n, true, err);
}

int cursor_part_accesses(struct wm_cursor *cursor, uint32_t first, uint32_t n,
			 const struct wm_access **accesses, size_t *count,
			 struct wm_error *err)
{
	int ret;

	*count = 0;
	if (!cursor->step_blocks)
		return WM_END;
	if (!cursor->values)
		cursor->values = calloc(1, sizeof(*cursor->values));
	if (!cursor->values)
		return wm_fail_nomem(err, "values");
	ret = find(cursor, cursor->step_first + first, n, err);
	if (cursor->shared) {
		cursor->values->tenant.drop = drop;
		decoders_use(cursor->shared, &cursor->values->tenant,
			     values_reader_memory(&cursor->values->reader));
	}
	if (ret)
		return ret;
	*accesses = cursor->values->reader.list.all;
	*count = cursor->values->reader.list.n;
	return 0;
}

/* Only those of one instruction, which lie side by side. */
static void narrow(uint32_t insn, const struct wm_access **accesses, size_t *n)
{
	const struct wm_access *all = *accesses;
	size_t from = 0, to;

	while (from < *n && all[from].insn < insn)
		from++;
	for (to = from; to < *n && all[to].insn == insn;)
		to++;
	*accesses = all + from;
	*n = to - from;
}

static int cursor_accesses(struct wm_cursor *cursor, const struct wm_access **accesses,
			   size_t *n, struct wm_error *err)
{
	int ret = cursor_part_accesses(cursor, 0, cursor->step_blocks, accesses, n, err);

	if (!ret && cursor->step_insn != WHOLE_BLOCKS)
		narrow(cursor->step_insn, accesses, n);
	return ret;
}

int wm_cursor_accesses_sized(struct wm_cursor *cursor, const struct wm_access **accesses,
			     size_t bytes, size_t *n, struct wm_error *err)
{
	int ret = cursor_accesses(cursor, accesses, n, err);
	struct cursor_values *values = cursor->values;

	if (ret || bytes == sizeof(**accesses))
		return ret;
	if (*n * bytes > values->sized_bytes) {
		free(values->sized);
		values->sized = malloc(*n * bytes);
		values->sized_bytes = values->sized ? *n * bytes : 0;
		if (!values->sized)
			return wm_fail_nomem(err, "values");
	}
	for (size_t i = 0; i < *n; i++)
		SIZED_PUT(values->sized + i * bytes, bytes, *accesses + i);
	*accesses = (const struct wm_access *)values->sized;
	return 0;
}
