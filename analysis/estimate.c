// SPDX-License-Identifier: GPL-2.0-or-later
/* Both sides are counted exactly, from histograms, and only then weighed. */
#include "analysis/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/counts.h"
#include "base/error.h"
#include "base/parallel.h"

/* What ran somewhere, by block and by class. */
struct tally {
	const struct wm_trace *trace;
	unsigned xlen;	  /* 0: not RISC-V */
	uint64_t *blocks; /* [known + 1] instructions by id */
	uint32_t known;
	uint64_t classes[RISCV_CLASSES + 1];
	uint64_t insns;
};

/* SimPoints are tallied at once, each by one thread, and weighed in their order. */
struct estimating {
	const struct phases *phases;
	const struct selection *selection;
	struct tally *tallies; /* [k + 1]: of the whole at last */
	unsigned k;
};

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "an estimate");
}

static unsigned class_of(const struct tally *tally, const uint8_t *code, uint8_t size)
{
	const struct riscv_insn *insn;
	uint32_t word = 0;

	for (unsigned i = size < 4 ? size : 4; i-- > 0;)
		word = word << 8 | code[i];
	insn = riscv_decode(word, tally->xlen);
	return insn ? insn->class : RISCV_CLASSES;
}

/* Instructions begin <= index < end of a block ran so often. */
static void add(struct tally *tally, uint32_t id, uint32_t begin, uint32_t end,
		uint64_t count)
{
	const uint8_t *code;
	struct wm_block block;

	if (wm_trace_block(tally->trace, id, &block))
		return;
	end = end < block.insns ? end : block.insns;
	tally->blocks[id] += (end - begin) * count;
	tally->insns += (end - begin) * count;
	code = block.code;
	for (uint32_t i = 0; tally->xlen && i < end; i++) {
		if (i >= begin)
			tally->classes[class_of(tally, code, block.sizes[i])] += count;
		code += block.sizes[i];
	}
}

static int count(struct tally *tally, const struct selection *selection,
		 struct wm_error *err)
{
	struct counts counts;
	int ret = counts_gather(&counts, tally->trace, selection, err);

	if (ret)
		return ret;
	for (size_t i = 0; i < counts.n_rows; i++)
		add(tally, counts.rows[i].id, 0, UINT32_MAX, counts.rows[i].count);
	for (size_t i = 0; i < counts.n_parts; i++)
		add(tally, counts.parts[i].id, counts.parts[i].begin, counts.parts[i].end,
		    counts.parts[i].count);
	counts_fini(&counts);
	return 0;
}

static void weigh(double *to, const uint64_t *from, size_t n, const struct tally *tally,
		  double weight)
{
	for (size_t i = 0; i < n; i++)
		to[i] += weight * (double)from[i] / (double)tally->insns;
}

static double half_distance(const double *a, const double *b, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += fabs(a[i] - b[i]);
	return sum / 2;
}

static uint32_t hottest_of(const struct tally *tally)
{
	uint32_t hottest = 0;

	for (uint32_t id = 1; id <= tally->known; id++)
		if (tally->blocks[id] > tally->blocks[hottest])
			hottest = id;
	return hottest;
}

static int count_point(void *cookie, uint64_t index, unsigned worker)
{
	const struct estimating *estimating = cookie;
	const struct phases *phases = estimating->phases;
	struct selection selection = *estimating->selection;

	(void)worker;
	selection.from = phases->from +
			 phases->simpoints.points[index].interval * phases->interval;
	selection.to = selection.from + phases->interval;
	selection.threads = 1;
	selection.progress = NULL;
	return count(&estimating->tallies[index], &selection, NULL);
}

static int weigh_all(struct estimate *estimate, const struct estimating *estimating,
		     struct wm_error *err)
{
	const struct tally *whole = &estimating->tallies[estimating->k];
	size_t n = (size_t)whole->known + 1;
	double *sums = calloc(n, 2 * sizeof(*sums));

	if (!sums)
		return no_memory(err);
	weigh(sums, whole->blocks, n, whole, 1);
	weigh(estimate->whole, whole->classes, RISCV_CLASSES + 1, whole, 1);
	for (unsigned i = 0; i < estimating->k; i++) {
		const struct tally *tally = &estimating->tallies[i];
		double weight = estimating->phases->simpoints.points[i].weight;

		estimate->hottest[i] = hottest_of(tally);
		weigh(sums + n, tally->blocks, n, tally, weight);
		weigh(estimate->estimated, tally->classes, RISCV_CLASSES + 1, tally,
		      weight);
	}
	estimate->blocks_error = half_distance(sums, sums + n, n);
	estimate->mix_error =
		half_distance(estimate->estimated, estimate->whole, RISCV_CLASSES + 1);
	free(sums);
	return 0;
}

static int find(struct estimate *estimate, struct estimating *estimating,
		struct wm_error *err)
{
	unsigned k = estimating->k;
	int ret = count(&estimating->tallies[k], estimating->selection, err);

	if (ret)
		return ret;
	if (parallel_for(k, estimating->selection->threads, count_point, estimating))
		return wm_fail(err, WM_E_DAMAGED, 0, "a SimPoint cannot be retraced");
	return weigh_all(estimate, estimating, err);
}

static unsigned xlen_of(const struct wm_trace *trace)
{
	const char *isa = wm_trace_meta(trace, "guest-isa");

	if (!isa || strncmp(isa, "riscv", 5) != 0)
		return 0;
	return strstr(isa, "32") ? 32 : 64;
}

static bool make_tallies(struct estimating *estimating, const struct wm_trace *trace)
{
	struct wm_summary summary;
	bool good = true;

	wm_trace_summary(trace, &summary);
	estimating->tallies =
		calloc((size_t)estimating->k + 1, sizeof(*estimating->tallies));
	for (unsigned i = 0; estimating->tallies && i <= estimating->k; i++) {
		struct tally *tally = &estimating->tallies[i];

		tally->trace = trace;
		tally->xlen = xlen_of(trace);
		tally->known = summary.known_blocks;
		tally->blocks = calloc((size_t)tally->known + 1, sizeof(*tally->blocks));
		good &= tally->blocks != NULL;
	}
	return good && estimating->tallies;
}

int estimate_find(struct estimate *estimate, const struct phases *phases,
		  const struct wm_trace *trace, const struct selection *selection,
		  struct wm_error *err)
{
	struct estimating estimating = { phases, selection, NULL,
					 phases->simpoints.clusters.k };
	int ret;

	*estimate = (struct estimate){
		.has_mix = xlen_of(trace),
		.hottest = calloc(estimating.k, sizeof(*estimate->hottest)),
	};
	if (make_tallies(&estimating, trace) && estimate->hottest)
		ret = find(estimate, &estimating, err);
	else
		ret = no_memory(err);
	for (unsigned i = 0; estimating.tallies && i <= estimating.k; i++)
		free(estimating.tallies[i].blocks);
	free(estimating.tallies);
	if (ret)
		estimate_fini(estimate);
	return ret;
}

void estimate_fini(struct estimate *estimate)
{
	free(estimate->hottest);
	*estimate = ESTIMATE_INIT;
}
