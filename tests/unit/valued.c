// SPDX-License-Identifier: GPL-2.0-or-later
/* A trace with values made by hand: every access goes to the encoder and to a list. */
#include "valued.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "format/records.h"

/* Whether an instruction accesses memory, and how: known by its block and index. */
static bool op_of(uint32_t id, uint32_t insn, struct value_op *op)
{
	uint32_t number = id * 7 + insn;

	*op = (struct value_op){
		.kind = number % 3 ? OP_LOAD : OP_STORE,
		.size = (uint8_t)(number % 5),
		.in_lane = true,
		.insn = (uint16_t)insn,
		.rd = VALUE_NO_REGISTER,
		.rt = VALUE_NO_REGISTER,
	};
	return id < VALUED_BLOCKS && number % 4;
}

static void add_program(struct valued *valued, struct sites_writer *sites, uint32_t id)
{
	uint32_t insns = valued->sample.insns_of[id];
	struct buf program = BUF_INIT;
	struct value_op op;
	struct wm_error err;
	uint16_t last = 0;

	for (uint32_t i = 0; i < insns; i++)
		if (op_of(id, i, &op))
			value_op_put(&program, &op, &last);
	assert_int_equal(value_programs_define(valued->programs, insns,
					       span_of(program.data, program.len), &err),
			 0);
	assert_true(sites_writer_add(sites, span_of(program.data, program.len)));
	buf_fini(&program);
}

/* The chunk's VALS, when it has one. */
static void after_path(struct sample *sample, uint64_t path_off)
{
	struct valued *valued = (struct valued *)sample;
	struct values_strings strings;
	struct buf vals = BUF_INIT;

	if (!valued->encoder)
		return;
	values_encoder_finish(valued->encoder, &strings);
	strings.path_off = path_off;
	values_put(&vals, &strings);
	sample_put(sample, SECTION_VALS, vals.data, vals.len);
	buf_fini(&vals);
	values_encoder_reset(valued->encoder);
}

void valued_open(struct valued *valued, const char *path)
{
	struct sites_writer sites;
	struct buf payload = BUF_INIT;

	*valued = (struct valued){ .seed = 5 };
	sample_open(&valued->sample, path);
	valued->sample.after_path = after_path;
	meta_put(&payload, "values", "all,data");
	sample_put(&valued->sample, SECTION_META, payload.data, payload.len);
	valued->programs = value_programs_new();
	valued->programs->wanted = VALUES_LOADS | VALUES_STORES | VALUES_DATA;
	valued->programs->width = 64;
	sample_row(&valued->sample, VALUED_BLOCKS - 1);
	sample_gap(&valued->sample);
	sample_flush(&valued->sample);
	sites_writer_init(&sites, 1);
	for (uint32_t id = 1; id <= VALUED_BLOCKS; id++)
		add_program(valued, &sites, id);
	payload.len = 0;
	sites_writer_flush(&sites, valued->programs->wanted, 64, &payload);
	sample_put(&valued->sample, SECTION_SITE, payload.data, payload.len);
	sites_writer_fini(&sites);
	buf_fini(&payload);
	valued->ring = calloc(VALUED_MOST, sizeof(*valued->ring));
	valued->words.ring = valued->ring;
	valued->words.mask = VALUED_MOST - 1;
	for (unsigned i = 0; i < VALUED_STREAMS; i++) {
		sample_stream(&valued->sample);
		valued->encoders[i] = values_encoder_new(valued->programs);
		valued->ran[i] = calloc(VALUED_MOST, sizeof(*valued->ran[i]));
	}
}

/* Constant, strided, or anywhere: by the instruction. */
static uint64_t address_of(struct valued *valued, uint32_t id, uint32_t insn)
{
	uint32_t number = id * 7 + insn;

	if (number % 5 < 2)
		return 0x10000 + 64 * number;
	if (number % 5 < 4)
		return 0x20000 + 0x1000 * number + 24 * valued->counts[id];
	return 0x7000000 + 8 * (sample_random(&valued->seed) % 4096);
}

static void do_access(struct valued *valued, uint32_t stream, uint64_t insn_ordinal,
		      uint32_t id, const struct value_op *op)
{
	const struct sample_stream *of = &valued->sample.streams[stream];
	struct valued_access *ran = &valued->ran[stream][valued->n_ran[stream]++];
	uint64_t *ring = valued->ring;

	assert_true(valued->n_ran[stream] < VALUED_MOST / 4);
	*ran = (struct valued_access){
		.block_ordinal = of->blocks,
		.insn_ordinal = insn_ordinal + op->insn,
		.id = id,
		.access = {
			.address = address_of(valued, id, op->insn),
			.data[0] = sample_random(&valued->seed) & 0xff,
			.data[1] = op->size == 4 ? valued->counts[id] : 0,
			.insn = op->insn,
			.size = (uint8_t)(1u << op->size),
			.kind = op->kind == OP_STORE ? WM_ACCESS_STORE : WM_ACCESS_LOAD,
			.has_data = true,
		},
	};
	ring[valued->words.end++ % VALUED_MOST] = ran->access.address;
	ring[valued->words.end++ % VALUED_MOST] = ran->access.data[0];
	if (op->size == 4)
		ring[valued->words.end++ % VALUED_MOST] = ran->access.data[1];
}

/*
 * An execution, the first `insns` instructions of the block, of which the last one faulted
 * when there are more. `at` is its place in the chunk.
 */
static void run_block(struct valued *valued, uint32_t stream, uint32_t at, uint32_t id,
		      uint32_t insns, uint64_t insn_ordinal, bool with_values)
{
	uint32_t all = valued->sample.insns_of[id], n = 0;
	struct value_op op;

	for (uint32_t i = 0; with_values && i < (insns < all ? insns - 1 : all); i++)
		if (op_of(id, i, &op)) {
			do_access(valued, stream, insn_ordinal, id, &op);
			valued->ran[stream][valued->n_ran[stream] - 1].block_ordinal +=
				at;
			n++;
		}
	valued->counts[id]++;
	if (!with_values)
		return;
	assert_int_equal(values_encoder_begin(valued->encoder, id), VALUES_DONE);
	assert_int_equal(values_encoder_end(valued->encoder, n, &valued->words),
			 VALUES_DONE);
}

void valued_chunk(struct valued *valued, uint32_t stream, uint32_t n, bool with_values)
{
	struct sample *sample = &valued->sample;
	uint64_t insn = sample->streams[stream].insns;
	uint32_t *ids = calloc(n, sizeof(*ids)), insns;

	valued->encoder = with_values ? valued->encoders[stream] : NULL;
	for (uint32_t i = 0; i < n; i++) {
		/* Mostly a few, so that there are long runs and every kind of stride. */
		ids[i] = 1 +
			 sample_random(&valued->seed) %
				 (sample_random(&valued->seed) % 40 ? 5 : VALUED_BLOCKS);
		insns = sample->insns_of[ids[i]];
		if (insns > 1 && !(sample_random(&valued->seed) % 50)) {
			insns = 1 + sample_random(&valued->seed) % (insns - 1);
			sample_partial(sample, i, ids[i], insns, 0);
		}
		run_block(valued, stream, i, ids[i], insns, insn, with_values);
		insn += insns;
	}
	sample_chunk(sample, stream, ids, n);
	free(ids);
}

void valued_close(struct valued *valued)
{
	sample_close(&valued->sample, false);
}

void valued_fini(struct valued *valued)
{
	value_programs_free(valued->programs);
	for (unsigned i = 0; i < VALUED_STREAMS; i++) {
		values_encoder_free(valued->encoders[i]);
		free(valued->ran[i]);
	}
	free(valued->ring);
}
