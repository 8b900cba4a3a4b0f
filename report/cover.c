// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "cover": what of the program's files ran, and what did not.
 *
 * Each file has its number of functions, and of those that ran; each source file its
 * lines. Then there are two lists of functions: of those that ran the busiest, of the
 * others the first in the order of files and places.
 *
 * The cover has one run, the selection, and no branches, which would need another walk.
 *
 * Example: of 120 functions in libm.so, 3 ran: {path of libm.so, 120, 3}.
 */
#include "analysis/cover/cover.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/section.h"

/* Far more than a reader looks at; "in_all" and the totals are not cut. */
enum { FILES_MAX = 200, REACHED_MAX = 400, MISSED_MAX = 400 };

/* A file: how many functions or lines it has, and how many of these ran. */
struct part {
	const char *path;
	uint64_t all, reached;
};

static int by_all(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->all != y->all)
		return x->all > y->all ? -1 : 1;
	return strcmp(x->path, y->path);
}

/*
 * "in_all": the number of files; "files": of the largest ones the number of their path,
 * how much there is, and how much ran.
 */
static bool put_parts(struct report *report, const char *key, struct part *parts,
		      size_t n)
{
	struct json *json = &report->json;
	bool ok = true;

	/* By size, so that the cut leaves the largest. */
	if (n)
		qsort(parts, n, sizeof(*parts), by_all);
	json_object(json, key);
	json_uint(json, "in_all", n);
	json_array(json, "files");
	for (size_t i = 0; ok && i < n && i < FILES_MAX; i++) {
		uint32_t path = labels_add_path(&report->names, parts[i].path);

		json_array(json, NULL);
		json_uint(json, NULL, path);
		json_uint(json, NULL, parts[i].all);
		json_uint(json, NULL, parts[i].reached);
		json_close(json);
		/* 0 is missing memory. */
		ok = path > 0;
	}
	json_close(json);
	json_close(json);
	return ok;
}

/* Counts functions by the module that has them. */
static bool put_modules(struct report *report, const struct cover *cover)
{
	/* 1 more, because calloc() of nothing may return NULL. */
	struct part *parts = calloc(cover->n_modules + 1, sizeof(*parts));
	bool ok;

	if (!parts)
		return false;
	for (uint32_t i = 0; i < cover->n_modules; i++)
		/* Paths are the cover's, which outlives the parts. */
		parts[i].path = cover->modules[i].path;
	for (uint32_t i = 0; i < cover->n_functions; i++) {
		struct part *part = &parts[cover->functions[i].module];

		/*
		 * Functions know their module by its index, so the counts need no search.
		 * How many a missing file has is not known, and is 0.
		 */
		part->all += !cover->modules[cover->functions[i].module].gone;
		part->reached += cover->functions[i].first != COVER_NEVER;
	}
	ok = put_parts(report, "modules", parts, cover->n_modules);
	free(parts);
	return ok;
}

/*
 * Lines are sorted by path, so those of a file are neighbours. Sources are numbered from
 * 1, so one more makes room for all of them.
 */
static bool put_sources(struct report *report, const struct cover *cover)
{
	struct part *parts = calloc(cover->sources.count + 1, sizeof(*parts));
	uint32_t source = 0;
	size_t n = 0;
	bool ok;

	if (!parts)
		return false;
	for (uint32_t i = 0; i < cover->n_lines; i++) {
		const struct cover_line *line = &cover->lines[i];

		if (!n || line->line.source != source) {
			source = line->line.source;
			parts[n++].path = cover_path(cover, source);
		}
		parts[n - 1].all++;
		parts[n - 1].reached += line->first != COVER_NEVER;
	}
	ok = put_parts(report, "sources", parts, n);
	free(parts);
	return ok;
}

/* ---- functions ----------------------------------------------------------- */

static int by_insns(const void *a, const void *b)
{
	const struct cover_function *const *x = a, *const *y = b;

	if ((*x)->insns != (*y)->insns)
		return (*x)->insns > (*y)->insns ? -1 : 1;
	/* Otherwise by place, which is the order of the array */
	return *x < *y ? -1 : *x > *y;
}

/*
 * Writes the name, executions and instructions of a function and, where known, its line:
 * path and number.
 */
static bool put_function(struct report *report, const struct cover *cover,
			 const struct cover_function *function)
{
	struct json *json = &report->json;
	uint32_t name = labels_add(&report->names, function->name,
				   cover->modules[function->module].path);
	/* 1: without a line there is no path that could fail. */
	uint32_t path = 1;

	json_array(json, NULL);
	json_uint(json, NULL, name);
	json_uint(json, NULL, function->executions);
	json_uint(json, NULL, function->insns);
	if (function->line.source) {
		path = labels_add_path(&report->names,
				       cover_path(cover, function->line.source));
		json_uint(json, NULL, path);
		json_uint(json, NULL, function->line.number);
	}
	json_close(json);
	return name && path;
}

static bool put_reached(struct report *report, const struct cover *cover)
{
	/* Sorts pointers, because the cover itself must stay in the order of places. */
	const struct cover_function **order =
		calloc(cover->n_functions + 1, sizeof(*order));
	size_t n = 0;
	bool ok = order != NULL;

	for (uint32_t i = 0; ok && i < cover->n_functions; i++)
		if (cover->functions[i].first != COVER_NEVER)
			order[n++] = &cover->functions[i];
	if (n)
		qsort(order, n, sizeof(*order), by_insns);
	json_array(&report->json, "reached");
	for (size_t i = 0; ok && i < n && i < REACHED_MAX; i++)
		ok = put_function(report, cover, order[i]);
	json_close(&report->json);
	free(order);
	return ok;
}

/*
 * Functions that did not run, in the order of files and places: neighbours in a source
 * file stay together, which shows a feature that nothing used.
 */
static bool put_missed(struct report *report, const struct cover *cover)
{
	unsigned n = 0;
	bool ok = true;

	json_array(&report->json, "missed");
	for (uint32_t i = 0; ok && i < cover->n_functions && n < MISSED_MAX; i++) {
		if (cover->functions[i].first != COVER_NEVER)
			continue;
		ok = put_function(report, cover, &cover->functions[i]);
		n++;
	}
	json_close(&report->json);
	return ok;
}

/* The object stays open after a failure: the report is then discarded as a whole. */
static int put_cover(struct report *report, const struct cover *cover,
		     struct wm_error *err)
{
	bool ok;

	json_object(&report->json, "cover");
	ok = put_modules(report, cover) && put_sources(report, cover) &&
	     put_reached(report, cover) && put_missed(report, cover);
	json_close(&report->json);
	return ok ? 0 : wm_fail_nomem(err, "coverage");
}

int report_cover(struct report *report, struct wm_error *err)
{
	const struct report_ask *ask = report->ask;
	struct cover cover;
	struct cover_run run = {
		.name = "",
		.of = { .trace = ask->trace,
			.selection = ask->selection,
			.counts = report->counts,
			.symbols = ask->symbols,
			.functions = ask->functions,
			.lines = ask->lines },
		.insns = report->insns,
		.bytecodes = report->bytecodes,
	};
	/* No branches: they would need a walk over the whole run. */
	int ret = cover_init(&cover, false, err);

	if (ret)
		return ret;
	ret = cover_add(&cover, &run, err);
	if (!ret) {
		cover_finish(&cover);
		ret = put_cover(report, &cover, err);
	}
	cover_fini(&cover);
	return ret;
}
