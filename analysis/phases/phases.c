// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the phases of a thread in one walk.
 *
 * The walk gives pieces. They are added up to intervals, and intervals to groups, which
 * are the rows of the similarity matrix. The columns of the scatter are whole pieces, too:
 * those of some intervals, or some of an interval. The hottest blocks are known before the
 * walk, from histograms, so only they need columns.
 *
 * Example: 1,000,000 instructions in intervals of 10,000 are 100 intervals. A column of
 * the scatter has 2,500 instructions at least, so an interval has 4 pieces; the matrix has
 * 100 rows.
 *
 * Invariant: take_piece() is called for every piece in order, so an interval is complete
 * with its last piece, and a group with its last interval.
 */
#include "analysis/phases/phases.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analysis/analysis.h"
#include "analysis/counts.h"
#include "analysis/phases/bbv_sum.h"
#include "base/append.h"
#include "base/error.h"
#include "base/parallel.h"

/* A group's vector, kept. */
struct group {
	uint32_t *ids; /* [n] */
	double *shares;
	size_t n;
};

struct phases_search {
	struct phases *phases;
	struct bbv_walk walk;
	const struct phases_options *options;
	struct bbv_cut cut;
	struct bbv_sum interval, group;
	double *points;		/* [phases->n][SIMPOINT_DIMENSIONS] */
	size_t done;		/* intervals */
	uint64_t column_pieces; /* of a column of the scatter */
	uint32_t known;		/* blocks */
	uint32_t *places; /* [known + 1] index of a block among the hot ones, plus 1;
			   * 0: not a hot one */
	struct group groups[PHASES_SIMILAR_MAX];
	size_t n_groups;
};

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "phases");
}

/* ---- the hottest blocks -------------------------------------------------- */

/*
 * Of equally hot blocks the lower id comes first, so the order does not depend on
 * qsort().
 */
static int compare_hot(const void *a, const void *b)
{
	const struct phases_hot *x = a, *y = b;

	if (x->insns != y->insns)
		return x->insns > y->insns ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

static struct phases_hot *sum_counts(const struct counts *counts,
				     const struct wm_trace *trace, uint32_t known)
{
	struct phases_hot *all = calloc((size_t)known + 1, sizeof(*all));
	struct wm_block block;

	if (!all)
		return NULL;
	/* The index is the id until find_hot() sorts. */
	for (uint32_t id = 0; id <= known; id++)
		all[id].id = id;
	for (size_t i = 0; i < counts->n_rows; i++)
		if (!wm_trace_block(trace, counts->rows[i].id, &block))
			all[counts->rows[i].id].insns +=
				counts->rows[i].count * block.insns;
	for (size_t i = 0; i < counts->n_parts; i++) {
		const struct counts_part *part = &counts->parts[i];

		all[part->id].insns += part->count * (part->end - part->begin);
	}
	return all;
}

static int find_hot(struct phases_search *search, const struct counts *counts,
		    const struct wm_trace *trace, uint32_t known, struct wm_error *err)
{
	struct phases_scatter *scatter = &search->phases->scatter;
	struct phases_hot *all = sum_counts(counts, trace, known);

	if (!all)
		return no_memory(err);
	scatter->hot = all; /* phases_fini() frees it from here on */
	qsort(all, (size_t)known + 1, sizeof(*all), compare_hot);
	/* The list ends at the first block that did not run. */
	for (size_t i = 0; i < PHASES_HOT_BLOCKS && i <= known && all[i].insns; i++) {
		all[i].columns = calloc(scatter->columns, sizeof(uint64_t));
		if (!all[i].columns)
			return no_memory(err);
		all[i].space = counts_main_space(counts, trace, all[i].id);
		search->places[all[i].id] = (uint32_t)++scatter->n_hot;
	}
	return 0;
}

/* ---- taking pieces ------------------------------------------------------- */

static int scatter_piece(struct phases_search *search, uint64_t piece,
			 const struct bbv *bbv, struct wm_error *err)
{
	struct phases_scatter *scatter = &search->phases->scatter;
	size_t column = piece / search->column_pieces;

	/* The number of columns comes from histograms, the pieces from the walk. */
	if (column >= scatter->columns)
		return wm_fail(
			err, WM_E_DAMAGED, 0,
			"a thread has more instructions than its histograms count");
	for (size_t i = 0; i < bbv->n; i++) {
		uint32_t place = search->places[bbv->ids[i]];

		if (place)
			scatter->hot[place - 1].columns[column] += bbv->insns[i];
	}
	return 0;
}

/* The last group may have fewer intervals than the others. */
static int keep_group(struct phases_search *search, struct wm_error *err)
{
	struct bbv bbv = bbv_sum_take(&search->group);
	struct group *group = &search->groups[search->n_groups++];
	uint64_t sum = 0;

	group->ids = calloc(bbv.n + 1, sizeof(*group->ids));
	group->shares = calloc(bbv.n + 1, sizeof(*group->shares));
	if (!group->ids || !group->shares)
		return no_memory(err);
	group->n = bbv.n;
	for (size_t i = 0; i < bbv.n; i++)
		/* Groups may differ in length, so shares are compared and not counts. */
		sum += bbv.insns[i];
	for (size_t i = 0; i < bbv.n; i++) {
		group->ids[i] = bbv.ids[i];
		group->shares[i] = (double)bbv.insns[i] / (double)sum;
	}
	return 0;
}

static int take_interval(struct phases_search *search, struct wm_error *err)
{
	const struct phases_options *options = search->options;
	struct phases *phases = search->phases;
	struct bbv bbv = bbv_sum_take(&search->interval);
	int ret = 0;

	/*
	 * An interval is kept as a point only: its vector may have thousands of blocks.
	 */
	simpoint_project(search->points + search->done * SIMPOINT_DIMENSIONS, &bbv,
			 options->keys);
	search->done++;
	bbv_sum_add(&search->group, &bbv);
	if (options->vector)
		ret = options->vector(options->cookie, &bbv, err);
	if (!ret &&
	    (search->done % phases->similar.group == 0 || search->done == phases->n))
		ret = keep_group(search, err);
	return ret;
}

static int take_piece(void *cookie, uint64_t piece, const struct bbv *bbv,
		      struct wm_error *err)
{
	struct phases_search *search = cookie;
	int ret = scatter_piece(search, piece, bbv, err);

	if (ret)
		return ret;
	/* Pieces are numbered through all intervals. */
	if (piece / search->cut.pieces >= search->phases->n)
		return 0; /* instructions after the last whole interval */
	bbv_sum_add(&search->interval, bbv);
	if ((piece + 1) % search->cut.pieces)
		return 0;
	return take_interval(search, err);
}

/* ---- similarity ---------------------------------------------------------- */

/*
 * The Manhattan distance of two vectors, of which one has a cell for each block and the sum
 * `total`. It is between 0, equal, and 2, nothing in common, because each vector has the sum
 * 1. The sparse vector's cells are visited; what the other has elsewhere is what is left of
 * its total. Both sums of equal vectors are added up in the same order, so it is 0 then.
 */
static double group_distance(const double *cells, double total, const struct group *group)
{
	double off = 0, met = 0;

	for (size_t i = 0; i < group->n; i++) {
		double cell = cells[group->ids[i]];

		off += fabs(cell - group->shares[i]);
		met += cell;
	}
	return off + (total - met);
}

static double spread(const struct group *group, double *cells)
{
	double total = 0;

	for (size_t i = 0; i < group->n; i++) {
		cells[group->ids[i]] = group->shares[i];
		total += group->shares[i];
	}
	return total;
}

static int fill_row(void *cookie, uint64_t row, unsigned worker)
{
	const struct phases_search *search = cookie;
	struct phases_similar *similar = &search->phases->similar;
	double *cells = calloc((size_t)search->known + 1, sizeof(*cells));
	double total;

	(void)worker;
	if (!cells)
		return WM_E_NOMEM;
	total = spread(&search->groups[row], cells);
	/* Rows write to different cells, so they need no lock; the diagonal stays 0. */
	for (size_t j = 0; j < row; j++) {
		double distance = group_distance(cells, total, &search->groups[j]);

		similar->distances[row * similar->rows + j] = (float)distance;
		similar->distances[j * similar->rows + row] = (float)distance;
	}
	free(cells);
	return 0;
}

/* There are at most PHASES_SIMILAR_MAX squared similarities: 64 KiB. */
static int compare_groups(struct phases_search *search, unsigned threads,
			  struct wm_error *err)
{
	struct phases_similar *similar = &search->phases->similar;

	similar->distances =
		calloc(similar->rows * similar->rows, sizeof(*similar->distances));
	if (!similar->distances)
		return no_memory(err);
	return parallel_for(similar->rows, threads, fill_row, search) ? no_memory(err) :
									0;
}

/* ---- the whole ----------------------------------------------------------- */

/* Without the overflow of a + b - 1. */
static size_t divide_up(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

/*
 * Divides intervals into pieces, and pieces into columns. A column has at least the
 * instructions that make PHASES_COLUMNS_MAX of them, and at most twice as many: 10,000
 * instructions in columns of 2,500 or more are 4 pieces, of 4,000 or more 2, and 3,000 in
 * columns of 10,000 or more are one piece, of which a column has 4.
 */
static void plan_columns(struct phases_search *search)
{
	struct phases *phases = search->phases;
	uint64_t least = divide_up(phases->insns, PHASES_COLUMNS_MAX);
	uint64_t interval = phases->interval;
	uint64_t pieces = interval > least ? interval / least : 1;
	/* Counts of a piece must fit in 32 bits. */
	uint64_t more = divide_up(bbv_pieces(interval), pieces), all;

	search->column_pieces =
		more * (interval > least ? 1 : divide_up(least, interval));
	pieces *= more;
	search->cut = (struct bbv_cut){ phases->from, interval, (uint32_t)pieces };
	all = phases->insns / interval * pieces +
	      divide_up(phases->insns % interval * pieces, interval);
	phases->scatter.columns = divide_up(all, search->column_pieces);
	phases->scatter.column_insns =
		divide_up(interval * search->column_pieces, pieces);
}

static int fill_begins(struct phases_search *search, struct wm_error *err)
{
	struct phases_scatter *scatter = &search->phases->scatter;

	scatter->begins = calloc(scatter->columns, sizeof(*scatter->begins));
	if (!scatter->begins)
		return no_memory(err);
	for (size_t i = 0; i < scatter->columns; i++)
		scatter->begins[i] = bbv_cut(&search->cut, i * search->column_pieces);
	return 0;
}

/* Computes all lengths. */
static int plan(struct phases_search *search, const struct selection *selection,
		uint64_t insns, struct wm_error *err)
{
	struct phases *phases = search->phases;

	if (!insns)
		return wm_fail(err, WM_E_RANGE, 0, "nothing ran there");
	phases->insns = insns;
	phases->from = selection->from;
	phases->interval = search->options->interval;
	/* A thread that is shorter than one interval is one interval. */
	if (phases->interval > insns)
		phases->interval = insns;
	phases->n = insns / phases->interval;
	if (phases->n > PHASES_INTERVALS_MAX)
		return wm_fail(err, WM_E_RANGE, 0,
			       "%" PRIu64
			       " instructions are %zu intervals, and %d are too "
			       "many: make them longer",
			       insns, phases->n, PHASES_INTERVALS_MAX);
	plan_columns(search);
	/* With more intervals than rows, neighbours share a row. */
	phases->similar.group = divide_up(phases->n, PHASES_SIMILAR_MAX);
	phases->similar.rows = divide_up(phases->n, phases->similar.group);
	return fill_begins(search, err);
}

static int prepare(struct phases_search *search, const struct wm_trace *trace,
		   const struct counts *counts, struct wm_error *err)
{
	struct wm_summary summary;

	wm_trace_summary(trace, &summary);
	search->known = summary.known_blocks;
	search->points =
		calloc(search->phases->n, SIMPOINT_DIMENSIONS * sizeof(*search->points));
	search->places =
		calloc((size_t)summary.known_blocks + 1, sizeof(*search->places));
	if (!search->points || !search->places ||
	    !bbv_sum_init(&search->interval, summary.known_blocks) ||
	    !bbv_sum_init(&search->group, summary.known_blocks))
		return no_memory(err);
	search->walk = (struct bbv_walk){ trace, &search->cut, take_piece, search };
	return find_hot(search, counts, trace, summary.known_blocks, err);
}

void phases_drop(struct phases_search *search)
{
	if (!search)
		return;
	free(search->points);
	free(search->places);
	bbv_sum_fini(&search->interval);
	bbv_sum_fini(&search->group);
	for (size_t i = 0; i < search->n_groups; i++) {
		free(search->groups[i].ids);
		free(search->groups[i].shares);
	}
	free(search);
}

unsigned phases_k_max(size_t intervals)
{
	unsigned k = 1;

	/* The square root of the number of intervals, rounded up. */
	while (k < PHASES_K_DEFAULT && (size_t)k * k < intervals)
		k++;
	return k;
}

const double *phases_points(const struct phases_search *search)
{
	return search->points;
}

struct bbv_walk *phases_walk(struct phases_search *search)
{
	return &search->walk;
}

int phases_begin(struct phases_search **out, struct phases *phases,
		 const struct wm_trace *trace, const struct selection *selection,
		 const struct phases_options *options, struct wm_error *err)
{
	struct phases_search *search = calloc(1, sizeof(*search));
	struct counts counts = COUNTS_INIT;
	int ret;

	*out = NULL;
	*phases = PHASES_INIT;
	if (selection->excerpts) {
		free(search);
		return wm_fail(
			err, WM_E_RANGE, 0,
			"phases are of whole threads: --mode, --hart, --syscall and a "
			"process that is only a part of its thread do not apply");
	}
	if (!search)
		return no_memory(err);
	search->phases = phases;
	search->options = options;
	/*
	 * Histograms give the length and the hottest blocks; both must be known before
	 * the walk.
	 */
	ret = counts_gather(&counts, trace, selection, err);
	if (!ret)
		ret = plan(search, selection, counts.insns, err);
	if (!ret)
		ret = prepare(search, trace, &counts, err);
	counts_fini(&counts);
	if (ret) {
		phases_drop(search);
		phases_fini(phases);
	} else {
		*out = search;
	}
	return ret;
}

int phases_finish(struct phases_search *search, unsigned threads, struct wm_error *err)
{
	struct phases *phases = search->phases;
	struct points points = { .dimensions = SIMPOINT_DIMENSIONS,
				 .at = search->points,
				 .n = phases->n };
	unsigned k_max = search->options->k_max;
	int ret = 0;

	if (search->done < phases->n)
		ret = wm_fail(
			err, WM_E_DAMAGED, 0,
			"a thread has fewer instructions than its histograms count");
	if (!ret)
		ret = compare_groups(search, threads, err);
	if (!ret)
		ret = simpoints_find(&phases->simpoints, &points,
				     k_max ? k_max : phases_k_max(phases->n), threads,
				     err);
	phases_drop(search);
	if (ret)
		phases_fini(phases);
	return ret;
}

int phases_find(struct phases *phases, const struct wm_trace *trace,
		const struct selection *selection, const struct phases_options *options,
		struct wm_error *err)
{
	struct phases_search *search;
	int ret = phases_begin(&search, phases, trace, selection, options, err);

	if (ret)
		return ret;
	ret = analysis_run(&bbv_analysis, phases_walk(search), trace, selection, err);
	if (!ret)
		return phases_finish(search, selection->threads, err);
	phases_drop(search);
	phases_fini(phases);
	return ret;
}

double phases_column_width(const struct phases_scatter *scatter)
{
	size_t last = scatter->columns ? scatter->columns - 1 : 0;

	/* The last column may be much shorter, so it does not count. */
	if (!last)
		return (double)scatter->column_insns;
	return (double)(scatter->begins[last] - scatter->begins[0]) / (double)last;
}

void phases_fini(struct phases *phases)
{
	simpoints_fini(&phases->simpoints);
	free(phases->similar.distances);
	for (size_t i = 0; i < phases->scatter.n_hot; i++)
		free(phases->scatter.hot[i].columns);
	free(phases->scatter.hot);
	free(phases->scatter.begins);
	*phases = PHASES_INIT;
}

const struct function *phases_function(const struct wm_trace *trace,
				       struct functions *functions, uint32_t space,
				       uint32_t id)
{
	struct wm_block block;
	uint32_t number;

	if (wm_trace_block(trace, id, &block))
		return NULL;
	number = functions_at(functions, space, block.address, id, NULL);
	return number ? functions_get(functions, number) : NULL;
}
