// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Puts gathered feedback in order: merges equal places, gives each body its parts of the
 * sorted arrays, and adds up totals.
 *
 * Many instructions are of one place. They ran equally often, unless the compiler moved
 * some of them out of a loop or merged them with others; so the largest count is the
 * line's, as both LLVM and GCC expect. Calls of one place are different calls, and add
 * up.
 *
 *	place 3 of main: counts 100, 1, 100		-> 100
 *	place 3 of main: calls f 60, calls f 40		-> calls f 100
 *
 * Invariant: a body has a larger number than the body that it is inlined into, because
 * gathering goes from the function inwards. So one pass from the last body to the first
 * adds up totals.
 */
#include "analysis/feedback/feedback.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/feedback/feedback-data.h"

void feedback_fini(struct feedback *feedback)
{
	free(feedback->bodies);
	free(feedback->lines);
	free(feedback->calls);
	free(feedback->functions);
	free(feedback->inlined);
	interner_fini(&feedback->names);
}

const char *feedback_name(const struct feedback *feedback, uint32_t name)
{
	uint64_t address;
	uint32_t bytes;

	return (const char *)intern_code(&feedback->names, name, &address, &bytes);
}

/* ---- order ------------------------------------------------------------------------------ */

/* By body first: a body's lines, calls and inlined bodies are then neighbours. */
static int compare_places(const struct feedback_place *x, const struct feedback_place *y)
{
	if (x->body != y->body)
		return x->body < y->body ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return x->path < y->path ? -1 : x->path > y->path;
}

static int compare_lines(const void *a, const void *b)
{
	const struct feedback_line *x = a, *y = b;

	return compare_places(&x->at, &y->at);
}

static int compare_calls(const void *a, const void *b)
{
	const struct feedback_call *x = a, *y = b;
	int order = compare_places(&x->at, &y->at);

	return order ? order : x->callee < y->callee ? -1 : x->callee > y->callee;
}

/*
 * Compares names, not their numbers, which depend on the order of gathering. The output
 * then depends on nothing but the program.
 */
static int compare_names(const struct feedback *feedback, uint32_t x, uint32_t y)
{
	return strcmp(feedback_name(feedback, feedback->bodies[x].name),
		      feedback_name(feedback, feedback->bodies[y].name));
}

static int compare_inlined(const void *a, const void *b, void *cookie)
{
	const struct feedback *feedback = cookie;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int order = compare_places(&feedback->bodies[x].at, &feedback->bodies[y].at);

	return order ? order : compare_names(feedback, x, y);
}

/* The hottest function first; equal totals by name. */
static int compare_functions(const void *a, const void *b, void *cookie)
{
	const struct feedback *feedback = cookie;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint64_t total_x = feedback->bodies[x].total, total_y = feedback->bodies[y].total;

	if (total_x != total_y)
		return total_x > total_y ? -1 : 1;
	return compare_names(feedback, x, y);
}

/* ---- equal places ----------------------------------------------------------------------- */

/* Keeps one entry for each place, with the largest count. */
static void merge_lines(struct feedback *feedback)
{
	struct feedback_line *lines = feedback->lines;
	size_t n = 0;

	if (feedback->n_lines)
		qsort(lines, feedback->n_lines, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < feedback->n_lines; i++)
		if (!n || compare_lines(&lines[n - 1], &lines[i]))
			lines[n++] = lines[i];
		else if (lines[i].count > lines[n - 1].count)
			lines[n - 1].count = lines[i].count;
	feedback->n_lines = n;
}

/* Keeps one entry for each place and callee, with the sum of the counts. */
static void merge_calls(struct feedback *feedback)
{
	struct feedback_call *calls = feedback->calls;
	size_t n = 0;

	if (feedback->n_calls)
		qsort(calls, feedback->n_calls, sizeof(*calls), compare_calls);
	for (size_t i = 0; i < feedback->n_calls; i++)
		if (!n || compare_calls(&calls[n - 1], &calls[i]))
			calls[n++] = calls[i];
		else
			calls[n - 1].count += calls[i].count;
	feedback->n_calls = n;
}

/* ---- bodies ----------------------------------------------------------------------------- */

/*
 * Gives each body its parts of the two sorted arrays. Backwards, so the last entry that
 * sets first_line is the first one of the body.
 */
static void share_out(struct feedback *feedback)
{
	for (size_t i = feedback->n_lines; i-- > 0;) {
		struct feedback_body *body =
			&feedback->bodies[feedback->lines[i].at.body];

		body->first_line = i;
		body->lines++;
		body->total += feedback->lines[i].count;
	}
	for (size_t i = feedback->n_calls; i-- > 0;) {
		struct feedback_body *body =
			&feedback->bodies[feedback->calls[i].at.body];

		body->first_call = i;
		body->calls++;
	}
}

/*
 * Separates functions from what is inlined, and adds the totals of inlined bodies to
 * those around them. False: no memory.
 */
static bool list_bodies(struct feedback *feedback)
{
	size_t n = 0;

	feedback->functions = calloc(feedback->n_bodies + 1, sizeof(uint32_t));
	feedback->inlined = calloc(feedback->n_bodies + 1, sizeof(uint32_t));
	if (!feedback->functions || !feedback->inlined)
		return false;
	for (uint32_t i = (uint32_t)feedback->n_bodies; i-- > 1;) {
		const struct feedback_body *body = &feedback->bodies[i];

		/*
		 * This total is complete: all bodies inlined into it have larger numbers.
		 */
		if (body->at.body) {
			feedback->bodies[body->at.body].total += body->total;
			feedback->inlined[n++] = i;
		} else {
			feedback->functions[feedback->n_functions++] = i;
		}
	}
	qsort_r(feedback->inlined, n, sizeof(uint32_t), compare_inlined, feedback);
	/* Sorted by place, so the bodies inlined into one body are neighbours. */
	for (size_t i = n; i-- > 0;) {
		uint32_t into = feedback->bodies[feedback->inlined[i]].at.body;

		feedback->bodies[into].first_inlined = i;
		feedback->bodies[into].inlined++;
	}
	qsort_r(feedback->functions, feedback->n_functions, sizeof(uint32_t),
		compare_functions, feedback);
	return true;
}

bool feedback_put_in_order(struct feedback *feedback)
{
	merge_lines(feedback);
	merge_calls(feedback);
	share_out(feedback);
	return list_bodies(feedback);
}
