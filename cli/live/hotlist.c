// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Turns a sample of block ids into functions. Names come from the trace file, which still
 * grows: a block of the sample may be newer than what was read of it. Then the file is
 * opened again, which costs time that grows with it. So at most one part in OPEN_SHARE of
 * the time is spent on that.
 *
 * Of a machine the recorder tells blocks without their processes, so those of programs are one row.
 *
 * Example: opening took 0.2 s. It is not opened again for 2 s; until then blocks beyond
 * `known` are summed under "[not in the file yet]".
 */
#include "cli/live/hotlist.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/sum_up.h"
#include "trace/modes.h"

#define OPEN_SHARE 10 /* opening takes at most 1 / OPEN_SHARE of the time */

void hotlist_init(struct hotlist *list, const char *file)
{
	*list = (struct hotlist){ .file = file };
}

/* Functions refer to symbols and these to the trace, so they are freed in this order. */
static void close_trace(struct hotlist *list)
{
	functions_free(list->functions);
	symbols_free(list->symbols);
	wm_trace_close(list->trace);
	list->functions = NULL;
	list->symbols = NULL;
	list->trace = NULL;
	list->known = 0;
}

void hotlist_fini(struct hotlist *list)
{
	close_trace(list);
	free(list->rows);
}

/* Opens the file as it is at the moment. After a failure no block has a name. */
static void open_trace(struct hotlist *list)
{
	uint64_t begin_ns = clock_ns();
	struct wm_summary summary;

	close_trace(list);
	if (wm_trace_open(&list->trace, list->file, NULL)) {
		list->trace = NULL;
	} else if (symbols_new(&list->symbols, list->trace, NULL)) {
		list->symbols = NULL;
		close_trace(list);
	} else if (functions_new(&list->functions, list->symbols, NULL)) {
		list->functions = NULL;
		close_trace(list);
	} else {
		wm_trace_summary(list->trace, &summary);
		list->known = summary.known_blocks;
		list->has_programs = trace_has_programs(list->trace);
	}
	/* Also after a failure, which costs as much and would repeat with each sample. */
	list->may_open_ns = clock_ns() + OPEN_SHARE * (clock_ns() - begin_ns);
}

/*
 * Ids are assigned in ascending order, so the highest one of the sample tells whether the
 * file must be newer.
 */
static void open_if_needed(struct hotlist *list, const struct sample *sample)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < sample->n; i++)
		most = sample->blocks[i].id > most ? sample->blocks[i].id : most;
	if (most > list->known && clock_ns() >= list->may_open_ns)
		open_trace(list);
}

/*
 * A block counts for the function that it begins in. Its instructions are executions
 * times length.
 */
static struct hot_row row_of(struct hotlist *list, const struct sample_block *sampled)
{
	struct hot_row row = { "[not in the file yet]", "",
			       sampled->count * sampled->insns };
	const struct function *function;
	struct wm_block block;
	const char *slash;
	uint32_t number;

	if (sampled->id > list->known || wm_trace_block(list->trace, sampled->id, &block))
		return row;
	number = functions_at(list->functions, sampled->process, block.address,
			      sampled->id, NULL);
	if (!number)
		return row;
	function = functions_get(list->functions, number);
	/* A kernel is in the upper half of addresses, and a file that is named has a module. */
	row.name = list->has_programs && !function->module && !(block.address >> 63) ?
			   "[programs]" :
			   function->name;
	slash = function->module ? strrchr(function->module, '/') : NULL;
	row.module = slash ? slash + 1 : function->module ? function->module : "";
	return row;
}

/* Equal functions become neighbours, which SUM_UP joins. */
static int compare_names(const void *a, const void *b)
{
	const struct hot_row *one = a, *other = b;
	int order = strcmp(one->name, other->name);

	return order ? order : strcmp(one->module, other->module);
}

/*
 * The hottest first; of equal ones by name, so that rows do not jump between refreshes.
 */
static int compare_insns(const void *a, const void *b)
{
	const struct hot_row *one = a, *other = b;

	if (one->insns != other->insns)
		return one->insns < other->insns ? 1 : -1;
	return compare_names(a, b);
}

int hotlist_update(struct hotlist *list, const struct sample *sample,
		   struct wm_error *err)
{
	size_t n = sample->n;

	open_if_needed(list, sample);
	free(list->rows);
	list->n = 0;
	/* One more than needed: calloc(0) may return NULL. */
	list->rows = calloc(n + 1, sizeof(*list->rows));
	if (!list->rows)
		return wm_fail_nomem(err, "the list of functions");
	for (size_t i = 0; i < n; i++)
		list->rows[i] = row_of(list, &sample->blocks[i]);
	SUM_UP(list->rows, n, compare_names, insns);
	qsort(list->rows, n, sizeof(*list->rows), compare_insns);
	list->n = (unsigned)n;
	return 0;
}
