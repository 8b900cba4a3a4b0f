// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis/mem/heap: random calls of allocators in a trace made by hand, and what lies at
 * random addresses at random instructions, against a search through the whole history.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/cache/profile.h"
#include "analysis/mem/allocators.h"
#include "heaped.h"
#include "trace/trace.h"

static struct wm_trace *trace;
static struct symbols *symbols;
static struct functions *functions;
static struct heap *heap;

static int make(void **state)
{
	(void)state;
	heaped_make("heap.wmk", HEAPED_CALLS);
	assert_int_equal(wm_trace_open(&trace, "heap.wmk", NULL), 0);
	assert_int_equal(symbols_new(&symbols, trace, NULL), 0);
	assert_int_equal(functions_new(&functions, symbols, NULL), 0);
	assert_int_equal(heap_new(&heap, trace, functions, 2, NULL), 0);
	return 0;
}

static int clean(void **state)
{
	(void)state;
	heap_free(heap);
	functions_free(functions);
	symbols_free(symbols);
	wm_trace_close(trace);
	return 0;
}

/* ---- checks --------------------------------------------------------------------------- */

static void check_at(struct heap_view *view, uint64_t at)
{
	struct heap_range range;
	uint64_t address = HEAPED_START + heaped_any((HEAPED_STEPS + 1) * HEAPED_STEP),
		 start, bytes, other;

	heap_view_move(view, at);
	heap_view_find(view, address, &range);
	bytes = heaped_at(at, address, &start);
	assert_true(range.start <= address && address <= range.last);
	assert_int_equal(range.number != 0, bytes != 0);
	if (bytes) {
		assert_int_equal(range.start, start);
		assert_int_equal(range.last, start + bytes - 1);
		assert_int_equal(heap_get(heap, range.number)->bytes, bytes);
		assert_true(heap_get(heap, range.number)->function);
		return;
	}
	/* All of the range is free, and its neighbours are not. */
	if (range.start)
		assert_int_not_equal(heaped_at(at, range.start - 1, &other), 0);
	if (range.last != UINT64_MAX)
		assert_int_not_equal(heaped_at(at, range.last + 1, &other), 0);
}

static void test_forwards(void **state)
{
	struct heap_view *view = heap_view_new(heap, 0, 0);

	(void)state;
	assert_non_null(view);
	for (uint64_t at = 0; at < heaped.insns; at += 1 + heaped_any(4))
		check_at(view, at);
	heap_view_free(view);
}

static void test_anywhere(void **state)
{
	struct heap_view *view = heap_view_new(heap, 0, 0);

	(void)state;
	assert_non_null(view);
	for (unsigned i = 0; i < 300; i++)
		check_at(view, heaped_any(heaped.insns + 10));
	heap_view_free(view);
}

/* ---- accesses -------------------------------------------------------------------------- */

/* Loads of objects by their bytes; 0: of none. */
static uint64_t wanted[0x101], found[0x101];

static void count_wanted(void)
{
	uint64_t start;

	memset(wanted, 0, sizeof(wanted));
	memset(found, 0, sizeof(found));
	for (size_t i = 0; i < heaped.n_loads; i++)
		wanted[heaped_at(heaped.loads[i].insn, heaped.loads[i].address, &start)]++;
}

static void add_found(const struct mem_owners *owners, uint32_t number, uint64_t loads)
{
	const struct heap_object *object = NULL;

	if (number > owners->heap_first && number < owners->stack)
		object = heap_get(owners->heap, number - owners->heap_first);
	found[object ? object->bytes : 0] += loads;
}

static void test_accesses(void **state)
{
	const unsigned streams[] = { 0 };
	struct selection selection = { .streams = streams, .n = 1, .to = UINT64_MAX };
	const struct mem_sites_ask ask = { .trace = trace,
					   .selection = &selection,
					   .symbols = symbols,
					   .functions = functions };
	struct mem_sites sites;
	struct mem_owners owners;
	const struct mem_grouping grouping = { .sites = &sites, .owners = &owners };
	struct cache_profile profile;
	struct cache_spec spec;
	struct mem_pages pages;

	(void)state;
	assert_int_equal(mem_sites_init(&sites, &ask, NULL), 0);
	assert_int_equal(mem_owners_init(&owners, trace, symbols, functions, 2, NULL), 0);
	/* Cut anywhere, on several threads, too. */
	for (unsigned threads = 1; threads < 4; threads++) {
		selection.threads = threads;
		selection.part_blocks = threads * 777;
		count_wanted();
		assert_int_equal(mem_usage(&pages, trace, &selection, &grouping, NULL),
				 0);
		for (size_t i = 0; i < pages.n; i++)
			add_found(&owners, pages.all[i].group, pages.all[i].sums.loads);
		mem_pages_fini(&pages);
		assert_memory_equal(found, wanted, sizeof(wanted));
	}
	cache_spec_init(&spec);
	for (unsigned shared = 0; shared < 2; shared++) {
		spec.shared = shared;
		count_wanted();
		assert_int_equal(cache_profile_gather(&profile, trace, &selection, &spec,
						      0, &grouping, NULL),
				 0);
		for (size_t i = 0; i < profile.n_objects; i++)
			add_found(&owners, profile.objects[i].number,
				  profile.objects[i].tally.accesses[CACHE_LOAD]);
		cache_profile_fini(&profile);
		assert_memory_equal(found, wanted, sizeof(wanted));
	}
	mem_owners_fini(&owners);
	mem_sites_fini(&sites);
}

/* Which places are of allocators: the lines of heaped.c, from 1. */
static void test_places(void **state)
{
	static const char *const names[] = {
		NULL,	 "malloc",	     "free", "realloc", NULL, "calloc",
		"_Znw*", "operator delete*", NULL,   NULL,	NULL, NULL,
	};
	struct allocators allocators;

	(void)state;
	assert_int_equal(allocators_init(&allocators, trace, NULL), 0);
	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct wm_access access = { .place = (uint16_t)i };
		const struct allocator *allocator = allocator_of(&allocators, &access);

		assert_int_equal(allocator != NULL, names[i] != NULL);
		if (allocator)
			assert_string_equal(allocator->name, names[i]);
	}
	assert_int_equal(allocator_argument(&allocators, 11), 1);
	assert_int_equal(allocator_argument(&allocators, 9), ALLOCATOR_ARGUMENTS);
	allocators_fini(&allocators);
}

/* Objects of one caller and size are one. */
static void test_names(void **state)
{
	(void)state;
	assert_in_range(heap_count(heap), 20, 40);
	for (uint32_t i = 1; i <= heap_count(heap); i++)
		for (uint32_t k = 1; k < i; k++)
			assert_true(heap_get(heap, i)->bytes !=
					    heap_get(heap, k)->bytes ||
				    heap_get(heap, i)->function !=
					    heap_get(heap, k)->function);
	assert_int_equal(heap_count(NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forwards), cmocka_unit_test(test_anywhere),
		cmocka_unit_test(test_names),	 cmocka_unit_test(test_places),
		cmocka_unit_test(test_accesses),
	};

	return cmocka_run_group_tests(tests, make, clean);
}
