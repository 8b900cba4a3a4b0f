// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * format/codec on hostile strings: whatever a decoder is given, it refuses or makes some
 * sequence of known ids of.
 */
#include "format/codec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sample.h"
#include "whole.h"

enum { MUTATIONS = 1000 };

static struct decoder *decoder;

/* A decoder is as strict after a larger chunk as a new one. */
static void test_decoder_forgets(void **state)
{
	static const uint8_t code[] = { CODE_ESCAPE }, escape[] = { 1 + 2 * 5 };
	struct codes codes = { .blocks = 1,
			       .codes = code,
			       .codes_len = 1,
			       .longs = code,
			       .escapes = escape,
			       .escapes_len = 1 };
	const uint32_t *ids = NULL;

	(void)state;
	assert_int_equal(decode_whole(decoder, &codes, 5, &ids, NULL), 0);
	assert_int_equal(ids[0], 5);
	assert_int_equal(decode_whole(decoder, &codes, 4, &ids, NULL), WM_E_DAMAGED);
	assert_int_equal(decode_whole(decoder, &codes, CODEC_IDS_MAX, &ids, NULL),
			 WM_E_DAMAGED);
	codes.blocks = CODEC_BLOCKS_MAX + 1;
	assert_int_equal(decode_whole(decoder, &codes, 5, &ids, NULL), WM_E_DAMAGED);
	codes.blocks = 2; /* nothing to repeat */
	assert_int_equal(decode_whole(decoder, &codes, 5, &ids, NULL), WM_E_DAMAGED);
	codes.blocks = 0;
	assert_int_equal(decode_whole(decoder, &codes, 5, &ids, NULL), WM_E_DAMAGED);
	codes.codes_len = codes.escapes_len = 0;
	assert_int_equal(decode_whole(decoder, &codes, 5, &ids, NULL), 0);
	codes.highest = 6;
	assert_int_equal(decode_whole(decoder, &codes, 5, &ids, NULL), WM_E_DAMAGED);
}

/* The same strings mean other things to the old automaton, and one decoder takes both in turn. */
static void test_automata(void **state)
{
	static const uint8_t code[] = { CODE_ESCAPE, CODE_ESCAPE };
	static const uint8_t escapes[] = { ESCAPE_NEW, ESCAPE_ID + 2 * 3 };
	struct codes codes = { .blocks = 2,
			       .codes = code,
			       .codes_len = 2,
			       .longs = code,
			       .escapes = escapes,
			       .escapes_len = 2 };
	const uint32_t *ids = NULL;

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		codes.ways = i % 2;
		codes.highest = i / 2;
		assert_int_equal(decode_whole(decoder, &codes, 20, &ids, NULL), 0);
		assert_int_equal(ids[0], codes.highest + 1);
		assert_int_equal(ids[1], ids[0] + (codes.ways ? 3 : 5));
	}
}

/* A way, by context or by block, that there is not. */
static void test_no_such_way(void **state)
{
	static const uint8_t escapes[] = { ESCAPE_WAY, ESCAPE_WAY + 3 };
	const uint32_t *ids;

	(void)state;
	for (uint8_t rank = 0; rank <= CODE_ESCAPE; rank++)
		for (unsigned i = 0; i < 2; i++) {
			struct codes codes = { .blocks = 1,
					       .ways = true,
					       .codes = &rank,
					       .codes_len = 1,
					       .longs = escapes,
					       .escapes = escapes + i,
					       .escapes_len = rank == CODE_ESCAPE };

			assert_int_equal(decode_whole(decoder, &codes, 5, &ids, NULL),
					 WM_E_DAMAGED);
		}
}

/* Anywhere in a chunk, forth and back: the ids that are there. */
static void test_any_place(void **state)
{
	enum { N = 5 * DECODER_PIECE, KNOWN = 300 };
	struct encoder *encoder = encoder_new(N);
	uint32_t *ids = sample_ids(N), first, n;
	const uint32_t *got;
	struct codes codes;
	uint64_t seed = 3;

	(void)state;
	assert_non_null(encoder);
	for (uint32_t i = 0; i < N; i++)
		ids[i] = sample_random(&seed) % 64 ? 1 + i % (i < N / 2 ? 7 : 250) :
						     1 + sample_random(&seed) % KNOWN;
	assert_int_equal(encoder_know(encoder, KNOWN), 0);
	assert_int_equal(encoder_feed(encoder, ids, N), N);
	encoder_finish(encoder, &codes);
	for (unsigned i = 0; i < 400; i++) {
		if (i % 20 == 0)
			assert_int_equal(decoder_begin(decoder, &codes, KNOWN, NULL), 0);
		first = sample_random(&seed) % (i % 3 ? N : 1 + N * (i % 20) / 20);
		assert_int_equal(decoder_get(decoder, first, &got, &n, NULL), 0);
		assert_in_range(n, 1, N - first);
		assert_memory_equal(got, ids + first, n * sizeof(*ids));
	}
	encoder_free(encoder);
	free(ids);
}

/* What is wrong at the end shows there, and is reported every time. */
static void test_late_damage(void **state)
{
	enum { N = 3 * DECODER_PIECE };
	struct encoder *encoder = encoder_new(N);
	uint32_t *ids = sample_ids(N), n, at = 0;
	const uint32_t *got;
	struct codes codes;

	(void)state;
	assert_non_null(encoder);
	for (uint32_t i = 0; i < N; i++)
		ids[i] = 1 + i % 5;
	assert_int_equal(encoder_know(encoder, 5), 0);
	assert_int_equal(encoder_feed(encoder, ids, N), N);
	encoder_finish(encoder, &codes);
	codes.longs_len++; /* one too many */
	assert_int_equal(decoder_begin(decoder, &codes, 5, NULL), 0);
	while (!decoder_get(decoder, at, &got, &n, NULL))
		at += n;
	assert_in_range(at, 1, N - 1);
	assert_int_equal(decoder_get(decoder, at, &got, &n, NULL), WM_E_DAMAGED);
	assert_int_equal(decoder_get(decoder, 0, &got, &n, NULL), WM_E_DAMAGED);
	encoder_free(encoder);
	free(ids);
}

/* A run that repeats nothing, of each kind of code. */
static void test_run_from_nowhere(void **state)
{
	static const uint8_t codes[][2] = { { 4 + 3, 0 },
					    { CODE_LONG + 3, 0 },
					    { CODE_OFF + 3, 1 } };
	static const uint8_t escape[] = { 0 };
	const uint32_t *ids;

	(void)state;
	for (unsigned i = 0; i < 3; i++)
		for (uint32_t blocks = 1; blocks < 100; blocks++) {
			struct codes all = { .blocks = blocks,
					     .ways = blocks % 2,
					     .codes = codes[i],
					     .codes_len = 1,
					     .longs = codes[i] + 1,
					     .longs_len = i > 0,
					     .escapes = escape,
					     .escapes_len = 1 };

			assert_int_equal(decode_whole(decoder, &all, 5, &ids, NULL),
					 WM_E_DAMAGED);
		}
}

/* A copy that ASan watches the ends of. */
static uint8_t *exact(const uint8_t *data, size_t bytes)
{
	uint8_t *copy = malloc(bytes + !bytes);

	assert_non_null(copy);
	if (bytes)
		memcpy(copy, data, bytes);
	return copy;
}

static void mutate(uint8_t *data, size_t bytes, uint64_t *seed)
{
	static const uint8_t special[] = {
		0, 1, 3, 127, 128, 239, 240, 243, 244, 247, 255
	};

	for (unsigned n = 1 + sample_random(seed) % 4; bytes && n > 0; n--) {
		uint8_t *at = data + sample_random(seed) % bytes;

		if (sample_random(seed) % 2)
			*at ^= (uint8_t)(1 << sample_random(seed) % 8);
		else
			*at = special[sample_random(seed) % sizeof(special)];
	}
}

/* Decodes strings that may be anything; whether they were refused. */
static bool refuses(const struct codes *codes, uint32_t known)
{
	struct wm_error err = { 0 };
	const uint32_t *ids;

	if (decode_whole(decoder, codes, known, &ids, &err)) {
		assert_int_equal(err.code, WM_E_DAMAGED);
		return true;
	}
	for (uint32_t i = 0; i < codes->blocks; i++)
		assert_true(ids[i] >= 1 && ids[i] <= known);
	return false;
}

static unsigned try_mutations(const struct codes *good, uint32_t known, uint64_t *seed)
{
	unsigned refused = 0;

	for (unsigned i = 0; i < MUTATIONS; i++) {
		struct codes bad = *good;
		uint8_t *codes, *longs, *escapes;

		bad.ways = sample_random(seed) % 4;
		if (sample_random(seed) % 4 == 0)
			bad.codes_len = sample_random(seed) % (bad.codes_len + 1);
		if (sample_random(seed) % 8 == 0)
			bad.longs_len = sample_random(seed) % (bad.longs_len + 1);
		if (sample_random(seed) % 8 == 0)
			bad.escapes_len = sample_random(seed) % (bad.escapes_len + 1);
		if (sample_random(seed) % 8 == 0)
			bad.blocks = sample_random(seed) % (2 * bad.blocks + 1);
		if (sample_random(seed) % 8 == 0)
			bad.highest = sample_random(seed) % (2 * known);
		bad.codes = codes = exact(good->codes, bad.codes_len);
		bad.longs = longs = exact(good->longs, bad.longs_len);
		bad.escapes = escapes = exact(good->escapes, bad.escapes_len);
		mutate(codes, bad.codes_len, seed);
		if (sample_random(seed) % 2)
			mutate(longs, bad.longs_len, seed);
		if (sample_random(seed) % 2)
			mutate(escapes, bad.escapes_len, seed);
		refused += refuses(&bad, sample_random(seed) % 8 ? known : 1);
		free(codes);
		free(longs);
		free(escapes);
	}
	return refused;
}

static void test_mutations(void **state)
{
	enum { N = 2000, KNOWN = 40 };
	uint32_t *ids = sample_ids(N);
	uint64_t seed = 7;
	unsigned refused = 0;

	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		struct encoder *encoder = encoder_new(N);
		struct codes codes;

		assert_non_null(encoder);
		for (unsigned j = 0; j < N; j++)
			ids[j] = sample_random(&seed) % (5 + 20 * i) ?
					 1 + (j % (3 + 4 * i)) :
					 1 + sample_random(&seed) % KNOWN;
		encoder_know(encoder, KNOWN);
		assert_int_equal(encoder_feed(encoder, ids, N), N);
		encoder_finish(encoder, &codes);
		refused += try_mutations(&codes, KNOWN, &seed);
		encoder_free(encoder);
	}
	assert_true(refused > 8 * MUTATIONS / 2);
	free(ids);
}

static int set_up(void **state)
{
	(void)state;
	decoder = decoder_new();
	return decoder ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	decoder_free(decoder);
	return 0;
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_decoder_forgets), cmocka_unit_test(test_automata),
	cmocka_unit_test(test_no_such_way),	cmocka_unit_test(test_any_place),
	cmocka_unit_test(test_late_damage),	cmocka_unit_test(test_run_from_nowhere),
	cmocka_unit_test(test_mutations),
};

int main(void)
{
	return cmocka_run_group_tests_name("codec_hostile", tests, set_up, tear_down);
}
