// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * analysis/cache/log.h: a run of random accesses is cut anywhere; what a hierarchy makes of
 * the logs of its parts is what it makes of the accesses, to the last bit of its state. Logs
 * that are damaged are refused, or give other numbers; nothing else comes of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analysis/cache/log.h"
#include "sample.h"

enum { ACCESSES = 6000, SITES = 64, ROUNDS = 300, FIRST_BLOCK = 7, INSNS = 8 };

/* l1i, l1d, l2, llc */
static const char *const hierarchies[][CACHE_PLACES] = {
	{ "512,1,32", "256,2,32", "2k,4,32", "8k,8,64" },
	{ "1k,4,64", "1k,8,16", "none", "none" },
	{ "256,2,64", "512,4,32", "4k,2,64,plru,stride", "16k,4,128,random,next-line" },
	{ "256,2,64", "512,4,32", "2k,2,64,through", "16k,4,64,plru,through" },
	{ "256,4,64", "256,1,16", "none", "4k,4,64,next-line" },
};
enum { HIERARCHIES = sizeof(hierarchies) / sizeof(*hierarchies) };

static uint64_t seed = 11;

struct one {
	struct cache_access access;
	unsigned site;
};

struct run {
	struct cache_spec spec;
	struct one all[ACCESSES];
	/* Misses of any level by site, [0] asked at once, [1] in parts. */
	uint64_t misses[2][SITES];
	unsigned site; /* of the access at hand, in a replay */
	uint32_t marks;
};

static void read_spec(struct run *run, unsigned which)
{
	struct wm_error err;

	memset(&run->spec, 0, sizeof(run->spec));
	for (unsigned i = 0; i < CACHE_PLACES; i++)
		assert_int_equal(cache_parse_level(&run->spec.levels[i],
						   (enum cache_place)i,
						   hierarchies[which][i], &err),
				 0);
	assert_int_equal(cache_check(&run->spec, &err), 0);
	assert_true(cache_log_fits(&run->spec));
}

/* Mostly near what was accessed last, sometimes elsewhere, sometimes across lines. */
static void make_accesses(struct run *run)
{
	uint64_t at = 0x1000;

	for (size_t i = 0; i < ACCESSES; i++) {
		struct one *one = &run->all[i];

		at = sample_random(&seed) % 8 ? at + sample_random(&seed) % 96 :
						sample_random(&seed) % 0x8000;
		one->site = (unsigned)(sample_random(&seed) % SITES);
		one->access = (struct cache_access){
			.address = at,
			.pc = 0x100 + one->site * 4,
			.bytes = sample_random(&seed) % 16 ?
					 1u << sample_random(&seed) % 4 :
					 (uint32_t)(1 + sample_random(&seed) % 200),
			.kind = (enum cache_kind)(sample_random(&seed) % CACHE_KINDS),
		};
	}
}

static void count(uint64_t *misses, unsigned missed)
{
	*misses += (uint64_t)__builtin_popcount(missed);
}

/* Of those first <= i < end, in `cache`. */
static void access_all(struct run *run, struct cache *cache, unsigned how, size_t first,
		       size_t end)
{
	for (size_t i = first; i < end; i++)
		count(&run->misses[how][run->all[i].site],
		      cache_access(cache, &run->all[i].access));
}

/* ---- replaying ------------------------------------------------------------------------- */

static bool find(void *cookie, struct cache_access *access, uint32_t id, uint32_t insn)
{
	struct run *run = cookie;

	run->site = (id - FIRST_BLOCK) * INSNS + insn;
	access->pc = 0x100 + run->site * 4;
	return run->site < SITES;
}

static bool mark(void *cookie, enum cache_entry_kind kind, uint64_t value)
{
	bool is_space = kind == CACHE_ENTRY_SPACE;
	struct run *run = cookie;

	run->marks += is_space ? 1 : 0x100;
	return value == (is_space ? 3 : 77777);
}

static void missed(void *cookie, enum cache_kind kind, unsigned levels)
{
	struct run *run = cookie;

	(void)kind;
	count(&run->misses[1][run->site], levels);
}

static void put_log(struct run *run, size_t first, size_t end, struct buf *out)
{
	struct cache_log *log = cache_log_new(&run->spec);

	assert_non_null(log);
	cache_log_space(log, 3);
	for (size_t i = first; i < end; i++) {
		if (i == (first + end) / 2)
			cache_log_interval(log, 77777);
		cache_log_access(log, &run->all[i].access,
				 FIRST_BLOCK + run->all[i].site / INSNS,
				 run->all[i].site % INSNS);
	}
	cache_log_put(log, out);
	assert_false(out->failed);
	cache_log_free(log);
}

/* Whether the bytes were a log that `cache` could follow. */
static bool follow(struct run *run, struct cache *cache, const struct buf *bytes)
{
	const struct cache_replay replay = { find, mark, missed, run };
	struct span in = span_of(bytes->data, bytes->len);
	struct cache_log *log = cache_log_get(&run->spec, &in);
	bool good = log && !span_left(&in) && cache_follow(cache, log, &replay);

	cache_log_free(log);
	return good;
}

static void log_part(struct run *run, struct cache *cache, size_t first, size_t end)
{
	struct buf bytes = BUF_INIT;

	run->marks = 0;
	put_log(run, first, end, &bytes);
	assert_true(follow(run, cache, &bytes));
	assert_int_equal(run->marks, first < end ? 0x101 : 1);
	buf_fini(&bytes);
}

/* ---- tests ----------------------------------------------------------------------------- */

static void must_be_same(const struct cache *a, const struct cache *b)
{
	struct buf x = BUF_INIT, y = BUF_INIT;

	cache_put(a, true, &x);
	cache_put(b, true, &y);
	assert_int_equal(x.len, y.len);
	assert_memory_equal(x.data, y.data, x.len);
	buf_fini(&x);
	buf_fini(&y);
}

/* The state through bytes. */
static struct cache *copy(const struct run *run, struct cache *cache)
{
	struct cache *other = cache_new(&run->spec);
	struct buf bytes = BUF_INIT;
	struct span in;

	assert_non_null(other);
	cache_put(cache, true, &bytes);
	in = span_of(bytes.data, bytes.len);
	cache_get(other, true, &in);
	assert_false(in.failed);
	assert_int_equal(span_left(&in), 0);
	buf_fini(&bytes);
	cache_free(cache);
	return other;
}

static void test_parts(void **state)
{
	struct run *run = calloc(1, sizeof(*run));

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct cache *whole, *parts;
		size_t at = 0, end;

		read_spec(run, round % HIERARCHIES);
		make_accesses(run);
		memset(run->misses, 0, sizeof(run->misses));
		whole = cache_new(&run->spec);
		parts = cache_new(&run->spec);
		assert_true(whole && parts);
		access_all(run, whole, 0, 0, ACCESSES);
		for (unsigned i = 0; at < ACCESSES; i++, at = end) {
			end = at + sample_random(&seed) % (round % 2 ? 4000 : 60);
			end = end < ACCESSES ? end : ACCESSES;
			/* The first is known; later ones are too, now and then. */
			if (!i || sample_random(&seed) % 8 == 0)
				access_all(run, parts, 1, at, end);
			else
				log_part(run, parts, at, end);
			if (sample_random(&seed) % 16 == 0)
				parts = copy(run, parts);
		}
		must_be_same(whole, parts);
		assert_memory_equal(run->misses[0], run->misses[1],
				    sizeof(run->misses[0]));
		cache_free(whole);
		cache_free(parts);
	}
	free(run);
}

static void test_damaged(void **state)
{
	struct run *run = calloc(1, sizeof(*run));
	unsigned refused = 0;

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct buf bytes = BUF_INIT;
		struct cache *cache;

		read_spec(run, round % HIERARCHIES);
		make_accesses(run);
		cache = cache_new(&run->spec);
		access_all(run, cache, 0, 0, 500);
		put_log(run, 500, 1500, &bytes);
		for (unsigned i = 0; i < 3; i++)
			bytes.data[sample_random(&seed) % bytes.len] =
				(uint8_t)sample_random(&seed);
		if (round % 4 == 0)
			bytes.len = sample_random(&seed) % bytes.len;
		refused += !follow(run, cache, &bytes);
		/* It can be used on. */
		access_all(run, cache, 0, 1500, 2000);
		cache_free(cache);
		buf_fini(&bytes);
	}
	assert_true(refused > ROUNDS / 4);
	free(run);
}

/* What a log cannot stand for. */
static void test_fits(void **state)
{
	static const char *const others[] = { "1k,2,64,plru", "1k,2,64,random",
					      "1k,2,64,through", "1k,2,64,next-line" };
	struct run run;
	struct wm_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		read_spec(&run, 0);
		assert_int_equal(cache_parse_level(&run.spec.levels[CACHE_L1D], CACHE_L1D,
						   others[i], &err),
				 0);
		assert_false(cache_log_fits(&run.spec));
	}
	read_spec(&run, 0);
	run.spec.shared = true;
	assert_true(cache_log_fits(&run.spec));
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_parts),
	cmocka_unit_test(test_damaged),
	cmocka_unit_test(test_fits),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
