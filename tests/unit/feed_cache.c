// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Feeds the accesses that Valgrind's lackey lists (--trace-mem=yes) to the caches, and prints
 * the nine sums that cachegrind ends its file with. For tests/cli/cache/cachegrind.sh.
 *
 *	feed_cache L1I L1D LLC <LACKEY
 *	feed_cache --speed PRESET SECONDS <LACKEY
 *
 * Two conventions of cachegrind apply: an instruction that changes memory ("M") counts as
 * a load only, and an access of more bytes than the shortest line (of fxsave, for example)
 * counts as one of that many. With --speed the same accesses are fed again and again, and
 * millions of accesses per second of the processor's time are printed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analysis/cache/cache.h"
#include "base/append.h"

struct list {
	struct cache_access *all;
	size_t n;
};

static _Noreturn void end(const char *why)
{
	fprintf(stderr, "feed_cache: %s\n", why);
	exit(2);
}

/* False: the line is none of an access. */
static bool parse(const char *line, struct cache_access *access)
{
	char kind[3];

	if (sscanf(line, "%2s %" SCNx64 ",%" SCNu32, kind, &access->address,
		   &access->bytes) != 3)
		return false;
	switch (kind[0]) {
	case 'I':
		access->kind = CACHE_FETCH;
		access->pc = access->address;
		return true;
	case 'L':
	case 'M':
		access->kind = CACHE_LOAD;
		return true;
	case 'S':
		access->kind = CACHE_STORE;
		return true;
	default:
		return false;
	}
}

static struct list read_all(const struct cache_spec *spec)
{
	struct cache_access access = { .bytes = 0 };
	struct list list = { .n = 0 };
	uint32_t most = UINT32_MAX;
	char line[256];

	for (unsigned i = 0; i < CACHE_PLACES; i++)
		if (spec->levels[i].bytes && spec->levels[i].line < most)
			most = spec->levels[i].line;
	while (fgets(line, sizeof(line), stdin)) {
		if (!parse(line, &access))
			continue;
		if (access.kind != CACHE_FETCH && access.bytes > most)
			access.bytes = most;
		if (!APPEND(list.all, list.n, access))
			end("no memory");
	}
	return list;
}

static void put_sums(const struct cache *cache)
{
	const struct cache_counts *fetches = cache_counts(cache, CACHE_L1I);
	const struct cache_counts *data = cache_counts(cache, CACHE_L1D);
	const struct cache_counts *last = cache_counts(cache, CACHE_LLC);

	printf("summary: %" PRIu64 " %" PRIu64 " %" PRIu64,
	       fetches->accesses[CACHE_FETCH], fetches->misses[CACHE_FETCH],
	       last->misses[CACHE_FETCH]);
	for (unsigned kind = CACHE_LOAD; kind <= CACHE_STORE; kind++)
		printf(" %" PRIu64 " %" PRIu64 " %" PRIu64, data->accesses[kind],
		       data->misses[kind], last->misses[kind]);
	printf("\n");
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void feed(struct cache *cache, const struct list *list)
{
	for (size_t i = 0; i < list->n; i++)
		cache_access(cache, &list->all[i]);
}

static void measure(struct cache *cache, const struct list *list, double least)
{
	double begin = seconds(), took;
	uint64_t n = 0;

	do {
		feed(cache, list);
		n += list->n;
		took = seconds() - begin;
	} while (took < least);
	printf("%.1f million accesses per second\n", (double)n / took / 1e6);
}

int main(int argc, char **argv)
{
	struct cache_spec spec = { .levels[CACHE_L2] = { .bytes = 0 } };
	bool speed = argc == 4 && !strcmp(argv[1], "--speed");
	struct wm_error err = { .text = "" };
	struct cache *cache;
	struct list list;

	if (argc != 4)
		end("usage: feed_cache L1I L1D LLC | --speed PRESET SECONDS");
	if (speed ? cache_parse_preset(&spec, argv[2], &err) :
		    (cache_parse_level(&spec.levels[CACHE_L1I], CACHE_L1I, argv[1],
				       &err) ||
		     cache_parse_level(&spec.levels[CACHE_L1D], CACHE_L1D, argv[2],
				       &err) ||
		     cache_parse_level(&spec.levels[CACHE_LLC], CACHE_LLC, argv[3],
				       &err) ||
		     cache_check(&spec, &err)))
		end(err.text);
	list = read_all(&spec);
	cache = cache_new(&spec);
	if (!cache || !list.n)
		end("there is nothing to feed");
	if (speed) {
		measure(cache, &list, strtod(argv[3], NULL));
	} else {
		feed(cache, &list);
		put_sums(cache);
	}
	cache_free(cache);
	free(list.all);
	return 0;
}
