// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shards of a streamed analysis: handed out in order, in pieces or not, from one shard or several;
 * and what no shard can have is refused. The analysis lists numbers of each chunk: one for the
 * first, two for the second and so on, and each of them is a piece.
 */
#include "analysis/shard_row.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "analysis/shard-data.h"
#include "analysis/statebytes.h"
#include "base/error.h"
#include "sample.h"

enum { CHUNKS = 5, NUMBERS = CHUNKS * (CHUNKS + 1) / 2 };

static struct wm_trace *trace;
static struct segments segments;
static unsigned handed[NUMBERS + 1];
static size_t n_handed;

/* ---- the analysis ----------------------------------------------------------- */

struct state {
	unsigned numbers[CHUNKS];
	size_t n, put;
};

static int begin(void *to, void *setup, const struct segment *segment,
		 struct wm_error *err)
{
	(void)to, (void)setup, (void)segment, (void)err;
	return 0;
}

static int walk(void *to, const struct segment *segment, uint64_t from, uint64_t end,
		struct wm_error *err)
{
	struct state *state = to;

	(void)from, (void)end, (void)err;
	for (unsigned i = 0; i <= segment->chunk; i++)
		state->numbers[state->n++] = 10 * segment->chunk + i;
	return 0;
}

static int append(void *to, void *next, struct wm_error *err)
{
	(void)err;
	*(struct state *)to = *(struct state *)next;
	return 0;
}

static int drain(void *of, struct wm_error *err)
{
	struct state *state = of;

	(void)err;
	for (size_t i = 0; i < state->n; i++) {
		assert_true(n_handed < NUMBERS);
		handed[n_handed++] = state->numbers[i];
	}
	state->n = 0;
	return 0;
}

static void put(void *of, struct buf *out)
{
	struct state *state = of;

	buf_put_u8(out, (uint8_t)state->numbers[state->put++]);
}

static bool more(void *of)
{
	const struct state *state = of;

	return state->put < state->n;
}

static int get(void *to, struct span *in, struct wm_error *err)
{
	struct state *state = to;

	(void)err;
	while (span_left(in) && state->n < CHUNKS)
		state->numbers[state->n++] = span_u8(in);
	return 0;
}

static int stream(void *of, void *setup, unsigned index, struct wm_error *err)
{
	(void)setup, (void)index;
	return drain(of, err);
}

static void end(void *of)
{
	(void)of;
}

static struct analysis analysis = {
	.name = "numbers",
	.version = 1,
	.state_bytes = sizeof(struct state),
	.streamed = true,
	.begin = begin,
	.walk = walk,
	.append = append,
	.drain = drain,
	.put = put,
	.more = more,
	.get = get,
	.stream = stream,
	.end = end,
};

static const unsigned streams[] = { 0 };
static const struct selection selection = { .streams = streams,
					    .n = 1,
					    .to = UINT64_MAX,
					    .threads = 1 };
static struct shard_question question = { .analysis = &analysis,
					  .selection = &selection,
					  .segments = &segments };

static int set_up(void **state)
{
	static const uint32_t ids[] = { 1, 2, 1 };
	static struct sample sample;

	(void)state;
	sample_open(&sample, "row.wmk");
	sample_row(&sample, 2);
	sample_stream(&sample);
	for (unsigned i = 0; i < CHUNKS; i++)
		sample_chunk(&sample, 0, ids, 3);
	sample_close(&sample, false);
	question.trace = trace = sample_trace("row.wmk");
	assert_int_equal(segments_cut(&segments, trace, &selection, 1, false, NULL), 0);
	assert_int_equal(segments.n, CHUNKS);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	segments_fini(&segments);
	wm_trace_close(trace);
	return 0;
}

/* ---- handing out ------------------------------------------------------------ */

static struct shard_source make(size_t first, size_t until)
{
	struct shard_source source = { .spool = spool_new() };

	assert_int_equal(shard_row_make(&question, first, until, source.spool, NULL), 0);
	assert_int_equal(spool_end(source.spool, &source.shard, NULL), 0);
	return source;
}

static int hand_out(const struct shard_source *sources, size_t n, struct wm_error *err)
{
	struct shard_row row;
	int ret;

	n_handed = 0;
	shard_row_init(&row, &question);
	ret = shard_row_add(&row, sources, n, err);
	if (!ret)
		ret = shard_row_end(&row, err);
	shard_row_fini(&row);
	return ret;
}

static void check_all_handed_out(const struct shard_source *sources, size_t n)
{
	size_t at = 0;

	assert_int_equal(hand_out(sources, n, NULL), 0);
	assert_int_equal(n_handed, NUMBERS);
	for (unsigned chunk = 0; chunk < CHUNKS; chunk++)
		for (unsigned i = 0; i <= chunk; i++)
			assert_int_equal(handed[at++], 10 * chunk + i);
}

static void test_in_order(void **state)
{
	struct shard_source parts[] = { make(3, CHUNKS), make(0, 2), make(2, 3) };
	struct shard_source whole = { .spool = spool_new() };

	(void)state;
	check_all_handed_out(parts, 3);
	assert_int_equal(shard_row_join(&question, parts, 3, whole.spool, NULL), 0);
	assert_int_equal(spool_end(whole.spool, &whole.shard, NULL), 0);
	check_all_handed_out(&whole, 1);
	for (unsigned i = 0; i < 3; i++)
		spool_free(parts[i].spool);
	spool_free(whole.spool);
}

/* ---- what no shard can have --------------------------------------------------- */

/* A shard of groups[n], of which `count` are whole or end a segment. */
static struct buf shard_of(const struct group *groups, size_t n, uint64_t count)
{
	struct buf shard = BUF_INIT;

	shard_put_head(&question, count, &shard);
	for (size_t i = 0; i < n; i++) {
		struct group group = groups[i];

		group.bytes = span_of("\1", 1);
		shard_put_group(&shard, &group);
	}
	assert_false(shard.failed);
	return shard;
}

static void check_refused(const struct group *groups, size_t n, uint64_t count)
{
	struct buf shard = shard_of(groups, n, count);
	struct shard_source source = { span_of(shard.data, shard.len), NULL };
	struct wm_error err;

	assert_int_equal(hand_out(&source, 1, &err), WM_E_FORMAT);
	buf_fini(&shard);
}

static void test_hostile(void **state)
{
	const struct group other[] = { { .begin = 0, .end = 0 },
				       { .begin = 1, .end = 2 } };
	const struct group two[] = { { .begin = 0, .end = 0 }, { .begin = 0, .end = 2 } };
	const struct group open[] = { { .begin = 0, .end = 0 } };
	const struct group beyond[] = { { .begin = 0, .end = CHUNKS },
					{ .begin = CHUNKS, .end = CHUNKS } };
	const struct group again[] = { { .begin = 0, .end = 1 },
				       { .begin = 0, .end = 0 } };
	const struct group backward[] = { { .begin = 2, .end = 1 } };

	(void)state;
	check_refused(other, 2, 1);
	check_refused(two, 2, 1);
	check_refused(open, 1, 0);
	check_refused(open, 1, 1);
	check_refused(beyond, 2, 1);
	check_refused(beyond, 2, 2);
	check_refused(again, 2, 1);
	check_refused(again, 2, 2);
	check_refused(backward, 1, 1);
}

static void test_twice(void **state)
{
	struct shard_source both[] = { make(0, 3), make(2, CHUNKS) };
	struct wm_error err;

	(void)state;
	assert_int_equal(hand_out(both, 2, &err), WM_E_FORMAT);
	assert_int_equal(hand_out(both, 1, &err), WM_E_FORMAT);
	spool_free(both[0].spool);
	spool_free(both[1].spool);
}

/* Other analyses have no pieces. */
static void test_not_streamed(void **state)
{
	const struct group pieces[] = { { .begin = 0, .end = 0 },
					{ .begin = 0, .end = 1 } };
	struct buf shard = shard_of(pieces, 2, 1);
	struct wm_error err;

	(void)state;
	analysis.streamed = false;
	assert_int_equal(shard_finish(&question, span_of(shard.data, shard.len), &err),
			 WM_E_FORMAT);
	analysis.streamed = true;
	buf_fini(&shard);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_order),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_not_streamed),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
