// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis/cache/profile: caches that are fed by an analysis against caches that are fed by
 * hand, instruction by instruction, with what a made-up guest is known to have accessed;
 * of parts of a run too, and on any number of threads.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/cache/profile.h"
#include "valued.h"

/* Of stream 1, the first chunk has no values. */
enum { CHUNKS = 4, BLOCKS = 3000, SILENT = 40, MOST_INSNS = 8 };

static struct valued valued;
static struct wm_trace *trace;
static struct cache_spec spec;

/*
 * First levels in which hits are counted in all ways that whole.c and feed.c have: none by
 * itself, both, one of them. A prefetcher makes each fetch pass the caches.
 */
static const char *const first_levels[][2] = {
	{ "256,2,32", "2k,2,64,next-line" }, { "256,2,32", "2k,2,64" },
	{ "256,2,32,plru", "1k,4,64" },	     { "512,4,64", "1k,4,32,through" },
	{ "256,1,64", "1k,8,64,random" },
};
enum { SPECS = sizeof(first_levels) / sizeof(*first_levels) };

static void choose(size_t i)
{
	cache_parse_level(&spec.levels[CACHE_L1I], CACHE_L1I, first_levels[i][0], NULL);
	cache_parse_level(&spec.levels[CACHE_L1D], CACHE_L1D, first_levels[i][1], NULL);
}

/* What the caches must have said. */
static struct cache_profile wanted;
static struct cache_tally tallies[VALUED_BLOCKS + 1][MOST_INSNS];

static int make(void **state)
{
	(void)state;
	valued_open(&valued, "profile.wmk");
	valued_chunk(&valued, 1, SILENT, false);
	for (unsigned i = 0; i < CHUNKS; i++) {
		valued_chunk(&valued, 0, BLOCKS, true);
		valued_chunk(&valued, 1, BLOCKS, true);
	}
	valued_close(&valued);
	trace = sample_trace("profile.wmk");
	cache_parse_level(&spec.levels[CACHE_L2], CACHE_L2, "8k,4,64", NULL);
	cache_parse_level(&spec.levels[CACHE_LLC], CACHE_LLC, "16k,8,64", NULL);
	return 0;
}

static int clean(void **state)
{
	(void)state;
	wm_trace_close(trace);
	valued_fini(&valued);
	return 0;
}

static void feed(struct cache *cache, struct cache_tally *tally, uint64_t pc,
		 uint64_t address, uint32_t bytes, enum cache_kind kind)
{
	unsigned missed =
		cache_access(cache, &(struct cache_access){ address, pc, bytes, kind });

	tally->accesses[kind]++;
	tally->misses[CACHE_FIRST][kind] +=
		(missed & (1 << CACHE_L1I | 1 << CACHE_L1D)) != 0;
	tally->misses[CACHE_SECOND][kind] += (missed & 1 << CACHE_L2) != 0;
	tally->misses[CACHE_LAST][kind] += (missed & 1 << CACHE_LLC) != 0;
}

/* Instructions [from, to) of a stream. */
static void feed_stream(unsigned stream, uint64_t from, uint64_t to)
{
	struct cache *cache = cache_new(&spec);
	const struct valued_access *ran = valued.ran[stream];
	const struct valued_access *end = ran + valued.n_ran[stream];
	struct wm_cursor *cursor;
	struct wm_block block;
	struct wm_step step;

	assert_int_equal(wm_cursor_new(&cursor, trace, stream, NULL), 0);
	while (!wm_cursor_next_block(cursor, &step, NULL)) {
		if (wm_trace_block(trace, step.id, &block) || !step.insns ||
		    (stream == 1 && step.block_ordinal < SILENT))
			continue;
		for (uint32_t i = 0; i < step.insns; i++) {
			uint64_t insn = step.insn_ordinal + i, pc = block.address;
			struct cache_tally *tally = &tallies[step.id][i];

			block.address += block.sizes[i];
			while (ran < end && ran->insn_ordinal < insn)
				ran++;
			if (insn < from || insn >= to)
				continue;
			wanted.insns++;
			feed(cache, tally, pc, pc, block.sizes[i], CACHE_FETCH);
			for (; ran < end && ran->insn_ordinal == insn; ran++)
				feed(cache, tally, pc, ran->access.address,
				     ran->access.size,
				     ran->access.kind == WM_ACCESS_STORE ? CACHE_STORE :
									   CACHE_LOAD);
		}
	}
	for (unsigned i = 0; i < CACHE_PLACES; i++) {
		const struct cache_counts *counts =
			cache_counts(cache, (enum cache_place)i);

		wanted.levels[i].prefetches += counts->prefetches;
		wanted.levels[i].writebacks += counts->writebacks;
		for (unsigned kind = 0; kind < CACHE_KINDS; kind++) {
			wanted.levels[i].accesses[kind] += counts->accesses[kind];
			wanted.levels[i].misses[kind] += counts->misses[kind];
		}
	}
	wanted.memory_writes += cache_memory_writes(cache);
	wm_cursor_free(cursor);
	cache_free(cache);
}

static void check_sites(const struct cache_profile *profile)
{
	size_t n = 0;

	for (size_t i = 0; i < profile->n; i++) {
		const struct cache_site *site = &profile->sites[i];

		assert_int_equal(site->space, 0);
		assert_memory_equal(&site->tally, &tallies[site->id][site->insn],
				    sizeof(site->tally));
	}
	for (uint32_t id = 1; id <= VALUED_BLOCKS; id++)
		for (unsigned insn = 0; insn < MOST_INSNS; insn++)
			n += tallies[id][insn].accesses[CACHE_FETCH] != 0;
	assert_int_equal(profile->n, n);
}

static void check(uint64_t from, uint64_t to, unsigned n_streams, unsigned threads)
{
	const unsigned streams[] = { 0, 1 };
	struct selection selection = { .streams = streams,
				       .n = n_streams,
				       .from = from,
				       .to = to,
				       .threads = threads };
	struct cache_profile profile;
	struct wm_error err;

	memset(tallies, 0, sizeof(tallies));
	wanted = (struct cache_profile){ .n = 0 };
	for (unsigned i = 0; i < n_streams; i++)
		feed_stream(streams[i], from, to);
	if (cache_profile_gather(&profile, trace, &selection, &spec, 0, NULL, &err))
		fail_msg("%s", err.text);
	assert_int_equal(profile.insns, wanted.insns);
	assert_int_equal(profile.memory_writes, wanted.memory_writes);
	for (unsigned i = 0; i < CACHE_PLACES; i++) {
		assert_int_equal(profile.levels[i].prefetches,
				 wanted.levels[i].prefetches);
		assert_int_equal(profile.levels[i].writebacks,
				 wanted.levels[i].writebacks);
		assert_memory_equal(profile.levels[i].accesses, wanted.levels[i].accesses,
				    sizeof(wanted.levels[i].accesses));
		assert_memory_equal(profile.levels[i].misses, wanted.levels[i].misses,
				    sizeof(wanted.levels[i].misses));
	}
	check_sites(&profile);
	cache_profile_fini(&profile);
}

static void test_all(void **state)
{
	(void)state;
	for (size_t i = 0; i < SPECS; i++) {
		choose(i);
		for (unsigned threads = 1; threads < 4; threads++)
			check(0, UINT64_MAX, 2, threads);
		assert_true(wanted.levels[CACHE_LLC].misses[CACHE_LOAD] > 100);
		assert_true(wanted.memory_writes > 100);
	}
}

static void test_parts(void **state)
{
	(void)state;
	for (size_t i = 0; i < SPECS; i++) {
		choose(i);
		check(0, UINT64_MAX, 1, 1);
		for (uint64_t from = 7001; from < 7011; from++)
			check(from, from + 3 * (from - 7000), 2, 1);
		check(11111, 33333, 2, 2);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_all),
	cmocka_unit_test(test_parts),
};

int main(void)
{
	return cmocka_run_group_tests(tests, make, clean);
}
