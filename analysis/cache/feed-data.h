/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The state of a thread that feeds caches, for analysis/cache/ alone. */
#ifndef ANALYSIS_CACHE_FEED_DATA_H
#define ANALYSIS_CACHE_FEED_DATA_H

#include "analysis/analysis.h"
#include "analysis/cache/below.h"
#include "analysis/cache/fetches.h"
#include "analysis/cache/last.h"
#include "analysis/cache/log.h"
#include "analysis/cache/objects.h"
#include "analysis/cache/profile.h"
#include "analysis/pieces.h"

struct cache_gathering {
	const struct wm_trace *trace;
	const struct cache_spec *spec;
	size_t *begins;		 /* [known + 2] by id */
	uint64_t interval, from; /* length, and where the first one begins; 0: none */
	const struct mem_grouping *grouping; /* NULL: neither objects nor methods */
	struct cache *shared;		     /* whose LLC all have; NULL: each its own */
	/* It is asked later, as several processes share the work: see last.h. */
	bool apart;
	struct cache_asks *asks; /* [n_asks] of streams that have ended */
	size_t n_asks;
	struct cache_profile *profile;
	struct cache_objects *objects; /* of streams that have ended; NULL: none */
};

/* What bytes of a state are, with gathering->apart. */
enum cache_piece {
	CACHE_PIECE_REST, /* all but its pieces: it is the first one */
	CACHE_PIECE_BELOW,
	CACHE_PIECE_LOG,
	CACHE_PIECE_KINDS
};

/*
 * Accesses of an instruction that hit the first level, which nearly all do: apart from its
 * tally, so that those of the blocks that run stay in a cache.
 */
struct cache_hits {
	uint64_t data[2]; /* loads, stores */
};

/* Of a block, in a cache line: what each execution needs. Most is not there before it is seen. */
struct cache_feed_block {
	struct fetches *fetches; /* which can miss; NULL: not known */
	struct cache_hits *hits; /* [insns] */
	uint64_t executions;	 /* whole ones, in the current space */
	uint64_t address;	 /* copies of what `fetches` has, and its first fetch */
	uint32_t insns, n;
	struct fetch first;
	bool seen; /* whether in touched[] */
};

struct cache_feed {
	const struct cache_gathering *gathering;
	const struct wm_block *blocks;
	struct cache *cache;	  /* NULL: what it has is not known, so there are logs */
	struct cache_below below; /* with gathering->apart: below the cache; and the time */
	struct cache_log **logs; /* [n_logs] in their order */
	size_t n_logs;
	/* With gathering->apart: what was full, of `logs`, or of what is below the cache. */
	struct pieces pieces;
	enum cache_piece piece;
	struct cache_log *log; /* one of them, which is written to; NULL: none is */
	uint32_t space;
	struct cache_tally *tallies; /* [begins[known + 1]], in the current space */
	struct cache_hits *hits;     /* the same; not in tallies[] */
	struct cache_feed_block *of; /* [known + 1] by id */
	uint32_t *touched;	     /* [n_touched] */
	size_t n_touched;
	struct cache_site
		*sites; /* [n_sites] of spaces that were left, some of them twice */
	size_t n_sites;
	size_t folded;	     /* n_sites after cache_sites_fold() */
	unsigned fetch_bits; /* 0: all fetches pass the caches */
	uint64_t fetched;    /* the line of the last fetch; UINT64_MAX: not known */
	uint64_t insns;
	unsigned stream;
	/* The current interval is the last one; it ends before instruction `end`. */
	struct cache_interval *intervals; /* [n_intervals] */
	size_t n_intervals;
	uint64_t end;
	uint64_t tag; /* of addresses, where other processes are in the same cache */
	struct cache_objects *objects; /* NULL: they are not counted */
	/* By method: of each, by its function, and for which the thread runs before `end`. */
	struct cache_tally
		*methods; /* [highest + 1] of the grouping's; NULL: not counted */
	struct running *running;
	uint32_t method;
};

/* The callbacks of an analysis. */
int cache_feed_begin(void *state, void *setup, const struct segment *segment,
		     struct wm_error *err);
int cache_feed_accesses(void *state, const struct stretch *part,
			const struct wm_access *all, size_t n, struct wm_error *err);
/* Events have times. */
int cache_feed_event(void *state, const struct wm_event *event, struct wm_error *err);
int cache_feed_append(void *state, void *next, struct wm_error *err);
void cache_feed_put(void *state, struct buf *out);
int cache_feed_get(void *state, struct span *in, struct wm_error *err);
/* The same with gathering->apart, in pieces: feed_pieces.c. */
int cache_feed_append_piece(void *state, void *next, struct wm_error *err);
void cache_feed_put_piece(void *state, struct buf *out);
bool cache_feed_more(void *state);
int cache_feed_get_piece(void *state, struct span *in, struct wm_error *err);
int cache_feed_drain(void *state, struct wm_error *err);
void cache_feed_end(void *state);

/*
 * With gathering->apart: what has become large becomes a piece; with `all`, whatever there is, and
 * then nothing may come behind it. WM_E_NOMEM, WM_E_OUTPUT.
 */
int cache_feed_flush(struct cache_feed *feed, bool all, struct wm_error *err);
/* Another log of a state's bytes; none if in->failed. WM_E_NOMEM. */
int cache_feed_get_log(struct cache_feed *feed, struct span *in, struct wm_error *err);
/* Replays a log on the caches, which what it follows has left. */
int cache_feed_follow(struct cache_feed *feed, const struct cache_log *log,
		      size_t interval, struct wm_error *err);
/* What comes next is at `ns` at least. */
void cache_feed_set_time(struct cache_feed *feed, uint64_t ns);
/* Block `id` has counts from now on. */
int cache_feed_touch(struct cache_feed *feed, uint32_t id, struct wm_error *err);
/* Moves the counts of the current space to the list. */
int cache_feed_leave(struct cache_feed *feed, struct wm_error *err);
/* The thread goes on in a space. */
int cache_feed_enter(struct cache_feed *feed, uint32_t space, struct wm_error *err);
/* Adds counts of an instruction to the list, which is folded when it has grown. */
int cache_feed_add_site(struct cache_feed *feed, const struct cache_site *site,
			struct wm_error *err);

/* What counts at this moment beside the instruction: an interval or a method; NULL: neither. */
static inline struct cache_tally *cache_feed_moment(const struct cache_feed *feed)
{
	if (feed->n_intervals)
		return &feed->intervals[feed->n_intervals - 1].tally;
	return feed->method ? &feed->methods[feed->method] : NULL;
}

/* An access of data as caches take it, by the instruction at `pc`. */
static inline struct cache_access cache_access_of(const struct cache_feed *feed,
						  const struct wm_access *at, uint64_t pc)
{
	return (struct cache_access){
		.address = at->address ^ feed->tag,
		.pc = pc,
		.bytes = at->size,
		.kind = at->kind == WM_ACCESS_STORE ? CACHE_STORE : CACHE_LOAD,
	};
}

/*
 * Passes an access of instruction `insn` of block `id` to the caches, or to the log where their
 * content is not known, and counts it in the tally and in the current interval or method.
 * Returns which levels missed, as cache_access().
 */
unsigned cache_feed_pass(struct cache_feed *feed, struct cache_tally *tally,
			 const struct cache_access *access, uint32_t id, uint32_t insn);
/*
 * Counts an access for the object that it is of: of the instruction numbered `site`, in the
 * thread's execution `ordinal`. False: no memory.
 */
bool cache_feed_own(struct cache_feed *feed, const struct wm_access *at,
		    enum cache_kind kind, size_t site, uint64_t ordinal, unsigned missed);

/*
 * By method (feed_methods.c). The arrays of a state that begins; the method of instruction `insn`,
 * before it is counted; and the end of the thread. WM_E_NOMEM; errors are those of running_at().
 */
int cache_methods_new(struct cache_feed *feed, unsigned stream, struct wm_error *err);
int cache_methods_move(struct cache_feed *feed, uint64_t insn, struct wm_error *err);
int cache_methods_leave(struct cache_feed *feed, struct wm_error *err);
/* Adds a thread's to those of the profile. WM_E_NOMEM. */
int cache_methods_add(struct cache_profile *profile, const struct cache_feed *feed,
		      struct wm_error *err);
/* The counts as bytes, and back. */
void cache_methods_put(const struct cache_feed *feed, struct buf *out);
void cache_methods_get(struct cache_feed *feed, struct span *in);
void cache_methods_free(struct cache_feed *feed);

/* Of an access that missed some levels. */
void cache_tally_missed(struct cache_tally *tally, enum cache_kind kind, unsigned missed);
/* Adds up counts of the same instructions; sorts. Returns how many are left. */
size_t cache_sites_fold(struct cache_site *sites, size_t n);

#endif
