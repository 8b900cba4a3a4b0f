// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A small trace file, made by hand. It is written with the functions that the recorder uses,
 * so it is valid unless a test spoils it: see sample.h.
 */
#include "sample.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/records.h"

static void put(struct sample *sample, uint32_t type, struct buf *payload, int level)
{
	struct wm_error err = { 0 };

	if (writer_put(sample->writer, type, payload, level, NULL, &err))
		fail_msg("%s", err.text);
	buf_fini(payload);
}

void sample_put(struct sample *sample, uint32_t type, const void *payload, size_t bytes)
{
	struct buf buf = BUF_INIT;

	buf_put(&buf, payload, bytes);
	put(sample, type, &buf, 0);
}

void sample_open_with(struct sample *sample, const char *path, uint32_t features)
{
	struct space_record process = {
		0, 42, SPACE_NONE, 1000, (char *)"/bin/guest", 0, SPACE_NONE
	};
	struct buf payload = BUF_INIT;
	struct wm_error err = { 0 };

	*sample = (struct sample){ .level = 3, .space = CHUNK_SPACE_OF_STREAM };
	blocks_writer_init(&sample->blocks, SIZES_RISCV, 1);
	if (writer_open(&sample->writer, path, &err) ||
	    writer_set_features(sample->writer, features | FILE_WAYS, &err))
		fail_msg("%s", err.text);
	meta_put(&payload, "guest-isa", "riscv64");
	put(sample, SECTION_META, &payload, 0);
	space_put(&payload, &process);
	put(sample, SECTION_PROC, &payload, 0);
}

void sample_open(struct sample *sample, const char *path)
{
	sample_open_with(sample, path, 0);
}

void sample_open_spaces(struct sample *sample, const char *path)
{
	sample_open_with(sample, path, FILE_SPACES);
}

uint32_t sample_code(struct sample *sample, uint64_t address, const uint8_t *code,
		     uint32_t bytes)
{
	struct wm_block block = { .address = address, .bytes = bytes, .code = code };

	assert_true(sample->known < SAMPLE_BLOCKS);
	for (uint32_t at = 0; at < bytes; at += (code[at] & 3) == 3 ? 4 : 2)
		block.insns++;
	assert_true(blocks_writer_add(&sample->blocks, &block));
	sample->known++;
	sample->insns_of[sample->known] = (uint16_t)block.insns;
	sample->address_of[sample->known] = address;
	return sample->known;
}

uint32_t sample_block(struct sample *sample, uint64_t address, uint32_t insns)
{
	static const uint8_t nop[4] = { 0x13, 0, 0, 0 }, c_nop[2] = { 0x01, 0 };
	uint8_t code[BLOCK_BYTES_MAX];
	uint32_t bytes = 0;

	for (uint32_t i = 0; i < insns; i++) {
		uint32_t size = (address + i) % 3 ? 2 : 4;

		memcpy(code + bytes, size == 2 ? c_nop : nop, size);
		bytes += size;
	}
	return sample_code(sample, address, code, bytes);
}

void sample_row(struct sample *sample, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		sample_block(sample, 0x10000 + 64 * i, 1 + i % 7);
}

uint32_t sample_gap(struct sample *sample)
{
	return sample_code(sample, 0, (const uint8_t *)"", 0);
}

void sample_flush(struct sample *sample)
{
	struct buf payload = BUF_INIT;

	if (!sample->blocks.count)
		return;
	blocks_writer_flush(&sample->blocks, &payload);
	put(sample, SECTION_BLKS, &payload, sample->level);
}

uint32_t sample_stream(struct sample *sample)
{
	uint32_t index = sample->stream_count++;
	struct stream_record record = { index, 0, index, 0, 42 + index, (char *)"", 0 };
	struct buf payload = BUF_INIT;

	assert_true(index < SAMPLE_STREAMS);
	sample->streams[index].encoder = encoder_new(CODEC_BLOCKS_MAX);
	assert_non_null(sample->streams[index].encoder);
	stream_put(&payload, &record);
	put(sample, SECTION_STRM, &payload, 0);
	return index;
}

void sample_event(struct sample *sample, uint64_t position, uint32_t kind,
		  const char *data)
{
	struct chunk_event event = { position, kind, (const uint8_t *)data,
				     strlen(data) };

	event_put(&sample->events, &event, &sample->last_event);
}

void sample_partial(struct sample *sample, uint32_t position, uint32_t id, uint32_t insns,
		    uint32_t uncertain)
{
	struct chunk_partial partial = { position, id, insns, uncertain };

	partial_put(&sample->partials, &partial, &sample->partial_next);
	sample->missing_insns += sample->insns_of[id] - insns;
}

void sample_perhaps_partial(struct sample *sample, uint32_t position, uint32_t id,
			    uint64_t *seed)
{
	uint32_t insns = sample->insns_of[id], began, uncertain;

	if (insns < 2 || sample_random(seed) % 13)
		return;
	began = 1 + sample_random(seed) % (insns - 1);
	uncertain = sample_random(seed) % 2;
	sample_partial(sample, position, id, began, uncertain);
}

static void put_path(struct sample *sample, struct encoder *encoder,
		     struct chunk_head *head)
{
	struct buf payload = BUF_INIT;
	struct wm_error err = { 0 };
	struct codes codes;

	encoder_finish(encoder, &codes);
	path_put(&payload, &codes, &sample->events);
	if (writer_put(sample->writer, SECTION_PATH, &payload, 0, &head->path_off, &err))
		fail_msg("%s", err.text);
	buf_fini(&payload);
	head->blocks = codes.blocks;
	head->highest = codes.highest;
	sample->events.len = sample->last_event = 0;
	if (sample->after_path)
		sample->after_path(sample, head->path_off);
}

static void put_counts(struct sample *sample, struct encoder *encoder,
		       struct chunk_head *head)
{
	size_t bytes = (sample->known + 1ul) * sizeof(uint32_t);
	uint32_t *counts = calloc(1, bytes + sizeof(*counts)); /* one more for lies */
	struct buf payload = BUF_INIT;

	assert_non_null(counts);
	memcpy(counts, encoder_counts(encoder), bytes);
	for (uint32_t id = 1; id <= sample->known; id++)
		head->insns += (uint64_t)counts[id] * sample->insns_of[id];
	head->insns -= sample->missing_insns;
	if (sample->spoil_head)
		sample->spoil_head(head);
	if (sample->spoil_counts)
		sample->spoil_counts(counts);
	chunk_put(&payload, head, counts);
	chunk_put_rest(&payload, &sample->partials, sample->space);
	sample->partials.len = sample->partial_next = sample->missing_insns = 0;
	put(sample, SECTION_CHNK, &payload, 0);
	free(counts);
}

void sample_chunk(struct sample *sample, uint32_t stream, const uint32_t *ids, size_t n)
{
	struct sample_stream *mine = &sample->streams[stream];
	struct chunk_head head = {
		.stream = stream,
		.first_block = mine->blocks,
		.first_insn = mine->insns,
		.begin_ns = 2000 + mine->blocks,
		.end_ns = 2000 + mine->blocks + n,
		.known = sample->known,
	};

	sample_flush(sample);
	assert_int_equal(encoder_know(mine->encoder, sample->known), 0);
	if (n)
		assert_int_equal(encoder_feed(mine->encoder, ids, n), n);
	put_path(sample, mine->encoder, &head);
	mine->blocks += n;
	for (size_t i = 0; i < n; i++)
		mine->insns += sample->insns_of[ids[i]];
	mine->insns -= sample->missing_insns;
	put_counts(sample, mine->encoder, &head);
	encoder_reset(mine->encoder);
}

void sample_by_turns(void (*chunk)(uint32_t stream, size_t n, uint64_t *seed),
		     uint64_t *seed)
{
	for (unsigned i = 0; i < 9; i++) {
		chunk(0, 1 + sample_random(seed) % 300, seed);
		if (i % 3)
			chunk(2, 1 + sample_random(seed) % 20, seed);
	}
}

void sample_ran(struct sample *sample, uint32_t stream, size_t n, uint64_t *seed,
		struct sample_sequence *ran)
{
	uint32_t ids[SAMPLE_SEQUENCE];

	assert_true(ran->n + n <= SAMPLE_SEQUENCE);
	for (size_t i = 0; i < n; i++) {
		ids[i] = sample_random(seed) % 9 ?
				 1 + (uint32_t)i % 3 :
				 1 + sample_random(seed) % sample->known;
		ran->addresses[ran->n++] = sample->address_of[ids[i]];
	}
	sample_chunk(sample, stream, ids, n);
}

void sample_close(struct sample *sample, bool torn)
{
	struct space_end_record end = { 0, 0, 9000 };
	struct buf payload = BUF_INIT;
	struct wm_error err = { 0 };

	sample_flush(sample);
	space_end_put(&payload, &end);
	put(sample, SECTION_PEND, &payload, 0);
	end_put(&payload, "");
	if (!torn)
		put(sample, SECTION_ENDS, &payload, 0);
	buf_fini(&payload);
	if (writer_publish(sample->writer, &err))
		fail_msg("%s", err.text);
	if (torn)
		writer_abort(sample->writer);
	else if (writer_finish(sample->writer, &err))
		fail_msg("%s", err.text);
	blocks_writer_fini(&sample->blocks);
	buf_fini(&sample->events);
	buf_fini(&sample->partials);
	for (uint32_t i = 0; i < sample->stream_count; i++)
		encoder_free(sample->streams[i].encoder);
}

struct wm_trace *sample_trace(const char *path)
{
	struct wm_error err = { 0 };
	struct wm_trace *trace = NULL;

	if (wm_trace_open(&trace, path, &err))
		fail_msg("%s", err.text);
	return trace;
}

uint32_t sample_random(uint64_t *state)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return (uint32_t)(*state >> 33);
}

uint8_t *sample_load(const char *path, size_t *bytes)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data;
	long size;

	assert_non_null(file);
	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	size = ftell(file);
	assert_true(size >= 0);
	rewind(file);
	data = malloc((size_t)size + 1);
	assert_non_null(data);
	assert_int_equal(fread(data, 1, (size_t)size, file), (size_t)size);
	fclose(file);
	*bytes = (size_t)size;
	return data;
}

void sample_save(const char *path, const uint8_t *data, size_t bytes)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, bytes, file), bytes);
	assert_int_equal(fclose(file), 0);
}

uint32_t *sample_ids(size_t n)
{
	uint32_t *ids = malloc(n * sizeof(*ids));

	assert_non_null(ids);
	return ids;
}
