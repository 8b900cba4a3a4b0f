// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis/cache: replacement, write policies and prefetchers on sequences that were worked
 * out by hand; tree-PLRU against a tree that is walked from its root; what a user may write.
 * tests/cli/cache holds whole programs against cachegrind.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/cache/cache.h"
#include "sample.h"

enum { L1D = 1 << CACHE_L1D, L2 = 1 << CACHE_L2, LLC = 1 << CACHE_LLC };

/* L1I is never in the way; the others as given, NULL: none. */
static struct cache *make(const char *l1d, const char *l2, const char *llc)
{
	const char *texts[CACHE_PLACES] = { "1k,1,64", l1d, l2 ? l2 : "none",
					    llc ? llc : "none" };
	struct cache_spec spec;
	struct cache *cache;
	struct wm_error err;

	for (unsigned i = 0; i < CACHE_PLACES; i++)
		if (cache_parse_level(&spec.levels[i], (enum cache_place)i, texts[i],
				      &err))
			fail_msg("%s", err.text);
	assert_int_equal(cache_check(&spec, &err), 0);
	cache = cache_new(&spec);
	assert_non_null(cache);
	return cache;
}

static unsigned use(struct cache *cache, enum cache_kind kind, uint64_t address)
{
	const struct cache_access access = { address, 0x10, 8, kind };

	return cache_access(cache, &access);
}

/* Loads lines named by letters. '-' in `wanted` is a miss in the first level. */
static void expect(struct cache *cache, const char *lines, const char *wanted)
{
	for (size_t i = 0; lines[i]; i++) {
		unsigned missed = use(cache, CACHE_LOAD, (uint64_t)lines[i] << 6);

		if ((missed & L1D) != (wanted[i] == '-' ? L1D : 0))
			fail_msg("line %zu of %s", i, lines);
	}
	cache_free(cache);
}

/* ---- replacement --------------------------------------------------------------------- */

static void test_replacement(void **state)
{
	(void)state;
	expect(make("128,2,64", NULL, NULL), "ABACBC", "--+--+");
	/* Each way of a set has a line before one is replaced. */
	expect(make("256,4,64,random", NULL, NULL), "ABCDABCD", "----++++");
	expect(make("192,3,64", NULL, NULL), "ABCABCDA", "---+++--");
	/* Two sets: of even and of odd lines. */
	expect(make("128,1,64", NULL, NULL), "ABABCAB", "--++--+");
	/* After A again the tree points at C, where LRU replaces B. */
	expect(make("256,4,64,plru", NULL, NULL), "ABCDAEBC", "----+-+-");
	expect(make("256,4,64", NULL, NULL), "ABCDAEBC", "----+---");
}

/* The tree as a recursion: each half of the ways has a side that is used less recently. */
struct half {
	bool right;
	struct half *sides[2];
};

static struct half *grow(unsigned ways)
{
	struct half *half = calloc(1, sizeof(*half));

	assert_non_null(half);
	for (unsigned side = 0; ways > 2 && side < 2; side++)
		half->sides[side] = grow(ways / 2);
	return half;
}

static void fell(struct half *half)
{
	if (!half)
		return;
	fell(half->sides[0]);
	fell(half->sides[1]);
	free(half);
}

static void point_away(struct half *half, unsigned ways, unsigned way)
{
	bool right = way >= ways / 2;

	half->right = !right;
	if (ways > 2)
		point_away(half->sides[right], ways / 2, way % (ways / 2));
}

static unsigned oldest(const struct half *half, unsigned ways)
{
	unsigned below = ways > 2 ? oldest(half->sides[half->right], ways / 2) : 0;

	return half->right ? ways / 2 + below : below;
}

static void test_trees(void **state)
{
	enum { WAYS = 16, LINES = 24, ACCESSES = 20000 };
	struct cache *cache = make("1k,16,64,plru", NULL, NULL);
	struct half *tree = grow(WAYS);
	unsigned lines[WAYS] = { 0 }, used = 0;
	uint64_t seed = 3;

	(void)state;
	for (unsigned i = 0; i < ACCESSES; i++) {
		unsigned line = 1 + sample_random(&seed) % LINES, way = 0;
		bool hit;

		while (way < used && lines[way] != line)
			way++;
		hit = way < used;
		if (!hit)
			way = used < WAYS ? used++ : oldest(tree, WAYS);
		lines[way] = line;
		point_away(tree, WAYS, way);
		assert_int_equal(use(cache, CACHE_LOAD, (uint64_t)line << 6),
				 hit ? 0 : L1D);
	}
	fell(tree);
	cache_free(cache);
}

static void test_random(void **state)
{
	struct cache *one = make("512,8,64,random", NULL, NULL);
	struct cache *two = make("512,8,64,random", NULL, NULL);
	uint64_t seed = 5, misses;

	(void)state;
	for (unsigned i = 0; i < 10000; i++) {
		uint64_t address = (uint64_t)(sample_random(&seed) % 16) << 6;

		assert_int_equal(use(one, CACHE_LOAD, address),
				 use(two, CACHE_LOAD, address));
	}
	/* Half of the lines fit, so half of the accesses miss. */
	misses = cache_counts(one, CACHE_L1D)->misses[CACHE_LOAD];
	assert_in_range(misses, 4800, 5200);
	cache_free(one);
	cache_free(two);
}

/* ---- several lines, several levels --------------------------------------------------- */

static void test_straddling(void **state)
{
	struct cache *cache = make("256,4,64", NULL, "1k,4,64");
	const struct cache_counts *first = cache_counts(cache, CACHE_L1D);
	const struct cache_counts *last = cache_counts(cache, CACHE_LLC);

	(void)state;
	assert_int_equal(use(cache, CACHE_LOAD, 0x1000), L1D | LLC);
	assert_int_equal(use(cache, CACHE_LOAD, 0x103c), L1D | LLC);
	assert_int_equal(use(cache, CACHE_LOAD, 0x1040), 0);
	/* The last bytes of all memory, and the first ones. */
	assert_int_equal(use(cache, CACHE_LOAD, UINT64_MAX - 3), L1D | LLC);
	assert_int_equal(use(cache, CACHE_LOAD, 0), 0);
	assert_int_equal(first->accesses[CACHE_LOAD], 5);
	assert_int_equal(first->misses[CACHE_LOAD], 3);
	assert_int_equal(last->accesses[CACHE_LOAD], 3);
	cache_free(cache);
}

static void test_levels(void **state)
{
	struct cache *cache = make("64,1,64", "128,2,64", "256,4,64");

	(void)state;
	assert_int_equal(use(cache, CACHE_LOAD, 0x1000), L1D | L2 | LLC);
	assert_int_equal(use(cache, CACHE_LOAD, 0x2000), L1D | L2 | LLC);
	assert_int_equal(use(cache, CACHE_LOAD, 0x1000), L1D);
	assert_int_equal(use(cache, CACHE_LOAD, 0x3000), L1D | L2 | LLC);
	assert_int_equal(use(cache, CACHE_LOAD, 0x2000), L1D | L2);
	/* Code has a first level of its own, and shares the others. */
	assert_int_equal(use(cache, CACHE_FETCH, 0x2000), 1 << CACHE_L1I);
	assert_int_equal(use(cache, CACHE_FETCH, 0x2000), 0);
	assert_int_equal(cache_counts(cache, CACHE_L2)->accesses[CACHE_FETCH], 1);
	assert_int_equal(cache_counts(cache, CACHE_LLC)->accesses[CACHE_LOAD], 4);
	cache_free(cache);
}

/* ---- writes -------------------------------------------------------------------------- */

static void test_write_back(void **state)
{
	struct cache *cache = make("64,1,64", NULL, "128,2,64");

	(void)state;
	assert_int_equal(use(cache, CACHE_STORE, 0x1000), L1D | LLC);
	assert_int_equal(use(cache, CACHE_STORE, 0x1008), 0);
	use(cache, CACHE_LOAD, 0x2000); /* 0x1000 becomes dirty in the LLC */
	assert_int_equal(cache_counts(cache, CACHE_L1D)->writebacks, 1);
	assert_int_equal(cache_memory_writes(cache), 0);
	use(cache, CACHE_LOAD, 0x3000); /* and leaves it */
	assert_int_equal(cache_counts(cache, CACHE_L1D)->writebacks, 1);
	assert_int_equal(cache_counts(cache, CACHE_LLC)->writebacks, 1);
	assert_int_equal(cache_memory_writes(cache), 1);
	cache_free(cache);

	/* The line below a dirty one is clean, and may be gone when that leaves. */
	cache = make("128,2,64", NULL, "64,1,64");
	use(cache, CACHE_STORE, 0x1000);
	use(cache, CACHE_LOAD, 0x2000);
	assert_int_equal(cache_counts(cache, CACHE_LLC)->writebacks, 0);
	use(cache, CACHE_LOAD, 0x3000);
	assert_int_equal(cache_counts(cache, CACHE_L1D)->writebacks, 1);
	assert_int_equal(cache_memory_writes(cache), 1);
	cache_free(cache);
}

static void test_write_through(void **state)
{
	struct cache *cache = make("64,1,64,through", NULL, "128,2,64");

	(void)state;
	assert_int_equal(use(cache, CACHE_STORE, 0x1000), L1D | LLC);
	assert_int_equal(use(cache, CACHE_LOAD, 0x1000), L1D);
	assert_int_equal(use(cache, CACHE_STORE, 0x1000), 0);
	assert_int_equal(cache_counts(cache, CACHE_LLC)->accesses[CACHE_STORE], 2);
	use(cache, CACHE_LOAD, 0x2000);
	use(cache, CACHE_LOAD, 0x3000);
	assert_int_equal(cache_counts(cache, CACHE_L1D)->writebacks, 0);
	assert_int_equal(cache_counts(cache, CACHE_LLC)->writebacks, 1);
	assert_int_equal(cache_memory_writes(cache), 1);
	cache_free(cache);

	cache = make("64,1,64,through", NULL, "128,2,64,through");
	use(cache, CACHE_STORE, 0x1000);
	use(cache, CACHE_STORE, 0x1000);
	assert_int_equal(cache_counts(cache, CACHE_LLC)->misses[CACHE_STORE], 2);
	assert_int_equal(cache_memory_writes(cache), 2);
	cache_free(cache);

	/* Below a write-back level a store is a question for the line. */
	cache = make("64,1,64", NULL, "128,2,64,through");
	use(cache, CACHE_STORE, 0x1000);
	assert_int_equal(cache_memory_writes(cache), 0);
	use(cache, CACHE_LOAD, 0x2000);
	assert_int_equal(cache_memory_writes(cache), 1);
	assert_int_equal(use(cache, CACHE_LOAD, 0x1000), L1D);
	cache_free(cache);
}

/* ---- prefetchers --------------------------------------------------------------------- */

static void test_next_line(void **state)
{
	struct cache *cache = make("1k,4,64,next-line", NULL, "4k,4,64");
	const struct cache_counts *first = cache_counts(cache, CACHE_L1D);

	(void)state;
	for (uint64_t address = 0x1000; address < 0x1400; address += 8)
		use(cache, CACHE_LOAD, address);
	assert_int_equal(first->misses[CACHE_LOAD], 1);
	assert_int_equal(first->prefetches, 16);
	assert_int_equal(first->prefetch_hits, 15);
	/* What a prefetcher fetches is no access of the program's, but passes the LLC. */
	assert_int_equal(cache_counts(cache, CACHE_LLC)->accesses[CACHE_LOAD], 1);
	assert_int_equal(use(cache, CACHE_FETCH, 0x1400), 1 << CACHE_L1I);
	cache_free(cache);
}

static void test_stride(void **state)
{
	struct cache *cache = make("4k,8,64,stride", NULL, NULL);
	const struct cache_counts *first = cache_counts(cache, CACHE_L1D);

	(void)state;
	for (uint64_t i = 0; i < 10; i++)
		use(cache, CACHE_LOAD, 0x1000 + i * 256);
	/* The third equal distance is known with the fourth access. */
	assert_int_equal(first->misses[CACHE_LOAD], 4);
	assert_int_equal(first->prefetches, 7);
	assert_int_equal(first->prefetch_hits, 6);
	/* Another distance: 3 more are needed. */
	for (uint64_t i = 0; i < 10; i++)
		use(cache, CACHE_LOAD, 0x80000 - i * 128);
	assert_int_equal(first->misses[CACHE_LOAD], 8);
	cache_free(cache);
}

/* ---- what a user may write ----------------------------------------------------------- */

#define NUMBERS                                                                    \
	"takes SIZE,WAYS,LINE with numbers, of up to 64 ways and 4096 bytes in a " \
	"line, not "

static void refused(enum cache_place place, const char *text, const char *sentence)
{
	struct cache_level level = { .ways = 77 };
	struct wm_error err;

	assert_int_equal(cache_parse_level(&level, place, text, &err), WM_E_RANGE);
	assert_string_equal(err.text, sentence);
	assert_int_equal(level.ways, 77);
}

static void test_texts(void **state)
{
	struct cache_spec spec;
	struct cache_level level;
	struct wm_error err;

	(void)state;
	for (const struct cache_preset *preset = cache_presets; preset->name; preset++) {
		assert_int_equal(cache_parse_preset(&spec, preset->name, &err), 0);
		assert_int_equal(cache_check(&spec, &err), 0);
	}
	assert_int_equal(cache_parse_preset(&spec, "abacus", &err), WM_E_RANGE);
	assert_int_equal(cache_parse_level(&level, CACHE_L2,
					   "2M,16,64,stride,plru,through", &err),
			 0);
	assert_int_equal(level.bytes, 2 << 20);
	assert_int_equal(level.replace, CACHE_PLRU);
	assert_int_equal(level.write, CACHE_THROUGH);
	assert_int_equal(level.prefetch, CACHE_STRIDE);
	refused(CACHE_L1D, "", "l1d " NUMBERS "\"\"");
	refused(CACHE_L1D, "none", "l1d " NUMBERS "\"none\"");
	refused(CACHE_L1D, "64k,128,64", "l1d " NUMBERS "\"64k,128,64\"");
	refused(CACHE_L2, "32k,8", "l2 " NUMBERS "\"32k,8\"");
	refused(CACHE_L2, "32kk,8,64", "l2 " NUMBERS "\"32kk,8,64\"");
	refused(CACHE_L2, "-1,8,64", "l2 " NUMBERS "\"-1,8,64\"");
	refused(CACHE_LLC, "8192M,8,64", "llc " NUMBERS "\"8192M,8,64\"");
	refused(CACHE_LLC, "8M,8,48",
		"a line of llc has a power of two of bytes, from 16 to 4096");
	refused(CACHE_LLC, "8M,12,64",
		"the sets of llc must be a power of two: 8388608 bytes are not, in 12 "
		"ways of 64 bytes");
	refused(CACHE_L1D, "48k,12,64,plru",
		"l1d has 12 ways, and plru needs a power of two");
	refused(CACHE_L1D, "32k,8,64,fifo",
		"l1d cannot be \"fifo\": there are lru, plru, random; back, through; "
		"next-line, stride, no-prefetch");
	refused(CACHE_L1D, "32k,8,64,plru,through,random",
		"l1d has \"random\" after another word of that kind");
	refused(CACHE_L2, "32k,8,64,back,through",
		"l2 has \"through\" after another word of that kind");
	refused(CACHE_L1D, "32k,8,64,stride,next-line",
		"l1d has \"next-line\" after another word of that kind");
	refused(CACHE_L1D, "32k,8,64,,plru", "l1d cannot be \"32k,8,64,,plru\"");
	refused(CACHE_L1I, "32k,8,64,stride",
		"l1i cannot be \"stride\": there are lru, plru, random; back, through; "
		"next-line, no-prefetch");
	cache_spec_init(&spec);
	spec.levels[CACHE_L2].line = 32;
	assert_int_equal(cache_check(&spec, &err), WM_E_RANGE);
	assert_string_equal(err.text, "a line of l2 is shorter than one of l1i");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_replacement),   cmocka_unit_test(test_trees),
	cmocka_unit_test(test_random),	      cmocka_unit_test(test_straddling),
	cmocka_unit_test(test_levels),	      cmocka_unit_test(test_write_back),
	cmocka_unit_test(test_write_through), cmocka_unit_test(test_next_line),
	cmocka_unit_test(test_stride),	      cmocka_unit_test(test_texts),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
