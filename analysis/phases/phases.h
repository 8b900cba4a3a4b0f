/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The phases of a thread: the basic-block vectors of its intervals, which of them are
 * alike, and which represent the others. Also the data of pictures of them, reduced to
 * what can be shown.
 */
#ifndef ANALYSIS_PHASES_PHASES_H
#define ANALYSIS_PHASES_PHASES_H

#include <stddef.h>

#include "analysis/phases/bbv.h"
#include "analysis/phases/simpoint.h"
#include "analysis/selection.h"
#include "program/functions.h"
#include "waymark.h"

enum {
	PHASES_INTERVALS_MAX = 100000,
	PHASES_SIMILAR_MAX = 128, /* rows of the matrix */
	PHASES_COLUMNS_MAX = 400, /* of the scatter, about */
	PHASES_HOT_BLOCKS = 300,
	PHASES_K_DEFAULT = 30,
};

struct phases_options {
	uint64_t interval; /* instructions, 1 to BBV_INTERVAL_MAX */
	/*
	 * The most phases; 0: 30, or the square root of the number of intervals when that
	 * is less, because with as many clusters as points everything fits.
	 */
	unsigned k_max;
	/* [known + 1] by id: see simpoint_project(); or NULL. */
	const uint64_t *keys;
	/* Called with each interval's vector, in order; or NULL. */
	int (*vector)(void *cookie, const struct bbv *bbv, struct wm_error *err);
	void *cookie;
};

/* The distance of groups of intervals: 0 is equal, 2 is nothing in common. */
struct phases_similar {
	size_t group; /* intervals in each row's group; the last may have fewer */
	size_t rows;
	float *distances; /* [rows][rows], Manhattan distances of shares of blocks */
};

/* A block's part in the scatter. */
struct phases_hot {
	uint32_t id, space; /* index: where most of it ran */
	uint64_t insns;	    /* in all */
	uint64_t *columns;  /* [phases_scatter.columns] instructions of it */
};

struct phases_scatter {
	size_t columns;
	uint64_t *begins;	/* [columns] the first instruction of each */
	uint64_t column_insns;	/* of a column, or one less; the last is shorter */
	struct phases_hot *hot; /* [n_hot] the hottest blocks, hottest first */
	size_t n_hot;
};

struct phases {
	/*
	 * Intervals begin at `from`. Instructions after the last whole interval are in
	 * none; when not even one interval is whole, all instructions are one interval.
	 */
	uint64_t from, interval;
	size_t n;	/* intervals */
	uint64_t insns; /* all that ran, also after the last whole interval */
	struct simpoints simpoints;
	struct phases_similar similar;
	struct phases_scatter scatter;
};

#define PHASES_INIT ((struct phases){ .n = 0 })

/*
 * Fills in *phases from the selection's only thread, for the caller to phases_fini(); on
 * failure it is empty. WM_E_RANGE when the intervals would be too many, or nothing ran.
 */
int phases_find(struct phases *phases, const struct wm_trace *trace,
		const struct selection *selection, const struct phases_options *options,
		struct wm_error *err);

/*
 * The same in steps: phases_begin(), a run of bbv_analysis over the selection with what
 * phases_walk() returns, and phases_finish(), which frees the search, as phases_drop() does.
 * `options` must stay until then.
 */
struct phases_search;
int phases_begin(struct phases_search **search, struct phases *phases,
		 const struct wm_trace *trace, const struct selection *selection,
		 const struct phases_options *options, struct wm_error *err);
struct bbv_walk *phases_walk(struct phases_search *search);
int phases_finish(struct phases_search *search, unsigned threads, struct wm_error *err);
void phases_drop(struct phases_search *search);
/* The points of the intervals so far, for simpoints_find(): the search's. */
const double *phases_points(const struct phases_search *search);
/* phases_options.k_max for a number of intervals, when it is not given. */
unsigned phases_k_max(size_t intervals);

void phases_fini(struct phases *phases);

/*
 * How many instructions a column of the scatter has on average: what to place columns by.
 * With column_insns, 320 columns of 3 and 2 instructions by turns would reach to 960 when
 * only 800 ran.
 */
double phases_column_width(const struct phases_scatter *scatter);

/* The function that runs block `id` in a space. NULL: no memory. */
const struct function *phases_function(const struct wm_trace *trace,
				       struct functions *functions, uint32_t space,
				       uint32_t id);

#endif
