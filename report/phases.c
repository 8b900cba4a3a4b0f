// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "phases": the phases of the busiest thread, and which of the hottest blocks ran when.
 *
 * The length of intervals is a round number, chosen so that there are about as many
 * intervals as the picture of their similarity has rows. Example: 3,000,000 instructions
 * in intervals of 20,000 would be 150, more than INTERVALS; intervals of 50,000 are 60.
 */
#include "analysis/phases/phases.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "report/section.h"

/* POINTS_MAX: more labels than a screen has points. */
enum { INTERVALS = 128, POINTS_MAX = 20000 };

/* The first of 1,000, 2,000, 5,000, 10,000 and so on of which at most INTERVALS fit. */
static uint64_t round_interval(uint64_t insns)
{
	static const unsigned steps[] = { 2, 5, 10 };
	uint64_t unit = 1000, interval = unit;

	/* 1,000 * 2, * 5, * 10, and then from 10,000 on again. */
	for (unsigned i = 0; insns / interval > INTERVALS && interval < BBV_INTERVAL_MAX;
	     i = (i + 1) % 3) {
		interval = unit * steps[i];
		unit = i == 2 ? interval : unit;
	}
	return interval;
}

/* ---- pictures ------------------------------------------------------------ */

/*
 * "labels": each interval's phase; only every step-th one where there are too many to be
 * seen.
 */
static void put_labels(struct json *json, const struct phases *phases)
{
	size_t step = phases->n / POINTS_MAX + 1;

	json_uint(json, "label_step", step);
	json_array(json, "labels");
	for (size_t i = 0; i < phases->n; i += step)
		json_uint(json, NULL, phases->simpoints.clusters.labels[i]);
	json_close(json);
}

/*
 * "phases": of each its share, the number of its intervals, and the one that represents
 * it.
 */
static void put_simpoints(struct json *json, const struct simpoints *simpoints)
{
	json_array(json, "phases");
	for (unsigned i = 0; i < simpoints->clusters.k; i++) {
		json_array(json, NULL);
		json_real(json, NULL, simpoints->points[i].weight, 6);
		json_uint(json, NULL, simpoints->points[i].size);
		json_uint(json, NULL, simpoints->points[i].interval);
		json_close(json);
	}
	json_close(json);
}

/* "rows": of the matrix, shades from alike (the first) to nothing in common. */
static bool put_similar(struct json *json, const struct phases_similar *similar)
{
	/* One more for the NUL. */
	char *row = malloc(similar->rows + 1);

	if (!row)
		return false;
	json_object(json, "similar");
	json_uint(json, "group", similar->group);
	json_array(json, "rows");
	for (size_t i = 0; i < similar->rows; i++) {
		/* Distances are 0 to 2, shades are of 0 to 1. */
		for (size_t j = 0; j < similar->rows; j++)
			row[j] = report_shade(similar->distances[i * similar->rows + j] /
					      2);
		row[similar->rows] = '\0';
		json_string(json, NULL, row);
	}
	json_close(json);
	json_close(json);
	free(row);
	return true;
}

/* Ids are given in the order of translation, so early code comes first in the picture. */
static int by_id(const void *a, const void *b)
{
	const struct phases_hot *const *x = a, *const *y = b;

	return (*x)->id < (*y)->id ? -1 : (*x)->id > (*y)->id;
}

/* The name and offset of the function that a block begins in. */
static bool put_place(struct report *report, uint32_t space, uint32_t id)
{
	struct wm_block block;
	uint64_t offset = 0;
	uint32_t function, name;

	if (wm_trace_block(report->ask->trace, id, &block))
		return false;
	function =
		functions_at(report->ask->functions, space, block.address, id, &offset);
	name = function ? report_function(report, function) : 0;
	json_uint(&report->json, NULL, name);
	json_uint(&report->json, NULL, offset);
	return name > 0;
}

/* Of a block its id, place, instructions, and shades of its share of each column. */
static bool put_hot(struct report *report, const struct phases_scatter *scatter,
		    const struct phases_hot *hot)
{
	struct json *json = &report->json;
	char *row = malloc(scatter->columns + 1);
	bool ok;

	if (!row)
		return false;
	for (size_t i = 0; i < scatter->columns; i++)
		row[i] = report_shade(
			/* The square root makes small shares visible. */
			sqrt((double)hot->columns[i] / (double)scatter->column_insns));
	row[scatter->columns] = '\0';
	json_array(json, NULL);
	json_uint(json, NULL, hot->id);
	ok = put_place(report, hot->space, hot->id);
	json_uint(json, NULL, hot->insns);
	json_string(json, NULL, row);
	json_close(json);
	free(row);
	return ok;
}

/* "blocks": the hottest by id, which follows the order in which they first came. */
static bool put_scatter(struct report *report, const struct phases_scatter *scatter)
{
	struct json *json = &report->json;
	/* 1 more, because calloc() of nothing may return NULL. */
	const struct phases_hot **order = calloc(scatter->n_hot + 1, sizeof(*order));
	bool ok = order != NULL;

	if (!ok)
		return false;
	for (size_t i = 0; i < scatter->n_hot; i++)
		order[i] = &scatter->hot[i];
	qsort(order, scatter->n_hot, sizeof(*order), by_id);
	json_object(json, "scatter");
	json_uint(json, "columns", scatter->columns);
	json_uint(json, "column_insns", scatter->column_insns);
	json_double(json, "column_width", phases_column_width(scatter));
	json_array(json, "blocks");
	for (size_t i = 0; ok && i < scatter->n_hot; i++)
		ok = put_hot(report, scatter, order[i]);
	json_close(json);
	json_close(json);
	free(order);
	return ok;
}

/* After a failure the object stays open: the report is then discarded as a whole. */
static bool put_phases(struct report *report, unsigned thread,
		       const struct phases *phases)
{
	struct json *json = &report->json;

	json_object(json, "phases");
	json_uint(json, "thread", thread);
	json_uint(json, "from", phases->from);
	json_uint(json, "insns", phases->insns);
	json_uint(json, "interval", phases->interval);
	json_uint(json, "intervals", phases->n);
	put_labels(json, phases);
	put_simpoints(json, &phases->simpoints);
	/* The key stays open: without memory there is no report. */
	if (!put_similar(json, &phases->similar) ||
	    !put_scatter(report, &phases->scatter))
		return false;
	json_close(json);
	return true;
}

/* From before the walk until the phases are written. */
struct report_phases {
	unsigned thread;
	struct phases_options options;
	struct phases_search *search; /* NULL: there are no phases, because of `why` */
	struct phases phases;
	struct wm_error why;
};

/*
 * Intervals of several threads cannot be compared, so phases are those of the busiest
 * thread.
 */
int report_phases_begin(struct report *report, struct wm_error *err)
{
	struct report_phases *mine = calloc(1, sizeof(*mine));
	struct selection selection = *report->ask->selection;
	uint64_t insns;
	int ret;

	report->phases = mine;
	if (!mine)
		return wm_fail_nomem(err, "phases");
	mine->thread = report_busiest(report, &insns);
	mine->options.interval = round_interval(insns);
	selection.streams = &mine->thread;
	selection.n = 1;
	ret = phases_begin(&mine->search, &mine->phases, report->ask->trace, &selection,
			   &mine->options, err);
	/* Nothing ran, or the intervals are too many: the page says so. */
	if (ret == WM_E_RANGE) {
		mine->why = *err;
		return 0;
	}
	if (!ret)
		joint_add(&report->walk, &bbv_analysis, phases_walk(mine->search),
			  &mine->thread, 1);
	return ret;
}

void report_phases_end(struct report *report)
{
	if (!report->phases)
		return;
	phases_drop(report->phases->search);
	phases_fini(&report->phases->phases);
	free(report->phases);
	report->phases = NULL;
}

int report_phases(struct report *report, struct wm_error *err)
{
	struct report_phases *mine = report->phases;
	struct phases_search *search = mine->search;
	int ret;

	if (!search) {
		report_absent(report, "phases", &mine->why);
		return 0;
	}
	mine->search = NULL; /* phases_finish() frees it */
	ret = phases_finish(search, report->ask->selection->threads, err);
	if (ret)
		return ret;
	return put_phases(report, mine->thread, &mine->phases) ?
		       0 :
		       wm_fail_nomem(err, "phases");
}
