// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * format/codec on made-up sequences: whatever goes in comes out, cut into chunks and fed
 * in pieces of any size.
 */
#include "format/codec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "sample.h"
#include "whole.h"

enum { MANY = 50000, MUTATIONS = 1000 };

static struct decoder *decoder;
static unsigned kinds[4 * 3]; /* how often each kind of code was seen, in all tests */

static void count_kinds(const struct codes *codes)
{
	for (size_t i = 0; i < codes->codes_len; i++) {
		uint8_t code = codes->codes[i];

		kinds[(code >= CODE_OFF ? 8 : code >= CODE_LONG ? 4 : 0) + code % 4]++;
	}
}

/* Decodes the encoder's chunk and holds it against ids; *strings gets what it stored. */
static void check_chunk(struct encoder *encoder, const uint32_t *ids, uint32_t known,
			struct buf *strings)
{
	uint32_t *counts = calloc(known + 1ul, sizeof(*counts));
	struct wm_error err = { 0 };
	const uint32_t *got;
	struct codes codes;

	assert_non_null(counts);
	encoder_finish(encoder, &codes);
	assert_int_equal(codes.blocks, encoder_blocks(encoder));
	assert_true(codes.codes_len <= CODEC_MISSES_MAX);
	assert_true(codes.longs_len <= CODEC_LONGS_MAX);
	assert_true(codes.escapes_len <= CODEC_ESCAPES_MAX);
	if (decode_whole(decoder, &codes, known, &got, &err))
		fail_msg("%s", err.text);
	if (codes.blocks)
		assert_memory_equal(got, ids, codes.blocks * sizeof(*ids));
	for (uint32_t i = 0; i < codes.blocks; i++)
		counts[ids[i]]++;
	assert_memory_equal(encoder_counts(encoder) + 1, counts + 1,
			    known * sizeof(*counts));
	count_kinds(&codes);
	buf_put_u32(strings, codes.blocks);
	buf_put_u32(strings, codes.highest);
	buf_put(strings, codes.codes, codes.codes_len);
	buf_put(strings, codes.longs, codes.longs_len);
	buf_put(strings, codes.escapes, codes.escapes_len);
	free(counts);
}

/* Encodes all of ids[n] in chunks of `capacity`, fed `piece` at a time. */
static void round_trip(const uint32_t *ids, size_t n, uint32_t known, uint32_t capacity,
		       size_t piece, struct buf *strings)
{
	struct encoder *encoder = encoder_new(capacity);
	size_t done = 0, first = 0;

	assert_non_null(encoder);
	assert_int_equal(encoder_know(encoder, known), 0);
	strings->len = 0;
	while (done < n) {
		size_t most = n - done < piece ? n - done : piece;

		done += encoder_feed(encoder, ids + done, most);
		assert_int_equal(encoder_blocks(encoder), done - first);
		if (!encoder_full(encoder) && done < n)
			continue;
		check_chunk(encoder, ids + first, known, strings);
		encoder_reset(encoder);
		assert_int_equal(encoder_blocks(encoder), 0);
		first = done;
	}
	encoder_free(encoder);
}

/* All at once, and in pieces of several sizes: the same strings. */
static void check(const uint32_t *ids, size_t n, uint32_t known, uint32_t capacity)
{
	static const size_t pieces[] = { 1, 3, 17, 16384 };
	struct buf whole = BUF_INIT, pieced = BUF_INIT;

	round_trip(ids, n, known, capacity, n, &whole);
	for (unsigned i = 0; i < sizeof(pieces) / sizeof(*pieces); i++) {
		round_trip(ids, n, known, capacity, pieces[i], &pieced);
		assert_int_equal(pieced.len, whole.len);
		assert_memory_equal(pieced.data, whole.data, whole.len);
	}
	buf_fini(&whole);
	buf_fini(&pieced);
}

/* The same in chunks of several sizes. */
static void check_chunked(const uint32_t *ids, size_t n, uint32_t known)
{
	/* A new chunk costs some megabytes of zeros: few of them each. */
	check(ids, n < 40 ? n : 40, known, 1);
	check(ids, n < 700 ? n : 700, known, 16);
	check(ids, n < 3000 ? n : 3000, known, 100);
	check(ids, n, known, 4097);
	check(ids, n, known, MANY);
}

/* ---- sequences ----------------------------------------------------------- */

static void test_random(void **state)
{
	static const uint32_t knowns[] = { 1, 2, 3, 50, 100000 };
	uint32_t *ids = sample_ids(MANY);
	uint64_t seed = 1;

	(void)state;
	for (unsigned k = 0; k < sizeof(knowns) / sizeof(*knowns); k++) {
		for (size_t i = 0; i < MANY; i++)
			ids[i] = 1 + sample_random(&seed) % knowns[k];
		check_chunked(ids, MANY, knowns[k]);
	}
	free(ids);
}

/* A walk on a graph with a few ways out of each block: what programs are like. */
static void test_graph(void **state)
{
	uint32_t *ids = sample_ids(MANY);
	uint64_t seed = 2;

	(void)state;
	for (unsigned ways = 1; ways < 8; ways++) {
		uint32_t id = 1;

		for (size_t i = 0; i < MANY; i++) {
			uint32_t way = sample_random(&seed) % 64;

			ids[i] = id;
			way = way < ways ? way : 0;
			id = 1 + (id * 7 + way * 13) % 300;
		}
		check_chunked(ids, MANY, 300);
	}
	free(ids);
}

static void test_one_block(void **state)
{
	const size_t n = CODEC_BLOCKS_MAX + 5;
	uint32_t *ids = sample_ids(n);
	struct buf strings = BUF_INIT;

	(void)state;
	for (size_t i = 0; i < n; i++)
		ids[i] = 7;
	check_chunked(ids, MANY, 7);
	round_trip(ids, n, 7, CODEC_BLOCKS_MAX, 1 << 20, &strings);
	assert_true(strings.len < 64);
	buf_fini(&strings);
	free(ids);
}

/* One block with 2^20 successors: more misses than a chunk holds. */
static void test_many_successors(void **state)
{
	const size_t n = 2u << 20;
	uint32_t *ids = sample_ids(n);
	struct buf whole = BUF_INIT, pieced = BUF_INIT;

	(void)state;
	for (size_t i = 0; i < n; i++)
		ids[i] = i % 2 ? 2 + (uint32_t)i / 2 : 1;
	round_trip(ids, n, 2 + (1u << 20), CODEC_BLOCKS_MAX, n, &whole);
	round_trip(ids, n, 2 + (1u << 20), CODEC_BLOCKS_MAX, 16384, &pieced);
	assert_int_equal(whole.len, pieced.len);
	assert_memory_equal(whole.data, pieced.data, whole.len);
	buf_fini(&whole);
	buf_fini(&pieced);
	free(ids);
}

/* After the last miss a chunk may have, it takes no more, however it is fed. */
static void test_miss_limit(void **state)
{
	const size_t n = CODEC_MISSES_MAX + 1000;
	struct buf whole = BUF_INIT, pieced = BUF_INIT;
	uint32_t *ids = sample_ids(n);

	(void)state;
	for (size_t i = 0; i < n; i++) /* all different, then a run of them again */
		ids[i] = (uint32_t)i + 1;
	for (size_t i = CODEC_MISSES_MAX - 500; i < n; i++)
		ids[i] = (uint32_t)(i - (CODEC_MISSES_MAX - 600));
	round_trip(ids, n, (uint32_t)n, CODEC_BLOCKS_MAX, n, &whole);
	round_trip(ids, n, (uint32_t)n, CODEC_BLOCKS_MAX, 100, &pieced);
	assert_int_equal(whole.len, pieced.len);
	assert_memory_equal(whole.data, pieced.data, whole.len);
	buf_fini(&whole);
	buf_fini(&pieced);
	free(ids);
}

/* Calls to a depth and back, the depth growing; the return blocks differ by caller. */
static void test_recursion(void **state)
{
	uint32_t *ids = sample_ids(MANY);
	size_t n = 0;

	(void)state;
	for (unsigned depth = 1; n < MANY; depth = depth * 5 / 4 + 1) {
		for (unsigned i = 0; i < depth && n < MANY; i++)
			ids[n++] = 1 + i % 3;
		for (unsigned i = depth; i-- > 0 && n < MANY;)
			ids[n++] = 4 + i % 3;
		if (n < MANY)
			ids[n++] = 7 + depth % 5;
	}
	check_chunked(ids, MANY, 11);
	free(ids);
}

/* Loops of every period, one after the other, each pair alternating for a while. */
static void test_loops(void **state)
{
	enum { N = 2000 };
	uint32_t *ids = sample_ids(N);

	(void)state;
	for (uint32_t period = 1; period <= 40; period++) {
		uint32_t other = 41 - period, n = 0;

		for (unsigned times = 1; n < N; times = times % 23 + 1) {
			for (uint32_t i = 0; i < period * times && n < N; i++)
				ids[n++] = 1 + i % period;
			for (uint32_t i = 0; i < other * times && n < N; i++)
				ids[n++] = 100 + i % other;
		}
		check(ids, N, 140, N);
		check(ids, N, 140, 300);
	}
	free(ids);
}

/* Runs of every length up to some steps of the walks, between two misses. */
static void test_run_lengths(void **state)
{
	uint32_t *ids = sample_ids(MANY);
	uint64_t seed = 4;
	size_t n = 0;

	(void)state;
	while (n < MANY) {
		uint32_t length = 1 + sample_random(&seed) % 70;
		uint32_t from = 1 + sample_random(&seed) % 200;

		for (uint32_t i = 0; i < length && n < MANY; i++)
			ids[n++] = from + i;
	}
	check_chunked(ids, MANY, 300);
	free(ids);
}

/* Runs past more forks than a code holds. */
static void test_many_forks(void **state)
{
	enum { LAP = 500 };
	uint32_t *ids = sample_ids(MANY);
	uint64_t seed = 5;

	(void)state;
	for (size_t i = 0; i < MANY; i++)
		ids[i] = 1 + (uint32_t)(i % LAP);
	/* Every lap goes astray here and there at first, later far in, in a few ways. */
	for (size_t i = 0; i < 20 * LAP; i += 1 + sample_random(&seed) % 5)
		ids[i] = 1 + sample_random(&seed) % LAP;
	for (size_t i = 21 * LAP - 1; i < MANY; i += LAP)
		ids[i] = 1 + sample_random(&seed) % 6;
	check_chunked(ids, MANY, LAP);
	free(ids);
}

/* Blocks become known as they come, in the middle of a chunk. */
static void test_knowing(void **state)
{
	enum { N = 5000 }; /* in one chunk */
	struct encoder *encoder = encoder_new(N);
	struct buf strings = BUF_INIT;
	uint32_t *ids = sample_ids(N);
	uint64_t seed = 6;

	(void)state;
	assert_non_null(encoder);
	for (uint32_t i = 0; i < N; i++)
		ids[i] = sample_random(&seed) % 3 ? 1 + sample_random(&seed) % (i + 1) :
						    i + 1;
	for (uint32_t i = 0; i < N; i++) {
		assert_int_equal(encoder_know(encoder, i + 1), 0);
		assert_int_equal(encoder_feed(encoder, ids + i, 1), 1);
	}
	check_chunk(encoder, ids, N, &strings);
	buf_fini(&strings);
	encoder_free(encoder);
	free(ids);
}

/* What encoder_marked() is to return of ids[n]. */
static void check_marked(const struct encoder *encoder, const uint32_t *ids, size_t n,
			 size_t back, const uint8_t *marks)
{
	uint32_t *marked = sample_ids(n);
	uint16_t *places = calloc(n, sizeof(*places));
	size_t expected = 0, count;

	assert_non_null(places);
	count = encoder_marked(encoder, back, n, marked, places);
	for (size_t i = 0; i < n; i++) {
		if (!marks[ids[i]])
			continue;
		assert_true(expected < count);
		assert_int_equal(marked[expected], ids[i]);
		assert_int_equal(places[expected++], i);
	}
	assert_int_equal(count, expected);
	free(marked);
	free(places);
}

/* Marks do not reach the codes, and come back wherever their block does. */
static void test_marked(void **state)
{
	enum { N = 60000, KNOWN = 40, PERIOD = 700 };
	struct encoder *encoder = encoder_new(N);
	struct buf strings = BUF_INIT;
	uint32_t *ids = sample_ids(N);
	uint8_t marks[KNOWN + 1] = { 0 };
	uint64_t seed = 8;

	(void)state;
	assert_non_null(encoder);
	assert_int_equal(encoder_know(encoder, KNOWN), 0);
	/* Long repetitions, a loop of two blocks, and anything. */
	for (uint32_t i = 0; i < N; i++)
		ids[i] = i >= 20000 && i < 22000 ? 3 + i % 2 :
			 i >= PERIOD && sample_random(&seed) % 100 ?
						   ids[i - PERIOD] :
						   1 + sample_random(&seed) % KNOWN;
	for (unsigned round = 0; round < 3; round++) {
		for (uint32_t id = 1; id <= KNOWN; id++)
			marks[id] = sample_random(&seed) % 8 < round * round;
		encoder_mark(encoder, round ? marks : NULL);
		for (size_t i = 0, n; i < N; i += n) {
			size_t last = sample_random(&seed) % 3;

			n = 3 + sample_random(&seed) % 2000;
			n = n < N - i ? n : N - i;
			assert_int_equal(encoder_feed(encoder, ids + i, n), n);
			last = last < n ? last : 0;
			check_marked(encoder, ids + i, n - last, n, marks);
		}
		check_chunk(encoder, ids, KNOWN, &strings);
		encoder_reset(encoder);
	}
	buf_fini(&strings);
	encoder_free(encoder);
	free(ids);
}

static void test_unknown_ids(void **state)
{
	static const uint32_t strangers[] = { 0,	  6,	      CODEC_IDS_MAX,
					      0x7fffffff, 0x80000000, 0x80000001,
					      UINT32_MAX };
	static const uint32_t ids[] = {
		1, 2, 3, 1, 2, 3, 1, 2, 3, 4, 4, 4, 4, 4, 5, 1, 2
	};
	enum { N = sizeof(ids) / sizeof(*ids) };

	(void)state;
	for (unsigned s = 0; s < sizeof(strangers) / sizeof(*strangers); s++)
		for (unsigned at = 0; at <= N; at++) {
			struct encoder *encoder = encoder_new(100);
			struct buf strings = BUF_INIT;
			uint32_t fed[N + 20];

			assert_non_null(encoder);
			assert_int_equal(encoder_know(encoder, 5), 0);
			memcpy(fed, ids, sizeof(ids));
			for (unsigned i = at; i < N + 20; i++)
				fed[i] = strangers[s];
			assert_int_equal(encoder_feed(encoder, fed, at + 20), at);
			assert_false(encoder_full(encoder));
			assert_int_equal(encoder_feed(encoder, fed + at, 1), 0);
			/* and it goes on from there */
			assert_int_equal(encoder_feed(encoder, ids + at, N - at), N - at);
			check_chunk(encoder, ids, 5, &strings);
			buf_fini(&strings);
			encoder_free(encoder);
		}
}

/* ---- taking back --------------------------------------------------------- */

static void feed(struct encoder *encoder, const uint32_t *ids, size_t n)
{
	assert_int_equal(encoder_feed(encoder, ids, n), n);
}

/* What the counts and weights of a chunk add up to. */
static void check_sums(const struct encoder *encoder, const uint32_t *ids, size_t n,
		       uint32_t known)
{
	uint16_t *weights = calloc(known + 1ul, sizeof(*weights));
	uint64_t *totals = calloc(known + 1ul, sizeof(*totals)), weight = 0;

	assert_true(weights && totals);
	for (uint32_t id = 1; id <= known; id++)
		weights[id] = (uint16_t)(id % 1000);
	encoder_add_up(encoder, totals);
	for (size_t i = 0; i < n; i++) {
		weight += weights[ids[i]];
		totals[ids[i]]--;
	}
	for (uint32_t id = 1; id <= known; id++)
		assert_int_equal(totals[id], 0);
	assert_int_equal(encoder_weigh(encoder, weights), weight);
	free(weights);
	free(totals);
}

/* Cuts anywhere: without its last id a chunk is what it is when that never came. */
static void check_taking_back(const uint32_t *ids, size_t n, uint32_t known,
			      uint64_t seed)
{
	struct encoder *encoder = encoder_new(MANY), *plain = encoder_new(MANY);
	struct buf strings = BUF_INIT, plain_strings = BUF_INIT;
	size_t first = 0, done = 0;

	assert_true(encoder && plain);
	assert_int_equal(encoder_know(encoder, known), 0);
	assert_int_equal(encoder_know(plain, known), 0);
	while (done < n) {
		size_t more = 1 + sample_random(&seed) % (sample_random(&seed) % 900 + 1);

		more = more < n - done ? more : n - done;
		feed(encoder, ids + done, more);
		done += more;
		feed(plain, ids + first, done - 1 - first);
		assert_int_equal(encoder_take_back(encoder), ids[done - 1]);
		strings.len = plain_strings.len = 0;
		check_chunk(encoder, ids + first, known, &strings);
		check_sums(encoder, ids + first, done - 1 - first, known);
		check_chunk(plain, ids + first, known, &plain_strings);
		assert_int_equal(strings.len, plain_strings.len);
		assert_memory_equal(strings.data, plain_strings.data, strings.len);
		encoder_reset(encoder);
		encoder_reset(plain);
		first = done - 1;
		feed(encoder, ids + first, 1);
	}
	encoder_free(encoder);
	encoder_free(plain);
	buf_fini(&strings);
	buf_fini(&plain_strings);
}

static void test_taking_back(void **state)
{
	enum { N = 12000 };
	static const uint32_t knowns[] = { 1, 2, 5, 300, 20000 };
	uint32_t *ids = sample_ids(N), id = 1;
	uint64_t seed = 6;

	(void)state;
	for (unsigned k = 0; k < sizeof(knowns) / sizeof(*knowns); k++) {
		for (size_t i = 0; i < N; i++) {
			uint32_t way = sample_random(&seed) % 64;

			ids[i] = id;
			id = 1 + (id * 7 + (way < 4 ? way * 13 : 0)) % knowns[k];
		}
		check_taking_back(ids, N, knowns[k], k);
	}
	/* Ids that are always new: the greatest so far goes back, too. */
	for (size_t i = 0; i < N; i++)
		ids[i] = (uint32_t)i + 1;
	check_taking_back(ids, N, N, 7);
	free(ids);
}

/* Last: by now all kinds of codes have been there. */
static void test_kinds(void **state)
{
	(void)state;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!kinds[i])
			fail_msg("no code of kind %u", i);
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

/*
 * The decoder is as large as the largest chunk made it, and each chunk then costs as much: so
 * those come late.
 */
static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_random),		cmocka_unit_test(test_graph),
	cmocka_unit_test(test_one_block),	cmocka_unit_test(test_recursion),
	cmocka_unit_test(test_loops),		cmocka_unit_test(test_run_lengths),
	cmocka_unit_test(test_many_forks),	cmocka_unit_test(test_marked),
	cmocka_unit_test(test_unknown_ids),	cmocka_unit_test(test_taking_back),
	cmocka_unit_test(test_many_successors), cmocka_unit_test(test_miss_limit),
	cmocka_unit_test(test_knowing),		cmocka_unit_test(test_kinds),
};

int main(void)
{
	return cmocka_run_group_tests_name("codec", tests, set_up, tear_down);
}
