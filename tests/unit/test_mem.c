// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis/mem: each answer against one that is computed by brute force from what the made-up
 * guest did, for any cutting, number of threads, and in shards.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/mem/map.h"
#include "analysis/mem/reuse.h"
#include "analysis/mem/usage.h"
#include "analysis/mem/walk.h"
#include "analysis/mem/workset.h"
#include "analysis/shard.h"
#include "trace/trace.h"
#include "valued.h"

enum { CHUNKS = 9, BLOCKS = 900, INTERVAL = 1000, LINES_MOST = 1 << 14 };

static struct valued valued;
static struct wm_trace *trace;
static struct symbols *symbols;
static struct functions *functions;
static struct mem_sites sites;
static const unsigned streams[VALUED_STREAMS] = { 0, 1 };

static struct selection whole(unsigned threads, uint64_t part_blocks)
{
	return (struct selection){
		.streams = streams,
		.n = VALUED_STREAMS,
		.to = UINT64_MAX,
		.threads = threads,
		.part_blocks = part_blocks,
	};
}

static int make(void **state)
{
	struct selection selection = whole(1, 0);
	struct mem_sites_ask ask = { .selection = &selection };

	(void)state;
	valued_open(&valued, "mem.wmk");
	for (unsigned i = 0; i < CHUNKS; i++) {
		valued_chunk(&valued, 0, BLOCKS + i, true);
		valued_chunk(&valued, 1, 90, i != 3);
	}
	valued_close(&valued);
	trace = sample_trace("mem.wmk");
	assert_int_equal(symbols_new(&symbols, trace, NULL), 0);
	assert_int_equal(functions_new(&functions, symbols, NULL), 0);
	ask.trace = trace;
	ask.symbols = symbols;
	ask.functions = functions;
	assert_int_equal(mem_sites_init(&sites, &ask, NULL), 0);
	return 0;
}

static int clean(void **state)
{
	(void)state;
	mem_sites_fini(&sites);
	functions_free(functions);
	symbols_free(symbols);
	wm_trace_close(trace);
	valued_fini(&valued);
	return 0;
}

/* ---- several ways to the same answer ------------------------------------------------------- */

/*
 * In two shards, of which the second is made and merged first. What is not whole goes to
 * `spoilt`.
 */
static void in_shards(const struct analysis *analysis, void *setup, void *spoilt,
		      const struct selection *selection)
{
	struct shard_question question = { analysis, setup, trace, selection, NULL };
	struct buf a = BUF_INIT, b = BUF_INIT, both = BUF_INIT;
	struct segments segments;
	struct wm_error err;

	assert_int_equal(
		segments_cut(&segments, trace, selection, 1, analysis->across, &err), 0);
	question.segments = &segments;
	assert_true(segments.n > 4);
	assert_int_equal(shard_make(&question, segments.n / 2, segments.n, &b, &err), 0);
	assert_int_equal(shard_make(&question, 0, segments.n / 2, &a, &err), 0);
	assert_int_equal(shard_merge(&question, span_of(b.data, b.len),
				     span_of(a.data, a.len), &both, &err),
			 0);
	if (shard_finish(&question, span_of(both.data, both.len), &err))
		fail_msg("%s", err.text);
	question.setup = spoilt;
	/* Bytes that were cut short are an error, never a crash. */
	for (size_t n = 0; n < both.len; n += 1 + both.len / 97)
		assert_int_not_equal(shard_finish(&question, span_of(both.data, n), &err),
				     0);
	segments_fini(&segments);
	buf_fini(&a);
	buf_fini(&b);
	buf_fini(&both);
}

/* ---- sums by page ------------------------------------------------------------------------------ */

static size_t find_page(const struct mem_pages *pages, uint64_t page)
{
	for (size_t i = 0; i < pages->n; i++)
		if (pages->all[i].page == page)
			return i;
	fail_msg("there is no page");
	return 0;
}

/* What mem_usage() must give, from two accesses before of the same site in the same thread. */
static void expect_usage(struct mem_pages *pages)
{
	for (unsigned s = 0; s < VALUED_STREAMS; s++) {
		static struct site {
			unsigned seen;
			uint64_t last, stride;
		} sites_of[VALUED_BLOCKS + 1][8][2];

		memset(sites_of, 0, sizeof(sites_of));
		for (size_t i = 0; i < valued.n_ran[s]; i++) {
			const struct valued_access *ran = &valued.ran[s][i];
			uint64_t address = ran->access.address;
			struct site *site =
				&sites_of[ran->id][ran->access.insn]
					 [ran->access.kind == WM_ACCESS_STORE];
			uint64_t stride = address - site->last;
			unsigned seen = site->seen++;
			enum mem_stride kind = MEM_IRREGULAR;
			struct mem_page *page =
				&pages->all[find_page(pages, address >> MEM_PAGE_BITS)];

			if (seen >= 2 && !stride)
				kind = MEM_CONSTANT;
			else if (seen >= 2 && stride == site->stride)
				kind = MEM_STRIDED;
			site->last = address;
			site->stride = stride;
			page->sums.strides[kind]--;
			page->sums.bytes -= ran->access.size;
			page->sums.loads -= ran->access.kind == WM_ACCESS_LOAD;
			page->sums.stores -= ran->access.kind == WM_ACCESS_STORE;
			assert_true(page->lines >> (address >> MEM_LINE_BITS & 63) & 1);
		}
	}
	for (size_t i = 0; i < pages->n; i++) {
		static const struct mem_sums none;

		assert_memory_equal(&pages->all[i].sums, &none, sizeof(none));
	}
}

static void test_usage(void **state)
{
	static const uint64_t parts[] = { 0, 1, 2000 };
	const struct mem_grouping grouping = { .sites = &sites, .one = true };
	struct mem_pages first = { .n = 0 }, pages;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct selection selection = whole(1 + i, parts[i]);

		assert_int_equal(mem_usage(&pages, trace, &selection, &grouping, NULL),
				 0);
		assert_true(pages.n > 20);
		if (!i) {
			first = pages;
			continue;
		}
		assert_int_equal(pages.n, first.n);
		assert_memory_equal(pages.all, first.all, pages.n * sizeof(*pages.all));
		mem_pages_fini(&pages);
	}
	expect_usage(&first);
	mem_pages_fini(&first);
}

/* As mem_usage() begins, for a runner. */
struct usage_setup {
	const struct wm_trace *trace;
	const struct mem_grouping *grouping;
	struct mem_pages *pages;
};

static void test_usage_in_shards(void **state)
{
	const struct mem_grouping grouping = { .sites = &sites };
	struct selection selection = whole(2, 1);
	struct mem_pages pages = { .n = 0 }, spoilt = { .n = 0 }, once;
	struct usage_setup setup = { trace, &grouping, &pages },
			   bad = { trace, &grouping, &spoilt };
	uint64_t all = 0, accesses = 0;

	(void)state;
	in_shards(&mem_usage_analysis, &setup, &bad, &selection);
	assert_int_equal(mem_usage(&once, trace, &selection, &grouping, NULL), 0);
	assert_int_equal(pages.n, once.n);
	for (size_t i = 0; i < once.n; i++) {
		all += once.all[i].sums.loads + once.all[i].sums.stores;
		accesses += pages.all[i].sums.loads + pages.all[i].sums.stores;
	}
	assert_int_equal(all, valued.n_ran[0] + valued.n_ran[1]);
	assert_int_equal(accesses, all);
	mem_pages_fini(&pages);
	mem_pages_fini(&spoilt);
	mem_pages_fini(&once);
}

/* ---- reuse distances ----------------------------------------------------------------------------- */

/* SIZE_MAX: the access is the first one to a line. */
static void count_reuse(struct mem_reuse *reuse, size_t distance)
{
	unsigned class = 0;

	while (class + 1 < MEM_REUSE_CLASSES && mem_reuse_least(class + 1) <= distance)
		class ++;
	if (distance == SIZE_MAX)
		reuse->first++;
	else
		reuse->accesses[class]++;
}

/*
 * By a list of lines, the one used last in front. An access to two lines has the greater
 * distance.
 */
static struct mem_reuse expect_reuse(void)
{
	static uint64_t lines[LINES_MOST];
	struct mem_reuse reuse = { .first = 0 };

	for (unsigned s = 0; s < VALUED_STREAMS; s++) {
		size_t n = 0, at;

		for (size_t i = 0; i < valued.n_ran[s]; i++) {
			const struct wm_access *access = &valued.ran[s][i].access;
			uint64_t line = access->address >> MEM_LINE_BITS;
			size_t distance = 0;

			for (; line <= mem_last_byte(access) >> MEM_LINE_BITS; line++) {
				for (at = 0; at < n && lines[at] != line; at++)
					;
				if (at == n)
					distance = SIZE_MAX;
				else if (at > distance)
					distance = at;
				n += at == n;
				assert_true(n < LINES_MOST);
				memmove(lines + 1, lines, at * sizeof(*lines));
				lines[0] = line;
			}
			count_reuse(&reuse, distance);
		}
	}
	return reuse;
}

static void test_reuse(void **state)
{
	struct mem_reuse expected = expect_reuse(), reuse, spoilt = { .first = 0 };
	static const uint64_t parts[] = { 0, 1, 2000 };

	(void)state;
	assert_true(expected.accesses[5] > 0);
	for (unsigned i = 0; i < 3; i++) {
		struct selection selection = whole(1 + i, parts[i]);

		assert_int_equal(mem_reuse(&reuse, trace, &selection, NULL), 0);
		assert_memory_equal(&reuse, &expected, sizeof(reuse));
	}
	reuse = (struct mem_reuse){ .first = 0 };
	struct selection selection = whole(2, 1);

	in_shards(&mem_reuse_analysis, &reuse, &spoilt, &selection);
	assert_memory_equal(&reuse, &expected, sizeof(reuse));
}

/* ---- working sets ---------------------------------------------------------------------------------- */

static bool touches(const struct wm_access *access, uint64_t place, unsigned bits)
{
	return access->address >> bits == place || mem_last_byte(access) >> bits == place;
}

/*
 * How many different lines, or pages, ran[from..to) touches that ran[0..from) does not
 * (fresh).
 */
static uint64_t different(const struct valued_access *ran, size_t from, size_t to,
			  unsigned bits, bool fresh)
{
	uint64_t n = 0;

	for (size_t i = from; i < to; i++) {
		uint64_t place = ran[i].access.address >> bits;

		for (; place <= mem_last_byte(&ran[i].access) >> bits; place++) {
			size_t k = fresh ? 0 : from;

			while (k < i && !touches(&ran[k].access, place, bits))
				k++;
			n += k == i;
		}
	}
	return n;
}

static void test_workset(void **state)
{
	static const uint64_t parts[] = { 0, 1, 2000 };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct selection selection = whole(1 + i, parts[i]);
		struct workset workset;
		size_t row = 0;

		assert_int_equal(
			workset_gather(&workset, trace, &selection, INTERVAL, NULL), 0);
		for (unsigned s = 0; s < VALUED_STREAMS; s++)
			for (size_t from = 0, to; from < valued.n_ran[s]; from = to) {
				const struct valued_access *ran = valued.ran[s];
				uint64_t number = ran[from].insn_ordinal / INTERVAL;
				const struct workset_row *is = &workset.rows[row++];

				for (to = from;
				     to < valued.n_ran[s] &&
				     ran[to].insn_ordinal / INTERVAL == number;)
					to++;
				assert_true(row <= workset.n);
				assert_int_equal(is->stream, s);
				assert_int_equal(is->from, number * INTERVAL);
				assert_int_equal(is->loads + is->stores, to - from);
				if (i && row % 5)
					continue; /* the rest takes time */
				assert_int_equal(is->lines,
						 different(ran, from, to, MEM_LINE_BITS,
							   false));
				assert_int_equal(is->new_lines,
						 different(ran, from, to, MEM_LINE_BITS,
							   true));
				assert_int_equal(is->pages,
						 different(ran, from, to, MEM_PAGE_BITS,
							   false));
				assert_int_equal(is->new_pages,
						 different(ran, from, to, MEM_PAGE_BITS,
							   true));
			}
		assert_int_equal(row, workset.n);
		workset_fini(&workset);
	}
}

/* ---- one by one -------------------------------------------------------------------------------------- */

struct walked {
	size_t at, n;
	unsigned stream;
	struct mem_wanted wanted;
};

static bool is_wanted(const struct mem_wanted *wanted, const struct valued_access *ran)
{
	return ran->insn_ordinal >= wanted->from && ran->insn_ordinal < wanted->to &&
	       ran->access.address <= wanted->bytes.last &&
	       ran->access.address + ran->access.size > wanted->bytes.first &&
	       (!wanted->stores_only || ran->access.kind == WM_ACCESS_STORE);
}

static int take(void *cookie, const struct mem_access *access, struct wm_error *err)
{
	struct walked *walked = cookie;
	const struct valued_access *ran = valued.ran[walked->stream];

	(void)err;
	while (!is_wanted(&walked->wanted, &ran[walked->at]))
		assert_true(++walked->at < valued.n_ran[walked->stream]);
	assert_int_equal(access->insn, ran[walked->at].insn_ordinal);
	assert_int_equal(access->id, ran[walked->at].id);
	assert_int_equal(access->stream, walked->stream);
	assert_int_equal(access->access->address, ran[walked->at].access.address);
	assert_true(access->pc >= valued.sample.address_of[access->id]);
	walked->at++;
	walked->n++;
	return 0;
}

static struct mem_wanted any_range(uint64_t *seed)
{
	const struct valued_access *ran =
		&valued.ran[0][sample_random(seed) % valued.n_ran[0]];
	struct mem_wanted wanted = MEM_ALL;

	wanted.bytes.first = ran->access.address + sample_random(seed) % 3;
	wanted.bytes.last = wanted.bytes.first + sample_random(seed) % 64;
	wanted.to = (uint64_t)sample_random(seed) * valued.sample.streams[0].insns >> 30;
	wanted.stores_only = sample_random(seed) % 2;
	return wanted;
}

static void test_walk(void **state)
{
	uint64_t seed = 3;

	(void)state;
	for (unsigned i = 0; i < 30; i++) {
		struct walked walked = { .stream = i % 2, .wanted = any_range(&seed) };
		size_t expected = 0;

		if (i < 2)
			walked.wanted = MEM_ALL;
		if (i % 3 == 2)
			walked.wanted.from = walked.wanted.to / 2;
		assert_int_equal(mem_walk(trace, walked.stream, &walked.wanted, take,
					  &walked, NULL) < 0,
				 0);
		for (size_t k = 0; k < valued.n_ran[walked.stream]; k++)
			expected +=
				is_wanted(&walked.wanted, &valued.ran[walked.stream][k]);
		assert_int_equal(walked.n, expected);
	}
}

static void test_last(void **state)
{
	struct mem_access access;
	struct wm_access values;
	unsigned found = 0;
	uint64_t seed = 8;

	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		struct mem_wanted wanted = any_range(&seed);
		const struct valued_access *last = NULL;
		int ret = mem_last(trace, 0, &wanted, &access, &values, NULL);

		for (size_t k = 0; k < valued.n_ran[0]; k++)
			if (is_wanted(&wanted, &valued.ran[0][k]))
				last = &valued.ran[0][k];
		assert_int_equal(ret, last ? 0 : WM_END);
		if (!last)
			continue;
		found++;
		assert_int_equal(access.insn, last->insn_ordinal);
		assert_int_equal(access.access->address, last->access.address);
		assert_int_equal(access.access->data[0], last->access.data[0]);
	}
	assert_true(found > 50);
}

static void test_missing(void **state)
{
	(void)state;
	assert_int_equal(mem_missing(trace, 0), 0);
	assert_true(mem_missing(trace, 1) > 90);
	assert_true(mem_missing(trace, 1) < valued.sample.streams[1].insns / 4);
}

/* ---- access maps -------------------------------------------------------------------------- */

/* The least size of rows of which no more than `most` were accessed. */
static unsigned bits_of(size_t most)
{
	static uint64_t numbers[VALUED_MOST];
	unsigned bits = 5;
	size_t n;

	do {
		bits++;
		n = 0;
		for (size_t i = 0; i < valued.n_ran[0] && n <= most; i++) {
			uint64_t number = valued.ran[0][i].access.address >> bits;
			size_t at = 0;

			while (at < n && numbers[at] != number)
				at++;
			if (at == n)
				numbers[n++] = number;
		}
	} while (n > most);
	return bits;
}

/* Every access is counted in its row and column, and nothing else is. */
static void must_be_map(const struct mem_map *map, size_t most)
{
	uint64_t all = 0;

	assert_int_equal(map->bits, bits_of(most));
	assert_true(map->n && map->n <= most);
	for (size_t i = 0; i < valued.n_ran[0]; i++) {
		const struct valued_access *ran = &valued.ran[0][i];
		size_t column = (ran->insn_ordinal - map->from) / map->width, row = 0;

		while (map->rows[row].number != ran->access.address >> map->bits)
			assert_true(++row < map->n);
		(ran->access.kind == WM_ACCESS_LOAD ? map->rows[row].loads :
						      map->rows[row].stores)[column]--;
	}
	for (size_t i = 0; i < map->n; i++) {
		assert_true(!i || map->rows[i].number > map->rows[i - 1].number);
		for (size_t k = 0; k < map->columns * 2; k++)
			all += map->rows[i].loads[k] != 0;
	}
	assert_int_equal(all, 0);
	assert_int_equal(map->loads + map->stores, valued.n_ran[0]);
}

static void test_map(void **state)
{
	static const uint64_t parts[] = { 0, 1, 2000 };
	static const size_t rows[] = { 2, 50, 4000 };

	(void)state;
	for (unsigned i = 0; i < 9; i++) {
		const struct mem_map_size size = { 1 + 77 * (i / 3), rows[i % 3] };
		struct selection selection = whole(1 + i % 3, parts[i / 3]);
		struct mem_map map;

		selection.n = 1;
		assert_int_equal(mem_map_gather(&map, trace, &selection, &size, NULL), 0);
		must_be_map(&map, size.rows);
		mem_map_fini(&map);
	}
}

static void test_map_in_shards(void **state)
{
	struct selection selection = whole(2, 1);
	const struct mem_map_size size = { 40, 30 };
	struct mem_map map, spoilt;
	struct mem_map_setup setup = { &map, trace, size.rows },
			     bad = { &spoilt, trace, size.rows };

	(void)state;
	selection.n = 1;
	/* Its size is what counts. */
	assert_int_equal(mem_map_gather(&map, trace, &selection, &size, NULL), 0);
	spoilt = (struct mem_map){ .width = map.width, .columns = map.columns };
	map.loads = map.stores = 0;
	in_shards(&mem_map_analysis, &setup, &bad, &selection);
	must_be_map(&map, size.rows);
	mem_map_fini(&map);
	mem_map_fini(&spoilt);
}

/* A hole, a stack, and what lies next to it. */
static void test_regions(void **state)
{
	struct mem_map_row rows[] = { { 1, false, NULL, NULL },
				      { 2, false, NULL, NULL },
				      { 0x100000, true, NULL, NULL },
				      { 0x100001, false, NULL, NULL } };
	const struct mem_map map = { .bits = 6, .rows = rows, .n = 4 };
	struct mem_map_region region;

	(void)state;
	mem_map_region(&map, NULL, 0, 0, &region);
	assert_int_equal(region.end, 2);
	assert_int_equal(region.start, 64);
	assert_int_equal(region.last, 191);
	assert_false(region.is_stack);
	mem_map_region(&map, NULL, 0, 2, &region);
	assert_int_equal(region.end, 4);
	assert_true(region.is_stack);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_map),
	cmocka_unit_test(test_map_in_shards),
	cmocka_unit_test(test_regions),
	cmocka_unit_test(test_usage),
	cmocka_unit_test(test_usage_in_shards),
	cmocka_unit_test(test_reuse),
	cmocka_unit_test(test_workset),
	cmocka_unit_test(test_walk),
	cmocka_unit_test(test_last),
	cmocka_unit_test(test_missing),
};

int main(void)
{
	return cmocka_run_group_tests_name("mem", tests, make, clean);
}
