/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The geometry and the policies of a cache hierarchy: in numbers, and as a user writes it. */
#ifndef ANALYSIS_CACHE_SPEC_H
#define ANALYSIS_CACHE_SPEC_H

#include <stdbool.h>

#include "waymark.h"

/* From the processor down; each may be absent but the first two. */
enum cache_place { CACHE_L1I, CACHE_L1D, CACHE_L2, CACHE_LLC, CACHE_PLACES };
extern const char *const cache_places[]; /* "l1i", in that order */

enum cache_replace { CACHE_LRU, CACHE_PLRU, CACHE_RANDOM };
enum cache_write {
	CACHE_BACK,    /* a store makes its line dirty; a miss brings the line in */
	CACHE_THROUGH, /* a store continues to the next level; a miss brings nothing in */
};
enum cache_prefetch { CACHE_NO_PREFETCH, CACHE_NEXT_LINE, CACHE_STRIDE };

struct cache_level {
	uint64_t bytes; /* 0: absent */
	uint32_t ways, line;
	enum cache_replace replace;
	enum cache_write write;
	enum cache_prefetch prefetch;
};

struct cache_spec {
	struct cache_level levels[CACHE_PLACES];
	bool shared; /* all threads have one LLC */
};

/* The hierarchy of the first preset. */
void cache_spec_init(struct cache_spec *spec);

/* A named hierarchy of a real processor. `text` is what cache_parse_level() takes. */
struct cache_preset {
	const char *name;
	const char *levels[CACHE_PLACES];
};
extern const struct cache_preset cache_presets[]; /* ended by a NULL name */

/* Sets all levels to those of a preset. WM_E_RANGE: there is none of that name. */
int cache_parse_preset(struct cache_spec *spec, const char *name, struct wm_error *err);

/*
 * Reads "SIZE,WAYS,LINE[,WORD...]", such as "32k,8,64,plru,next-line", or "none". Sizes are
 * in bytes, k and M are 1024 of them and 1024 times that. Words: lru, plru, random; back,
 * through; next-line, stride. WM_E_RANGE with a sentence.
 */
int cache_parse_level(struct cache_level *level, enum cache_place place, const char *text,
		      struct wm_error *err);

/* Whether the levels fit each other. WM_E_RANGE. */
int cache_check(const struct cache_spec *spec, struct wm_error *err);

#endif
