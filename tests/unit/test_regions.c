// SPDX-License-Identifier: GPL-2.0-or-later
/* analysis/regions: which end belongs to which begin, and what is summed up of them. */
#include "analysis/regions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static struct regions *regions;
static struct mark mark;

static int set_up(void **state)
{
	(void)state;
	return regions_new(&regions, 2, 100, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	regions_free(regions);
	return 0;
}

static int take(unsigned stream, uint64_t what, uint64_t id, uint64_t insn)
{
	const struct wm_event event = {
		.insn_ordinal = insn,
		.ns = 10 * insn,
		.kind = WM_EVENT_MARKER,
		.n_fields = 2,
		.fields = { what, id },
	};

	return regions_take(regions, stream, &event, &mark, NULL);
}

static void point(unsigned stream, uint64_t id, uint64_t insn)
{
	assert_int_equal(take(stream, WM_MARKER_POINT, id, insn), 0);
}

static void begin(unsigned stream, uint64_t id, uint64_t insn, uint32_t depth)
{
	assert_int_equal(take(stream, WM_MARKER_BEGIN, id, insn), 0);
	assert_int_equal(mark.depth, depth);
	assert_false(mark.paired);
}

/* An end of what began at `from`; 0: of nothing. */
static void end(unsigned stream, uint64_t id, uint64_t insn, uint64_t from,
		uint32_t depth)
{
	assert_int_equal(take(stream, WM_MARKER_END, id, insn), 0);
	assert_int_equal(mark.paired, from != 0);
	assert_int_equal(mark.begin, from);
	assert_int_equal(mark.depth, depth);
}

static struct region_sums sums(uint32_t id)
{
	struct region_sums sums;

	regions_sums(regions, id, &sums);
	return sums;
}

static void test_fields(void **state)
{
	(void)state;
	point(1, 1023, 150);
	assert_int_equal(mark.stream, 1);
	assert_int_equal(mark.what, WM_MARKER_POINT);
	assert_int_equal(mark.id, 1023);
	assert_int_equal(mark.insn, 150);
	assert_int_equal(mark.ns, 1500);
	assert_int_equal(mark.since_insns, 50);
	point(1, 0, 151);
	assert_int_equal(mark.since_insns, 1);
	point(0, 0, 151);
	assert_int_equal(mark.since_insns, 51);
	assert_int_equal(sums(0).points, 2);
	assert_int_equal(sums(1023).points, 1);
}

/* Of one id the last begun is ended first; others may overlap. */
static void test_pairs(void **state)
{
	(void)state;
	begin(0, 1, 200, 0);
	begin(0, 2, 210, 1);
	begin(0, 1, 220, 2);
	begin(1, 1, 300, 0);
	end(0, 1, 225, 220, 2);
	end(0, 1, 250, 200, 1);
	end(0, 2, 260, 210, 0);
	end(1, 1, 301, 300, 0);
	assert_int_equal(sums(1).regions, 3);
	assert_int_equal(sums(1).fewest, 1);
	assert_int_equal(sums(1).most, 50);
	assert_int_equal(sums(1).insns, 56);
	assert_int_equal(sums(2).insns, 50);
	assert_int_equal(sums(1).unbegun + sums(1).unended, 0);
}

static void test_single(void **state)
{
	struct mark *open;
	size_t n;

	(void)state;
	end(0, 5, 200, 0, 0);
	begin(1, 5, 200, 0);
	end(0, 5, 201, 0, 0);
	begin(0, 7, 210, 0);
	begin(0, 6, 220, 1);
	assert_int_equal(sums(5).unbegun, 2);
	assert_int_equal(sums(5).unended, 1);
	assert_int_equal(sums(6).unended, 1);
	assert_int_equal(sums(5).regions, 0);
	assert_int_equal(regions_open(regions, &open, &n, NULL), 0);
	assert_int_equal(n, 3);
	assert_int_equal(open[0].id, 7);
	assert_int_equal(open[0].insn, 210);
	assert_int_equal(open[0].ns, 2100);
	assert_int_equal(open[1].id, 6);
	assert_int_equal(open[1].depth, 1);
	assert_int_equal(open[2].stream, 1);
	free(open);
}

static void test_none_open(void **state)
{
	struct mark *open;
	size_t n;

	(void)state;
	assert_int_equal(regions_open(regions, &open, &n, NULL), 0);
	assert_int_equal(n, 0);
	assert_null(open);
}

/* What no program of ours wrote. */
static void test_no_markers(void **state)
{
	struct wm_event event = {
		.kind = WM_EVENT_SIGNAL,
		.n_fields = 5,
		.fields = { 1, 1 },
	};

	(void)state;
	assert_int_equal(regions_take(regions, 0, &event, &mark, NULL), WM_END);
	event.kind = WM_EVENT_MARKER;
	event.n_fields = 1;
	assert_int_equal(regions_take(regions, 0, &event, &mark, NULL), WM_END);
	assert_int_equal(take(0, 3, 1, 200), WM_END);
	assert_int_equal(take(0, 1ull << 32, 1, 200), WM_END);
	assert_int_equal(take(0, WM_MARKER_BEGIN, MARKER_ID_MAX + 1, 200), WM_END);
	assert_int_equal(take(0, WM_MARKER_END, UINT64_MAX, 200), WM_END);
	assert_int_equal(sums(1).unended, 0);
}

/* Begins in a loop: the newest are kept, the others are counted. */
static void test_many(void **state)
{
	uint64_t begins = REGIONS_OPEN_MAX + REGIONS_OPEN_MAX / 2 + 1;
	struct mark *open;
	size_t n;

	(void)state;
	for (uint64_t i = 0; i < begins; i++)
		assert_int_equal(take(0, WM_MARKER_BEGIN, 9, 1000 + i), 0);
	assert_int_equal(sums(9).unended, begins);
	assert_int_equal(mark.depth, REGIONS_OPEN_MAX / 2);
	assert_int_equal(regions_open(regions, &open, &n, NULL), 0);
	assert_int_equal(n, REGIONS_OPEN_MAX / 2 + 1);
	assert_int_equal(open[n - 1].insn, 1000 + begins - 1);
	free(open);
	for (uint64_t i = 0; i < n; i++)
		end(0, 9, 1000000 + i, 1000 + begins - 1 - i, (uint32_t)(n - 1 - i));
	end(0, 9, 2000000, 0, 0);
	assert_int_equal(sums(9).regions, n);
	assert_int_equal(sums(9).unended, begins - n);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

static const struct CMUnitTest tests[] = {
	TEST(test_fields),    TEST(test_pairs),	     TEST(test_single),
	TEST(test_none_open), TEST(test_no_markers), TEST(test_many),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
