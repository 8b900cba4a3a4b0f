// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A heap of threads by the time of what each asks next; of equal times the lower thread comes
 * first. That is the order of trace/merge.c, in which a thread whose clock goes back is not
 * overtaken: a request has the latest time of its thread so far.
 *
 * Example: thread 0 asks at 10 and 40, thread 1 at 20 and 40. The order is 0, 1, 0, 1.
 */
#include "analysis/cache/last.h"

#include <stdlib.h>

#include "base/error.h"
#include "trace/trace.h"

struct asker {
	struct pieces *pieces; /* the caller's */
	struct span in;	       /* what is left of the last one */
	struct cache_asked next;
	unsigned stream;
};

struct asking {
	struct cache *cache;
	struct cache_profile *profile;
	const struct wm_trace *trace;
	struct asker *heap; /* [n] */
	size_t n;
	bool malformed;
};

static bool is_before(const struct asker *one, const struct asker *other)
{
	if (one->next.ns != other->next.ns)
		return one->next.ns < other->next.ns;
	return one->stream < other->stream;
}

static void sift_down(struct asking *asking, size_t at)
{
	struct asker *heap = asking->heap, moved = heap[at];

	for (size_t child; (child = 2 * at + 1) < asking->n; at = child) {
		if (child + 1 < asking->n && is_before(&heap[child + 1], &heap[child]))
			child++;
		if (is_before(&moved, &heap[child]))
			break;
		heap[at] = heap[child];
	}
	heap[at] = moved;
}

/* ---- what is missed -------------------------------------------------------------------- */

static int compare_intervals(const void *a, const void *b)
{
	const struct cache_interval *x = a, *y = b;

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* As the caches of a thread saw it: see cache_feed_begin(). */
static bool find_pc(const struct asking *asking, struct cache_asked *asked)
{
	const struct wm_block *block;

	if (!asked->id || asked->id > asking->trace->known)
		return false;
	block = &asking->trace->table.blocks[asked->id];
	if (asked->insn >= block->insns)
		return false;
	asked->access.pc = block->address ^ (uint64_t)asked->space << 48;
	for (uint32_t i = 0; i < asked->insn; i++)
		asked->access.pc += block->sizes[i];
	return true;
}

static void count_miss(const struct asking *asking, const struct asker *asker)
{
	const struct cache_profile *profile = asking->profile;
	const struct cache_asked *asked = &asker->next;
	const struct cache_site key = { asked->space, asked->id, asked->insn };
	const struct cache_interval when = { .stream = asker->stream,
					     .from = asked->interval };
	struct cache_site *site = profile->n ? bsearch(&key, profile->sites, profile->n,
						       sizeof(key), cache_site_compare) :
					       NULL;
	struct cache_interval *interval =
		profile->n_intervals ?
			bsearch(&when, profile->intervals, profile->n_intervals,
				sizeof(when), compare_intervals) :
			NULL;

	/* Without a site it is of an instruction that has no code. */
	if (site)
		site->tally.misses[CACHE_LAST][asked->access.kind]++;
	if (interval)
		interval->tally.misses[CACHE_LAST][asked->access.kind]++;
}

static void ask(struct asking *asking, struct asker *asker)
{
	struct cache_asked *asked = &asker->next;
	unsigned missed;

	if (asked->what == CACHE_BELOW_ACCESS && !find_pc(asking, asked)) {
		asking->malformed = true;
		return;
	}
	missed = cache_ask_last(asking->cache, asked);
	if (asked->what == CACHE_BELOW_ACCESS && missed >> CACHE_LLC & 1)
		count_miss(asking, asker);
}

/* ---- all of them ----------------------------------------------------------------------- */

static bool next(struct asker *asker)
{
	while (!cache_below_next(&asker->in, &asker->next))
		if (asker->in.failed || !pieces_next(asker->pieces, &asker->in))
			return false;
	return true;
}

static void ask_all(struct asking *asking)
{
	while (asking->n && !asking->malformed) {
		struct asker *first = asking->heap;

		ask(asking, first);
		if (!next(first)) {
			asking->malformed |= first->in.failed;
			*first = asking->heap[--asking->n];
		}
		if (asking->n)
			sift_down(asking, 0);
	}
}

int cache_last_ask(struct cache *cache, struct cache_asks *asks, size_t n,
		   struct cache_profile *profile, const struct wm_trace *trace,
		   struct wm_error *err)
{
	struct asking asking = { .cache = cache,
				 .profile = profile,
				 .trace = trace,
				 .heap = calloc(n + 1, sizeof(*asking.heap)) };

	if (!asking.heap)
		return wm_fail_nomem(err, "caches");
	for (size_t i = 0; i < n; i++) {
		struct asker asker = {
			.pieces = &asks[i].pieces,
			.in = span_of(NULL, 0),
			.stream = asks[i].stream,
		};

		if (next(&asker))
			asking.heap[asking.n++] = asker;
		asking.malformed |= asker.in.failed;
	}
	for (size_t i = asking.n / 2; i-- > 0;)
		sift_down(&asking, i);
	ask_all(&asking);
	free(asking.heap);
	return asking.malformed ?
		       wm_fail(err, WM_E_FORMAT, 0,
			       "what threads ask of a cache is malformed, or of another trace") :
		       0;
}
