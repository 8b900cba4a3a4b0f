// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compares the estimate that SimPoints give of a run with what ran.
 *
 * Both sides are counted exactly, and weighted afterwards. SimPoints are counted in
 * parallel, each by one thread; then their counts are read one after the other in their
 * order, so that sums of floating-point numbers are always the same.
 *
 * Example: a block has 40 % of the run. It has 50 % of SimPoint 1, of weight 0.6, and 20
 * % of SimPoint 2, of weight 0.4. The estimate is 0.6 * 0.5 + 0.4 * 0.2 = 38 %, and the
 * block adds |0.40 - 0.38| / 2 = 0.01 to the error.
 */
#include "analysis/phases/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/counts.h"
#include "base/error.h"
#include "base/parallel.h"

struct estimating {
	struct estimate *estimate;
	const struct phases *phases;
	const struct wm_trace *trace;
	const struct selection *selection;
	unsigned k;
	uint32_t known;
	struct counts *counts; /* [k + 1] of each SimPoint, and of the whole run last */

	/* Of the counts that are being read. */
	uint64_t *blocks; /* [known + 1] instructions by id */
	uint64_t *sums;	  /* [room] by kind */
	uint32_t *ways;	  /* [room_ways] of a block's instructions */
	uint32_t room, room_ways;
	uint64_t insns;
};

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "an estimate");
}

/* ---- counting ------------------------------------------------------------ */

/* Counts the interval of one SimPoint. */
static int count_one(void *cookie, uint64_t index, unsigned worker)
{
	const struct estimating *estimating = cookie;
	const struct phases *phases = estimating->phases;
	struct selection selection = *estimating->selection;

	(void)worker;
	selection.from = phases->from +
			 phases->simpoints.points[index].interval * phases->interval;
	selection.to = selection.from + phases->interval;
	/* The points themselves run in parallel. */
	selection.threads = 1;
	selection.progress = NULL;
	/* Workers cannot share an error, so the caller makes one. */
	return counts_gather(&estimating->counts[index], estimating->trace, &selection,
			     NULL);
}

static int count_all(struct estimating *estimating, struct wm_error *err)
{
	unsigned k = estimating->k;
	int ret = counts_gather(&estimating->counts[k], estimating->trace,
				estimating->selection, err);

	if (!ret &&
	    parallel_for(k, estimating->selection->threads, count_one, estimating))
		ret = wm_fail(err, WM_E_DAMAGED, 0, "a SimPoint cannot be retraced");
	return ret;
}

/* ---- looking at counts --------------------------------------------------- */

static bool make_room(void *array, uint32_t *room, uint32_t wanted, size_t bytes)
{
	void **at = array;
	uint32_t more = *room;
	char *grown;

	/* Room for index `wanted`; new elements are zeros. */
	if (wanted < more)
		return true;
	while (more <= wanted)
		more = more * 2 + 64;
	grown = reallocarray(*at, more, bytes);
	if (!grown)
		return false;
	memset(grown + *room * bytes, 0, (more - *room) * bytes);
	*at = grown;
	*room = more;
	return true;
}

/* Instructions begin <= index < end of a block ran `count` times. */
static bool add(struct estimating *estimating, uint32_t id, uint32_t begin, uint32_t end,
		uint64_t count)
{
	struct kinds *kinds = estimating->estimate->kinds;
	struct wm_block block;

	/* A block that the trace does not define counts nowhere. */
	if (wm_trace_block(estimating->trace, id, &block))
		return true;
	/* UINT32_MAX stands for the whole block. */
	end = end < block.insns ? end : block.insns;
	/*
	 * Blocks are weighed by instructions and not by executions, so that long blocks
	 * count for more.
	 */
	estimating->blocks[id] += (end - begin) * count;
	estimating->insns += (end - begin) * count;
	if (!make_room(&estimating->ways, &estimating->room_ways, block.insns,
		       sizeof(*estimating->ways)) ||
	    !kinds_find_block(kinds, id, estimating->ways) ||
	    !make_room(&estimating->sums, &estimating->room, kinds_count(kinds),
		       sizeof(*estimating->sums)))
		return false;
	for (uint32_t i = begin; i < end; i++)
		/* By class and by mnemonic, an instruction has exactly one use. */
		estimating->sums[*kinds_of(kinds, estimating->ways[i]).uses] += count;
	return true;
}

static bool look_at(struct estimating *estimating, const struct counts *counts)
{
	bool good = true;

	/* Each call begins with zeros: the arrays are those of the counts before. */
	memset(estimating->blocks, 0,
	       ((size_t)estimating->known + 1) * sizeof(*estimating->blocks));
	if (estimating->room)
		memset(estimating->sums, 0, estimating->room * sizeof(*estimating->sums));
	estimating->insns = 0;
	for (size_t i = 0; good && i < counts->n_rows; i++)
		good = add(estimating, counts->rows[i].id, 0, UINT32_MAX,
			   counts->rows[i].count);
	for (size_t i = 0; good && i < counts->n_parts; i++)
		good = add(estimating, counts->parts[i].id, counts->parts[i].begin,
			   counts->parts[i].end, counts->parts[i].count);
	return good;
}

/* ---- weighing ------------------------------------------------------------ */

/*
 * A weight of 1 gives the share of all that ran, a SimPoint's weight its part of the
 * estimate.
 */
static double share_of(const struct estimating *estimating, uint64_t insns, double weight)
{
	return weight * (double)insns / (double)estimating->insns;
}

static void weigh_blocks(double *to, const struct estimating *estimating, double weight)
{
	for (uint32_t id = 1; id <= estimating->known; id++)
		to[id] += share_of(estimating, estimating->blocks[id], weight);
}

/* All kinds are known after the whole run, which is read first. */
static int name_kinds(struct estimating *estimating, struct wm_error *err)
{
	struct estimate *estimate = estimating->estimate;
	uint32_t n = kinds_count(estimate->kinds);

	estimate->mix = calloc((size_t)n + 1, sizeof(*estimate->mix));
	if (!estimate->mix)
		return no_memory(err);
	estimate->n_mix = n;
	for (uint32_t i = 0; i < n; i++) {
		estimate->mix[i].name = kinds_name(estimate->kinds, i + 1);
		estimate->mix[i].whole = share_of(estimating, estimating->sums[i + 1], 1);
	}
	return 0;
}

/* Adds one SimPoint to the estimate, and notes the block that stands for it. */
static void weigh_point(struct estimating *estimating, double *to, unsigned index)
{
	struct estimate *estimate = estimating->estimate;
	double weight = estimating->phases->simpoints.points[index].weight;
	uint32_t hottest = 0;

	weigh_blocks(to, estimating, weight);
	for (size_t i = 0; i < estimate->n_mix; i++)
		estimate->mix[i].estimated +=
			share_of(estimating, estimating->sums[i + 1], weight);
	for (uint32_t id = 1; id <= estimating->known; id++)
		/* blocks[0] is 0; of equal blocks the lowest id. */
		if (estimating->blocks[id] > estimating->blocks[hottest])
			hottest = id;
	estimate->hottest[index].id = hottest;
	estimate->hottest[index].space =
		counts_main_space(&estimating->counts[index], estimating->trace, hottest);
}

static int compare_mix(const void *a, const void *b)
{
	const struct estimate_mix *x = a, *y = b;

	if (x->whole < y->whole || x->whole > y->whole)
		return x->whole > y->whole ? -1 : 1;
	return strcmp(x->name, y->name);
}

/*
 * Half of the summed differences: a share that is too high in one place is missing in
 * another and would count twice.
 */
static void find_errors(struct estimate *estimate, const double *whole,
			const double *estimated, uint32_t known)
{
	for (uint32_t id = 1; id <= known; id++)
		estimate->blocks_error += fabs(whole[id] - estimated[id]) / 2;
	qsort(estimate->mix, estimate->n_mix, sizeof(*estimate->mix), compare_mix);
	for (size_t i = 0; i < estimate->n_mix; i++)
		estimate->mix_error +=
			fabs(estimate->mix[i].whole - estimate->mix[i].estimated) / 2;
}

static int weigh(struct estimating *estimating, struct wm_error *err)
{
	size_t n = (size_t)estimating->known + 1;
	/* Two arrays in one: the shares of what ran, then the estimated ones. */
	double *shares = calloc(n, 2 * sizeof(*shares));
	int ret = 0;

	if (!shares || !look_at(estimating, &estimating->counts[estimating->k]))
		ret = no_memory(err);
	if (!ret) {
		/*
		 * The whole run comes first, because it has every kind that a SimPoint
		 * can have.
		 */
		weigh_blocks(shares, estimating, 1);
		ret = name_kinds(estimating, err);
	}
	for (unsigned i = 0; !ret && i < estimating->k; i++) {
		if (look_at(estimating, &estimating->counts[i]))
			weigh_point(estimating, shares + n, i);
		else
			ret = no_memory(err);
	}
	if (!ret)
		find_errors(estimating->estimate, shares, shares + n, estimating->known);
	free(shares);
	return ret;
}

/* ---- the whole ----------------------------------------------------------- */

/* By class where the guest has classes; they are fewer and clearer than mnemonics. */
static int open_kinds(struct estimate *estimate, const struct wm_trace *trace,
		      struct wm_error *err)
{
	int ret = kinds_new(&estimate->kinds, trace, KINDS_CLASS, err);

	/* Only RISC-V has classes. */
	if (ret == WM_E_RANGE)
		ret = kinds_new(&estimate->kinds, trace, KINDS_MNEMONIC, err);
	if (ret)
		estimate->kinds = NULL;
	return ret;
}

static bool make(struct estimating *estimating)
{
	struct wm_summary summary;

	wm_trace_summary(estimating->trace, &summary);
	estimating->known = summary.known_blocks;
	estimating->counts =
		calloc((size_t)estimating->k + 1, sizeof(*estimating->counts));
	estimating->blocks =
		calloc((size_t)estimating->known + 1, sizeof(*estimating->blocks));
	/* There is always at least one cluster. */
	estimating->estimate->hottest =
		calloc(estimating->k, sizeof(*estimating->estimate->hottest));
	return estimating->counts && estimating->blocks && estimating->estimate->hottest;
}

static void estimating_fini(struct estimating *estimating)
{
	for (unsigned i = 0; estimating->counts && i <= estimating->k; i++)
		counts_fini(&estimating->counts[i]);
	free(estimating->counts);
	free(estimating->blocks);
	free(estimating->sums);
	free(estimating->ways);
}

int estimate_find(struct estimate *estimate, const struct phases *phases,
		  const struct wm_trace *trace, const struct selection *selection,
		  struct wm_error *err)
{
	struct estimating estimating = { .estimate = estimate,
					 .phases = phases,
					 .trace = trace,
					 .selection = selection,
					 .k = phases->simpoints.clusters.k };
	int ret;

	*estimate = ESTIMATE_INIT;
	ret = make(&estimating) ? open_kinds(estimate, trace, err) : no_memory(err);
	if (!ret)
		ret = count_all(&estimating, err);
	if (!ret)
		ret = weigh(&estimating, err);
	estimating_fini(&estimating);
	if (ret)
		estimate_fini(estimate);
	return ret;
}

void estimate_fini(struct estimate *estimate)
{
	free(estimate->mix);
	free(estimate->hottest);
	kinds_free(estimate->kinds);
	*estimate = ESTIMATE_INIT;
}
