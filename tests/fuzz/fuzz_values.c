// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Values beside the path. The programs of some blocks come first; then the first byte
 * decides: words and executions as bytes, which must come back; or the strings of a VALS,
 * of which a decoder may make what it likes, within bounds.
 */
#include "format/values_decode.h"
#include "format/values_encode.h"
#include "fuzz.h"

enum { BLOCKS = 8, INSNS = 16, WORDS = 1 << 13, RUN = 1 << 10 };

static uint64_t ring[WORDS];
static struct values_decoder *decoder;
static struct wm_access_list list;
static struct buf raw, payload;

/* Eight programs, each a length and its bytes; one that is malformed is empty. */
static struct value_programs *take_programs(struct input *input)
{
	struct value_programs *programs = value_programs_new();
	uint8_t flags = take(input);

	MUST(programs);
	programs->wanted = VALUES_LOADS | VALUES_STORES | (flags & 1 ? VALUES_DATA : 0u) |
			   (flags & 4 ? VALUES_FETCHES : 0u);
	programs->width = flags & 2 ? 32 : 64;
	for (unsigned i = 0; i < BLOCKS; i++) {
		uint8_t bytes[256];
		size_t n = take_bytes(input, bytes, take(input));
		struct span none = span_of("", 0);

		if (value_programs_define(programs, INSNS, span_of(bytes, n), NULL))
			MUST(!value_programs_define(programs, INSNS, none, NULL));
	}
	return programs;
}

/* Decodes ids[n] of *strings; whether all of it was as an encoder would have it. */
static bool decode(const struct value_programs *programs,
		   const struct values_strings *strings, const uint32_t *ids, size_t n)
{
	struct wm_error err = { 0 };
	int ret;

	payload.len = list.n = 0;
	values_put(&payload, strings);
	ret = values_decoder_begin(decoder, programs, span_of(payload.data, payload.len),
				   &raw, &err);
	for (size_t i = 0; !ret && i < n;) {
		uint32_t plain = (uint32_t)(n - i);

		ret = values_decoder_plain(decoder, ids + i, &plain, &list, &err);
		i += plain;
		if (!ret && i < n)
			ret = values_decoder_block(decoder, ids[i++], &list, &err);
	}
	MUST(!ret || err.code == WM_E_DAMAGED);
	for (size_t i = 0; i < list.n; i++)
		MUST(list.all[i].insn < INSNS && list.all[i].size <= 16);
	return !ret && values_decoder_done(decoder);
}

/* ---- there and back --------------------------------------------------------------------- */

/* A few bytes are a word each; those after them go on in steps of 8. */
static void take_words(struct input *input)
{
	unsigned n = take(input);

	for (unsigned i = 0; i < WORDS; i++) {
		uint8_t byte = i < n ? take(input) : 8;

		ring[i] = byte < 128 ? (i ? ring[i - 1] : 0) + byte :
				       (uint64_t)take_u32(input) << (byte & 32);
	}
}

/* One block, which fires what the bytes say. False when it does not fit. */
static bool execute(struct input *input, struct values_encoder *encoder, uint32_t id,
		    struct value_words *words)
{
	uint8_t firings = take(input) % 4, accesses = take(input);

	MUST(!values_encoder_begin(encoder, id));
	for (unsigned i = 0; i < firings; i++) {
		struct value_firing firing = { .insn = take(input) % 20,
					       .kind = take(input) % 4,
					       .size = take(input) % 6,
					       .what = take(input) };

		if (values_encoder_fire(encoder, &firing, words))
			return false;
	}
	return !values_encoder_end(encoder, accesses, words);
}

static void round_trip(struct input *input, const struct value_programs *programs)
{
	struct values_encoder *encoder = values_encoder_new(programs);
	struct value_words words = { ring, WORDS - 1, 0, WORDS };
	struct values_strings strings = { 0 };
	uint32_t ids[RUN];
	size_t n = 0;
	bool good = true;

	MUST(encoder);
	for (; n < RUN && good && input->at < input->end; n += good) {
		uint8_t byte = take(input);

		ids[n] = 1 + byte % BLOCKS;
		if (byte < 192)
			good = !values_encoder_take(encoder, &ids[n], 1, &words);
		else
			good = execute(input, encoder, ids[n], &words);
	}
	values_encoder_finish(encoder, &strings);
	/* A block that did not fit has left its marks. */
	MUST(!good || decode(programs, &strings, ids, n));
	MUST(!good || strings.words == words.at);
	values_encoder_free(encoder);
}

/* ---- anything --------------------------------------------------------------------------- */

static void decode_any(struct input *input, const struct value_programs *programs)
{
	static uint8_t bytes[VALUES_STRINGS][256];
	struct values_strings strings = { .words = take_u32(input) & 0xffff };
	uint32_t ids[RUN];
	size_t n = 0;

	for (unsigned i = 0; i < VALUES_STRINGS; i++)
		strings.of[i] =
			span_of(bytes[i], take_bytes(input, bytes[i], take(input)));
	while (n < RUN && input->at < input->end)
		ids[n++] = take(input) % (BLOCKS + 2);
	decode(programs, &strings, ids, n);
}

static void sections(struct input *input)
{
	struct value_programs *programs = value_programs_new();
	struct wm_block blocks[BLOCKS + 1] = { { 0 } };
	struct block_table table = { .blocks = blocks, .count = BLOCKS };
	struct values_strings strings;
	struct wm_error err;
	size_t left = (size_t)(input->end - input->at);

	MUST(programs);
	for (unsigned i = 1; i <= BLOCKS; i++)
		blocks[i].insns = INSNS;
	if (value_programs_add(programs, span_of(input->at, left), &table, &err))
		MUST(err.code == WM_E_DAMAGED);
	if (values_get(span_of(input->at, left), &raw, &strings, &err))
		MUST(err.code == WM_E_DAMAGED);
	value_programs_free(programs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct input input = { data, data + bytes };
	struct value_programs *programs;
	uint8_t what;

	watch_cpu();
	if (!decoder)
		decoder = values_decoder_new();
	MUST(decoder);
	what = take(&input) % 4;
	if (!what) {
		sections(&input);
		return 0;
	}
	programs = take_programs(&input);
	if (what == 1) {
		decode_any(&input, programs);
	} else {
		take_words(&input);
		round_trip(&input, programs);
	}
	value_programs_free(programs);
	return 0;
}
