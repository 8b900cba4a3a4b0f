// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Values from the file: a chunk's VALS has no positions, so they are decoded from the
 * chunk's first block on, one block after the other, whatever part is wanted.
 *
 * What a block's code means for values is in the sections SITE. They are read when the
 * first values are, all of them: a chunk may enter any block that was known before it.
 *
 * Example: blocks 7 9 7 of a chunk, each with one load. values_reader_take() of ids 7 9
 * gives two accesses, of blocks 0 and 1; then of id 7 one, of block 0.
 */
#include "trace/values.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* Of which accesses that nobody wants are kept for a moment. */
enum { PASS_BLOCKS = 256 };

uint64_t trace_values_bytes(const struct wm_trace *trace)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < reader_sections(trace->reader); i++) {
		const struct section *section = reader_section(trace->reader, i);

		if (section->type == SECTION_SITE || section->type == SECTION_VALS)
			bytes += SECTION_HEADER_BYTES + section->stored;
	}
	return bytes;
}

unsigned trace_values_recorded(const struct wm_trace *trace)
{
	static const struct {
		const char *word;
		unsigned bits;
	} words[] = {
		{ "all", VALUES_ALL },	       { "loads", VALUES_LOADS },
		{ "stores", VALUES_STORES },   { "data", VALUES_DATA },
		{ "commits", VALUES_WRITTEN }, { "places", VALUES_PLACES },
	};
	const char *values = wm_trace_meta(trace, "values");
	unsigned bits = 0;

	for (size_t i = 0; values && i < sizeof(words) / sizeof(*words); i++)
		if (strstr(values, words[i].word))
			bits |= words[i].bits;
	return bits;
}

int trace_values_need_accesses(const struct wm_trace *trace, struct wm_error *err)
{
	if (trace_values_recorded(trace) & VALUES_ALL)
		return 0;
	return wm_fail(err, WM_E_RANGE, 0,
		       "the trace has no accesses of memory: record it with waymark "
		       "record --mem");
}

static int load_programs(struct wm_trace *trace, struct wm_error *err)
{
	struct buf payload = BUF_INIT;
	int ret = 0;

	trace->programs = value_programs_new();
	if (!trace->programs)
		return wm_fail_nomem(err, "values");
	trace->programs->most = reader_memory_max(trace->reader);
	trace->programs->features = reader_features(trace->reader);
	for (size_t i = 0; !ret && i < reader_sections(trace->reader); i++) {
		const struct section *section = reader_section(trace->reader, i);

		if (section->type != SECTION_SITE)
			continue;
		ret = reader_read(trace->reader, section, &payload, err);
		if (!ret)
			ret = value_programs_add(trace->programs,
						 span_of(payload.data, payload.len),
						 &trace->table, err);
		if (ret && !err->offset)
			err->offset = section->off;
	}
	buf_fini(&payload);
	return ret;
}

/*
 * Once; the same error each time. Like blocks, those before the damage can be used: a chunk
 * needs the first `known`.
 */
static int get_programs(const struct wm_trace *const_trace, uint32_t known,
			struct wm_error *err)
{
	/* A cache under its lock: callers see no change. */
	struct wm_trace *trace = (struct wm_trace *)const_trace;
	int ret = trace_load(trace, err);

	if (ret && known > trace->table.count)
		return ret;
	pthread_mutex_lock(&trace->lock);
	if (!trace->programs && !trace->programs_error.code)
		trace->programs_error.code = load_programs(trace, &trace->programs_error);
	ret = trace->programs_error.code;
	pthread_mutex_unlock(&trace->lock);
	if (!ret || (trace->programs && known <= trace->programs->known))
		return 0;
	if (err)
		*err = trace->programs_error;
	return ret;
}

/* The codec knows no file: its errors get the offset of the section. */
static int with_place(const struct values_reader *reader, const struct wm_trace *trace,
		      int ret, struct wm_error *err)
{
	if (ret && err && !err->offset)
		err->offset = trace->chunks[reader->chunk].values.off;
	return ret;
}

static int begin_decoder(struct values_reader *reader, const struct wm_trace *trace,
			 struct wm_error *err)
{
	const struct trace_chunk *chunk = &trace->chunks[reader->chunk];
	struct span span;
	int ret;

	if (!reader->decoder)
		reader->decoder = values_decoder_new();
	if (!reader->decoder)
		return wm_fail_nomem(err, "values");
	ret = reader_read(trace->reader, &chunk->values, &reader->payload, err);
	if (ret)
		return ret;
	span = span_of(reader->payload.data, reader->payload.len);
	/* It follows its PATH; which one that is, it says itself. */
	if (span_u64(&span) != chunk->head.path_off)
		return wm_fail(err, WM_E_DAMAGED, chunk->values.off,
			       "a chunk's values are those of another one");
	return values_decoder_begin(reader->decoder, trace->programs,
				    span_of(reader->payload.data, reader->payload.len),
				    &reader->raw, err);
}

int values_reader_begin(struct values_reader *reader, const struct wm_trace *trace,
			uint64_t chunk, struct wm_error *err)
{
	int ret;

	reader->begun = false;
	reader->chunk = chunk;
	reader->first = reader->at = 0;
	reader->list.n = 0;
	if (!trace->chunks[chunk].values.off)
		return WM_END;
	ret = get_programs(trace, trace->chunks[chunk].head.known, err);
	if (!ret)
		ret = with_place(reader, trace, begin_decoder(reader, trace, err), err);
	reader->begun = !ret;
	return ret;
}

int values_reader_take(struct values_reader *reader, const struct wm_trace *trace,
		       const uint32_t *ids, uint32_t n, bool keep, struct wm_error *err)
{
	int ret = 0;

	reader->list.n = 0;
	reader->first = reader->at;
	for (uint32_t i = 0; !ret && i < n;) {
		uint32_t plain = !keep && n - i > PASS_BLOCKS ? PASS_BLOCKS : n - i;

		reader->list.block = i;
		ret = values_decoder_plain(reader->decoder, ids + i, &plain,
					   &reader->list, err);
		i += plain;
		reader->list.block = i;
		if (!ret && i < n)
			ret = values_decoder_block(reader->decoder, ids[i++],
						   &reader->list, err);
		if (!keep)
			reader->list.n = 0;
	}
	reader->at += n;
	if (ret)
		reader->begun = false; /* the next one starts over, and fails again */
	return with_place(reader, trace, ret, err);
}

int values_reader_end(const struct values_reader *reader, const struct wm_trace *trace,
		      struct wm_error *err)
{
	if (values_decoder_done(reader->decoder))
		return 0;
	return wm_fail(err, WM_E_DAMAGED, trace->chunks[reader->chunk].values.off,
		       "a chunk has more values than its blocks");
}

size_t values_reader_memory(const struct values_reader *reader)
{
	return (reader->decoder ? values_decoder_memory(reader->decoder) : 0) +
	       reader->payload.cap + reader->raw.cap +
	       reader->list.room * sizeof(*reader->list.all);
}

void values_reader_fini(struct values_reader *reader)
{
	values_decoder_free(reader->decoder);
	buf_fini(&reader->payload);
	buf_fini(&reader->raw);
	free(reader->list.all);
}
