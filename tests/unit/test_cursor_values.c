// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * wm_cursor_accesses(): the accesses of a step are those that the made-up guest did, however
 * the cursor came there; and what a trace without them, or a damaged one, gives.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "trace/cursor.h"
#include "trace/decoders.h"
#include "trace/salvage.h"
#include "valued.h"

enum { CHUNKS = 6, BLOCKS = 3000, SHARED = 8 };

static struct valued valued;
static struct wm_trace *trace;

static int make(void **state)
{
	(void)state;
	valued_open(&valued, "valued.wmk");
	for (unsigned i = 0; i < CHUNKS; i++) {
		valued_chunk(&valued, 0, BLOCKS + i, true);
		if (i % 2)
			valued_chunk(&valued, 1, 40, i > 1);
	}
	valued_close(&valued);
	trace = sample_trace("valued.wmk");
	return 0;
}

static int clean(void **state)
{
	(void)state;
	wm_trace_close(trace);
	valued_fini(&valued);
	return 0;
}

static void must_be(const struct wm_access *access, const struct valued_access *ran,
		    uint32_t block)
{
	assert_int_equal(access->address, ran->access.address);
	assert_memory_equal(access->data, ran->access.data, sizeof(access->data));
	assert_int_equal(access->insn, ran->access.insn);
	assert_int_equal(access->size, ran->access.size);
	assert_int_equal(access->kind, ran->access.kind);
	assert_int_equal(access->has_data, ran->access.has_data);
	assert_int_equal(access->block, block);
}

/* The index of the first access at or after a block of stream 0. */
static size_t first_of(uint64_t block)
{
	size_t i = 0;

	while (i < valued.n_ran[0] && valued.ran[0][i].block_ordinal < block)
		i++;
	return i;
}

static struct wm_cursor *new_cursor(unsigned stream)
{
	struct wm_cursor *cursor;

	assert_int_equal(wm_cursor_new(&cursor, trace, stream, NULL), 0);
	return cursor;
}

static void must_be_step(struct wm_cursor *cursor, size_t *at, uint64_t block, size_t n)
{
	const struct wm_access *accesses;
	struct wm_error err;
	size_t count;

	if (wm_cursor_accesses(cursor, &accesses, &count, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < count; i++, ++*at)
		must_be(&accesses[i], &valued.ran[0][*at],
			(uint32_t)(valued.ran[0][*at].block_ordinal - block));
	if (*at < valued.n_ran[0])
		assert_true(valued.ran[0][*at].block_ordinal >= block + n);
}

static void by_runs(void **state)
{
	struct wm_cursor *cursor = new_cursor(0);
	uint32_t copy[DECODER_PIECE];
	const uint32_t *ids;
	struct wm_step step;
	size_t n, at = 0;

	(void)state;
	while (!wm_cursor_next_run(cursor, &ids, &n, &step, NULL)) {
		memcpy(copy, ids, n * sizeof(*ids));
		must_be_step(cursor, &at, step.block_ordinal, n);
		assert_memory_equal(copy, ids, n * sizeof(*ids));
	}
	assert_int_equal(at, valued.n_ran[0]);
	wm_cursor_free(cursor);
}

static void by_blocks(void **state)
{
	struct wm_cursor *cursor = new_cursor(0);
	struct wm_step step;
	size_t at = 0;

	(void)state;
	while (!wm_cursor_next_block(cursor, &step, NULL)) {
		size_t begin = at;

		must_be_step(cursor, &at, step.block_ordinal, 1);
		must_be_step(cursor, &begin, step.block_ordinal, 1); /* asked again */
	}
	assert_int_equal(at, valued.n_ran[0]);
	wm_cursor_free(cursor);
}

static void by_insns(void **state)
{
	struct wm_cursor *cursor = new_cursor(0);
	const struct wm_access *accesses;
	struct wm_step step;
	size_t n, at = 0;

	(void)state;
	while (!wm_cursor_next_insn(cursor, &step, NULL)) {
		assert_int_equal(wm_cursor_accesses(cursor, &accesses, &n, NULL), 0);
		for (size_t i = 0; i < n; i++, at++) {
			must_be(&accesses[i], &valued.ran[0][at], 0);
			assert_int_equal(valued.ran[0][at].insn_ordinal,
					 step.insn_ordinal);
			assert_int_equal(accesses[i].insn, step.index);
		}
	}
	assert_int_equal(at, valued.n_ran[0]);
	wm_cursor_free(cursor);
}

/* Forwards, backwards, over chunks; not every step is asked about. */
static void after_seeks(void **state)
{
	struct wm_cursor *cursor = new_cursor(0);
	uint64_t blocks = valued.sample.streams[0].blocks;
	uint64_t seed = 9;
	const uint32_t *ids;
	struct wm_step step;

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		uint64_t block = (uint64_t)sample_random(&seed) * blocks >> 31;
		size_t n = 1, at;

		assert_int_equal(wm_cursor_seek_block(cursor, block, NULL), 0);
		for (uint32_t steps = sample_random(&seed) % 3; steps; steps--)
			wm_cursor_next_block(cursor, &step, NULL);
		if (i % 2 ? wm_cursor_next_block(cursor, &step, NULL) :
			    wm_cursor_next_run(cursor, &ids, &n, &step, NULL))
			continue;
		at = first_of(step.block_ordinal);
		must_be_step(cursor, &at, step.block_ordinal, n);
	}
	wm_cursor_free(cursor);
}

/*
 * What was not asked about begins in the piece of ids before the cursor's and ends in that: the
 * cursor's ids come back to where they were.
 */
static void past_a_piece(void **state)
{
	struct valued small = valued;
	struct wm_trace *other = trace;
	struct wm_cursor *cursor;
	uint64_t begin = DECODER_PIECE + 6;
	const uint32_t *ids;
	struct wm_step step;
	size_t n, at = 0;

	(void)state;
	valued_open(&valued, "long.wmk");
	valued_chunk(&valued, 0, DECODER_PIECE + 1000, true);
	valued_close(&valued);
	trace = sample_trace("long.wmk");
	cursor = new_cursor(0);
	for (unsigned i = 0; i < 100; i++)
		assert_int_equal(wm_cursor_next_block(cursor, &step, NULL), 0);
	at = first_of(step.block_ordinal);
	must_be_step(cursor, &at, step.block_ordinal, 1);
	assert_int_equal(wm_cursor_seek_block(cursor, begin, NULL), 0);
	at = first_of(begin);
	while (!wm_cursor_next_run(cursor, &ids, &n, &step, NULL))
		must_be_step(cursor, &at, step.block_ordinal, n);
	assert_int_equal(at, valued.n_ran[0]);
	wm_cursor_free(cursor);
	wm_trace_close(trace);
	valued_fini(&valued);
	valued = small;
	trace = other;
}

/*
 * Cursors that share few decoders find the ids of blocks that they passed, also when the
 * values of others took their memory.
 */
static void share_decoders(size_t most)
{
	struct decoders *decoders = decoders_new(trace, SHARED);
	struct wm_cursor *cursors[SHARED];
	const uint32_t *ids;
	struct wm_step step;
	size_t n, at;

	decoders_limit_values(decoders, most);
	for (unsigned i = 0; i < SHARED; i++) {
		assert_int_equal(
			cursor_new_sharing(&cursors[i], trace, 0, decoders, NULL), 0);
		assert_int_equal(wm_cursor_seek_block(cursors[i], 2500 * i, NULL), 0);
	}
	for (unsigned round = 0; round < 3; round++)
		for (unsigned i = 0; i < SHARED; i++) {
			if (wm_cursor_next_run(cursors[i], &ids, &n, &step, NULL))
				continue;
			at = first_of(step.block_ordinal);
			must_be_step(cursors[i], &at, step.block_ordinal, n);
		}
	for (unsigned i = 0; i < SHARED; i++)
		wm_cursor_free(cursors[i]);
	decoders_free(decoders);
}

static void with_shared_decoders(void **state)
{
	(void)state;
	share_decoders(DECODERS_VALUES);
	share_decoders(3u << 20);
	share_decoders(1);
}

static void in_parts(void **state)
{
	struct wm_cursor *cursor = new_cursor(0);
	const struct wm_access *accesses;
	const uint32_t *ids;
	struct wm_step step;
	size_t n, count, at;
	uint32_t part;

	(void)state;
	while (!wm_cursor_next_run(cursor, &ids, &n, &step, NULL))
		for (uint32_t done = 0; done < n; done += part) {
			part = n - done < 7 ? (uint32_t)n - done : 7;
			assert_int_equal(cursor_part_accesses(cursor, done, part,
							      &accesses, &count, NULL),
					 0);
			at = first_of(step.block_ordinal + done);
			for (size_t i = 0; i < count; i++)
				must_be(&accesses[i], &valued.ran[0][at + i],
					(uint32_t)(valued.ran[0][at + i].block_ordinal -
						   step.block_ordinal - done));
			if (step.block_ordinal > 500)
				goto done;
		}
done:
	wm_cursor_free(cursor);
}

/* Chunks without values, and cursors without a step. */
static void without(void **state)
{
	struct wm_cursor *cursor = new_cursor(1);
	const struct wm_access *accesses;
	struct wm_step step;
	size_t n = 1;

	(void)state;
	assert_int_equal(wm_cursor_accesses(cursor, &accesses, &n, NULL), WM_END);
	assert_int_equal(n, 0);
	wm_cursor_next_block(cursor, &step, NULL);
	assert_int_equal(wm_cursor_accesses(cursor, &accesses, &n, NULL), WM_END);
	wm_cursor_seek_block(cursor, 45, NULL);
	assert_int_equal(wm_cursor_accesses(cursor, &accesses, &n, NULL), WM_END);
	wm_cursor_next_block(cursor, &step, NULL);
	assert_int_equal(wm_cursor_accesses(cursor, &accesses, &n, NULL), 0);
	wm_cursor_free(cursor);
}

/* Callers that were compiled with an older or a newer struct. */
static void of_other_sizes(void **state)
{
	enum { OLDER = 8, NEWER = sizeof(struct wm_access) + 8 };
	struct wm_cursor *cursor = new_cursor(0);
	const struct wm_access *older, *newer;
	const uint32_t *ids;
	struct wm_step step;
	size_t n, count;
	uint64_t more;

	(void)state;
	assert_int_equal(wm_cursor_next_run(cursor, &ids, &n, &step, NULL), 0);
	assert_int_equal(wm_cursor_accesses_sized(cursor, &older, OLDER, &count, NULL),
			 0);
	assert_true(count > 10);
	for (size_t i = 0; i < count; i++)
		assert_memory_equal((const char *)older + i * OLDER,
				    &valued.ran[0][i].access.address, OLDER);
	assert_int_equal(wm_cursor_accesses_sized(cursor, &newer, NEWER, &count, NULL),
			 0);
	for (size_t i = 0; i < count; i++) {
		memcpy(&more, (const char *)newer + (i + 1) * NEWER - 8, 8);
		assert_int_equal(more, 0);
		assert_memory_equal((const char *)newer + i * NEWER,
				    &valued.ran[0][i].access.address, 8);
	}
	wm_cursor_free(cursor);
}

static void verified(void **state)
{
	struct wm_check check = { .threads = 2 };
	struct wm_error err;

	(void)state;
	if (wm_trace_verify(trace, &check, &err))
		fail_msg("%s", err.text);
	assert_int_equal(check.accesses, valued.n_ran[0] + valued.n_ran[1]);
}

/* A chunk whose values lack one of its words, or are those of another chunk. */
static void spoil(struct valued *bad, void (*after)(struct sample *sample, uint64_t off),
		  const char *sentence)
{
	struct wm_check check = { .threads = 1 };
	struct wm_trace *opened;
	struct wm_error err;

	valued_open(bad, "bad.wmk");
	bad->sample.after_path = after;
	valued_chunk(bad, 0, 100, true);
	valued_close(bad);
	opened = sample_trace("bad.wmk");
	assert_int_equal(wm_trace_verify(opened, &check, &err), WM_E_DAMAGED);
	assert_non_null(strstr(err.text, sentence));
	assert_true(err.offset > 0);
	wm_trace_close(opened);
	valued_fini(bad);
}

static void put_vals(struct sample *sample, uint64_t path_off, uint64_t words)
{
	struct valued *bad = (struct valued *)sample;
	struct values_strings strings;
	struct buf vals = BUF_INIT;

	values_encoder_finish(bad->encoder, &strings);
	strings.path_off = path_off;
	strings.words += words;
	values_put(&vals, &strings);
	sample_put(sample, SECTION_VALS, vals.data, vals.len);
	buf_fini(&vals);
}

static void put_more(struct sample *sample, uint64_t path_off)
{
	put_vals(sample, path_off, 1);
}

static void put_another(struct sample *sample, uint64_t path_off)
{
	put_vals(sample, path_off + 1, 0);
}

/* How many sections of the file recover leaves out. */
static size_t places_to_recover(void)
{
	int fd = open("bad.wmk", O_RDONLY | O_CLOEXEC);
	struct salvage *salvage;
	size_t places;

	assert_int_equal(salvage_open(&salvage, fd, "bad.wmk", NULL), 0);
	places = salvage->place_count;
	salvage_close(salvage);
	return places;
}

/* A second one for the chunk. */
static void put_twice(struct sample *sample, uint64_t path_off)
{
	put_vals(sample, path_off, 0);
	put_vals(sample, path_off, 0);
}

static void damaged(void **state)
{
	static struct valued bad;

	(void)state;
	spoil(&bad, put_more, "values");
	spoil(&bad, put_another, "another one");
	spoil(&bad, put_twice, "of no chunk");
	assert_int_equal(places_to_recover(), 1);
}

/* Bytes of a VALS that were changed, with a checksum that fits. */
static void put_flipped(struct sample *sample, uint64_t path_off)
{
	struct valued *bad = (struct valued *)sample;
	struct values_strings strings;
	struct buf vals = BUF_INIT;

	values_encoder_finish(bad->encoder, &strings);
	strings.path_off = path_off;
	values_put(&vals, &strings);
	for (unsigned i = 0; i < 3; i++)
		vals.data[8 + sample_random(&bad->seed) % (vals.len - 8)] ^=
			(uint8_t)(1u << sample_random(&bad->seed) % 8);
	sample_put(sample, SECTION_VALS, vals.data, vals.len);
	buf_fini(&vals);
}

static void hostile(void **state)
{
	struct wm_check check = { .threads = 1 };
	static struct valued bad;
	struct wm_trace *opened;
	unsigned damaged = 0;

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		valued_open(&bad, "bad.wmk");
		bad.seed = i;
		bad.sample.after_path = put_flipped;
		valued_chunk(&bad, 0, 100, true);
		valued_close(&bad);
		opened = sample_trace("bad.wmk");
		damaged += wm_trace_verify(opened, &check, NULL) == WM_E_DAMAGED;
		wm_trace_close(opened);
		valued_fini(&bad);
	}
	assert_true(damaged > 10);
}

static uint64_t last_path_off;

/* The chunk has no values. */
static void note_path(struct sample *sample, uint64_t path_off)
{
	(void)sample;
	last_path_off = path_off;
}

static void put_stray(struct sample *sample)
{
	uint8_t payload[48] = { 0 };

	put_u64(payload, last_path_off);
	sample_put(sample, SECTION_VALS, payload, sizeof(payload));
}

/*
 * What verify returns for values before the PATH of the only chunk, or after its CHNK;
 * `torn`: in a file whose recorder was killed.
 */
static int verify_stray(bool before, bool torn)
{
	static struct valued stray;
	struct wm_check check = { 0 };
	struct wm_trace *opened;
	int ret;

	valued_open(&stray, "bad.wmk");
	stray.sample.after_path = note_path;
	last_path_off = 0;
	if (before)
		put_stray(&stray.sample);
	valued_chunk(&stray, 0, 100, false);
	if (!before)
		put_stray(&stray.sample);
	sample_close(&stray.sample, torn);
	opened = sample_trace("bad.wmk");
	ret = wm_trace_verify(opened, &check, NULL);
	wm_trace_close(opened);
	valued_fini(&stray);
	return ret;
}

static void of_no_chunk(void **state)
{
	(void)state;
	assert_int_equal(verify_stray(true, false), WM_E_DAMAGED);
	assert_int_equal(places_to_recover(), 1);
	assert_int_equal(verify_stray(false, false), WM_E_DAMAGED);
	assert_int_equal(places_to_recover(), 1);
	assert_int_equal(verify_stray(true, true), WM_E_DAMAGED);
	assert_int_equal(verify_stray(false, true), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(by_runs),	  cmocka_unit_test(by_blocks),
	cmocka_unit_test(by_insns),	  cmocka_unit_test(after_seeks),
	cmocka_unit_test(past_a_piece),	  cmocka_unit_test(with_shared_decoders),
	cmocka_unit_test(in_parts),	  cmocka_unit_test(without),
	cmocka_unit_test(of_other_sizes), cmocka_unit_test(verified),
	cmocka_unit_test(damaged),	  cmocka_unit_test(hostile),
	cmocka_unit_test(of_no_chunk),
};

int main(void)
{
	return cmocka_run_group_tests_name("cursor_values", tests, make, clean);
}
