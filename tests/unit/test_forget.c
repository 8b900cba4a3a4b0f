// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * format/encode.c and model.c: after a short chunk only what it touched is cleared, and that
 * is all there was.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/census.h"
#include "format/codec.h"
#include "format/model.h"
#include "tests/unit/sample.h"

/* So that a chunk of any ids takes them all, in builds with small buffers, too. */
enum { LONGEST = CODEC_MISSES_MAX < 50000 ? CODEC_MISSES_MAX : 50000 };
enum { KNOWN = 700, CAPACITY = 100000 };

static uint32_t ids[LONGEST];

/* What programs do: loops, some of them left now and then for somewhere else. */
static size_t fill(size_t most, uint64_t *seed)
{
	size_t n = 1 + sample_random(seed) % most, at = 0;
	uint32_t odd = 1 + sample_random(seed) % 200;

	while (at < n) {
		uint32_t base = sample_random(seed) % KNOWN;
		uint32_t length = 1 + sample_random(seed) % 30;

		for (uint32_t i = 0; i < 20 * length && at < n; i++)
			ids[at++] = sample_random(seed) % odd ?
					    1 + (base + i % length) % KNOWN :
					    1 + sample_random(seed) % KNOWN;
	}
	return n;
}

static void feed(struct encoder *encoder, size_t n, uint64_t *seed)
{
	for (size_t done = 0, some; done < n; done += some) {
		some = 1 + sample_random(seed) % (n - done);
		assert_int_equal(encoder_feed(encoder, ids + done, some), some);
	}
}

/* A chunk is the same as from an encoder that had none before. */
static void check_like_new(struct encoder *encoder, uint32_t highest, size_t n)
{
	struct encoder *fresh = encoder_new(CAPACITY);
	struct codes codes, wanted;

	assert_non_null(fresh);
	assert_int_equal(encoder_know(fresh, KNOWN), 0);
	encoder_turn_to(fresh, highest);
	assert_int_equal(encoder_feed(fresh, ids, n), n);
	encoder_finish(fresh, &wanted);
	encoder_finish(encoder, &codes);
	assert_int_equal(codes.blocks, wanted.blocks);
	assert_int_equal(codes.highest, wanted.highest);
	assert_int_equal(codes.codes_len, wanted.codes_len);
	assert_int_equal(codes.longs_len, wanted.longs_len);
	assert_int_equal(codes.escapes_len, wanted.escapes_len);
	assert_memory_equal(codes.codes, wanted.codes, codes.codes_len);
	assert_memory_equal(codes.longs, wanted.longs, codes.longs_len);
	assert_memory_equal(codes.escapes, wanted.escapes, codes.escapes_len);
	assert_memory_equal(encoder_counts(encoder), encoder_counts(fresh),
			    (KNOWN + 1) * sizeof(uint32_t));
	assert_int_equal(encoder_highest(encoder), encoder_highest(fresh));
	encoder_free(fresh);
}

/* Chunks of all lengths, one after the other; of some the last id is taken back. */
static void test_chunks(void **state)
{
	struct encoder *encoder = encoder_new(CAPACITY);
	uint64_t seed = 11;

	(void)state;
	assert_non_null(encoder);
	assert_int_equal(encoder_know(encoder, KNOWN), 0);
	for (unsigned i = 0; i < 400; i++) {
		size_t n = fill(i % 50 ? 3000 : LONGEST, &seed);
		uint32_t highest = encoder_highest(encoder);

		if (i % 7 == 0)
			encoder_turn_to(encoder, highest = sample_random(&seed) % KNOWN);
		feed(encoder, n, &seed);
		if (i % 3 == 0)
			assert_int_equal(encoder_take_back(encoder), ids[--n]);
		check_like_new(encoder, highest, n);
		encoder_reset(encoder);
	}
	encoder_free(encoder);
}

static void assert_zeros(const void *memory, size_t bytes)
{
	const char *at = memory;

	assert_true(!at[0] && !memcmp(at, at + 1, bytes - 1));
}

/* What the encoder does with a miss; returns the new source. */
static uint32_t miss(struct model *model, uint32_t at, uint32_t source)
{
	struct ways *context = model_context(model, at);
	unsigned index = ways_find(context, model->ids[at]);

	return index < WAYS ? model_follow(model, context, index, at, source) :
			      model_learn(model, context, at, source);
}

/* Every place of the tables. */
static void test_tables(void **state)
{
	struct census census = { 0 };
	uint64_t seed = 5;
	struct model model;

	(void)state;
	assert_true(model_init(&model, CAPACITY));
	assert_true(model_know(&model, KNOWN));
	assert_true(census_grow(&census, KNOWN + 1));
	for (unsigned i = 0; i < 20; i++) {
		uint32_t n = (uint32_t)fill(5000, &seed), misses = 0, source = 0;
		uint32_t *noted = calloc(n, sizeof(*noted));

		assert_non_null(noted);
		for (uint32_t at = MODEL_PAD; at < MODEL_PAD + n; at++, source++) {
			model.ids[at] = ids[at - MODEL_PAD];
			if (source && sample_random(&seed) % 4)
				continue;
			noted[misses++] = at;
			source = miss(&model, at, source) - 1;
		}
		census_add(&census, model.ids + MODEL_PAD, n);
		model_forget(&model, noted, misses, MODEL_PAD + n);
		census_forget(&census, model.ids + MODEL_PAD, n);
		assert_zeros(model.contexts, sizeof(*model.contexts) << MODEL_BITS);
		assert_zeros(model.after, model.allocated * sizeof(*model.after));
		assert_zeros(model.seen, model.allocated * sizeof(*model.seen));
		assert_zeros(census.lanes,
			     census.size * CENSUS_LANES * sizeof(*census.lanes));
		free(noted);
	}
	model_fini(&model);
	census_fini(&census);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_chunks),
	cmocka_unit_test(test_tables),
};

int main(void)
{
	return cmocka_run_group_tests_name("forget", tests, NULL, NULL);
}
