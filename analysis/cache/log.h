/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What accesses do to a hierarchy of caches whose content is not known, because another
 * process computes what came before. Most accesses hit the first level whatever it had; the
 * others are a log, which is replayed on the hierarchy when that is known. The replay does to
 * it exactly what the accesses would have done.
 */
#ifndef ANALYSIS_CACHE_LOG_H
#define ANALYSIS_CACHE_LOG_H

#include "analysis/cache/cache.h"
#include "analysis/cache/level.h"
#include "base/buf.h"

struct cache_log {
	struct level first[2]; /* of fetches, and of data: what is known of them */
	uint64_t accesses[CACHE_KINDS];
	uint64_t last[2]; /* addresses of the entries before */
	uint64_t now;	  /* the time of what comes next; 0: times do not matter */
	uint64_t marked;  /* of the last entry */
	struct buf entries;
};

/* Whether there can be a log: the first levels are LRU, keep stores, and do not prefetch. */
bool cache_log_fits(const struct cache_spec *spec);

/* The spec must be one that fits. NULL: no memory. */
struct cache_log *cache_log_new(const struct cache_spec *spec);
void cache_log_free(struct cache_log *log); /* takes NULL */

/* By instruction `insn` of block `id`. */
void cache_log_access(struct cache_log *log, const struct cache_access *access,
		      uint32_t id, uint32_t insn);
/* Accesses that follow are in that space; in the interval that begins at `from`. */
void cache_log_space(struct cache_log *log, uint32_t space);
void cache_log_interval(struct cache_log *log, uint64_t from);

/* The same bytes for equal logs; no memory is reported by out->failed. */
void cache_log_put(const struct cache_log *log, struct buf *out);
/* NULL: no memory, or in->failed: these bytes are no log. */
struct cache_log *cache_log_get(const struct cache_spec *spec, struct span *in);

struct cache_entry {
	enum cache_entry_kind kind;
	uint64_t value; /* the space, where the interval begins, or by how much it is later */
	/* Of an access; its pc is not filled in. */
	struct cache_access access;
	uint32_t id, insn;
};

/*
 * The next entry of log->entries, from a span that begins as all of them. The lines of an
 * access follow it in the span: each is then taken by cache_log_line(). *last are the addresses
 * of the entries before, zeros at first. False: malformed.
 */
bool cache_log_next(struct span *in, uint64_t last[2], struct cache_entry *entry);

/* What is known of a line of an access in the first level. */
enum cache_known {
	CACHE_HITS,
	CACHE_MAY_HIT,
	CACHE_MISSES, /* and replaces `victim`, which is dirty at least if `dirty` */
};

struct cache_line_known {
	enum cache_known known;
	uint64_t victim; /* a line */
	bool dirty;
};

/* The access' next line, which is number `line` in the level. */
struct cache_line_known cache_log_line(struct span *in, const struct level *level,
				       uint64_t line);

#endif
