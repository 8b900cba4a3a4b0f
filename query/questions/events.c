// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The question "events": system calls, signals and other events, in the order of the
 * clock.
 *
 * There are two kinds of events. Those of a thread have a position in its sequence.
 * Others have only a time (a process began): their thread, block and instruction are
 * empty, and they are left out when a thread or a part is selected. A system call and its
 * return are two rows. Chunks without events are skipped; a chunk with events is decoded
 * up to the last of them, because the ordinal of an instruction is counted.
 *
 * Times are nanoseconds since the recording began. Example: the clock was 5,000,000 at
 * the begin and 5,002,500 at the event: "ns" is 2500.
 *
 * Events of QEMU's own trace files are not part of the trace; the command adds them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "events/render.h"
#include "format/events.h"
#include "query/chronicle.h"
#include "query/filter.h"
#include "query/query.h"
#include "query/questions.h"
#include "trace/period.h"

enum { ONLY, OPTIONS };

static const struct question_option options[OPTIONS] = {
	[ONLY] = { "only", QUESTION_LIST,
		   "Only events of these names, separated by commas; wildcards are allowed" },
};

enum column {
	COLUMN_THREAD,
	COLUMN_PROCESS, /* index of the space */
	COLUMN_BLOCK,	/* ordinals of what follows the event */
	COLUMN_INSN,
	COLUMN_NS,    /* since the recording began */
	COLUMN_EVENT, /* the kind */
	COLUMN_TEXT,  /* the whole event in words */
	COLUMNS,
};

static const struct table_column all_columns[COLUMNS] = {
	[COLUMN_THREAD] = { "thread", TABLE_COUNT, false },
	[COLUMN_PROCESS] = { "process", TABLE_COUNT, false },
	[COLUMN_BLOCK] = { "block", TABLE_COUNT, false },
	[COLUMN_INSN] = { "insn", TABLE_COUNT, false },
	[COLUMN_NS] = { "ns", TABLE_COUNT, false },
	[COLUMN_EVENT] = { "event", TABLE_TEXT, false },
	[COLUMN_TEXT] = { "text", TABLE_TEXT, false },
};

/* What all rows share. */
struct listing {
	const struct query *query;
	struct table *table;
	struct filter filter;
	uint64_t begin_ns;
};

/* Each text of the list may have several patterns. On failure the filter is empty. */
static int filter_fill(struct filter *filter, const struct query *query,
		       struct wm_error *err)
{
	const struct query_value *only = &query->values[ONLY];
	int ret = 0;

	*filter = (struct filter){ .n = 0 };
	for (unsigned i = 0; !ret && i < only->n_texts; i++)
		ret = filter_add(filter, only->texts[i], err);
	if (ret)
		filter_fini(filter);
	return ret;
}

/* A name that no event can have is refused before the trace is opened. */
static int settle(struct query *query, struct wm_error *err)
{
	struct filter filter;
	int ret = filter_fill(&filter, query, err);

	if (!ret)
		filter_fini(&filter);
	return ret;
}

/* event_print() writes to a stream of any length. Without memory the cell stays empty. */
static void put_text(const struct listing *listing, const struct wm_event *event)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	if (out) {
		event_print(out, listing->query->source.kernel, event);
		fclose(out);
	}
	table_text(listing->table, COLUMN_TEXT, text);
	free(text);
}

static void put(const struct listing *listing, const struct happening *found)
{
	const struct wm_event *event = found->event;
	const struct event_info *info = event_info(event->kind);
	struct table *table = listing->table;

	table_row(table);
	if (found->thread != NO_THREAD) {
		table_count(table, COLUMN_THREAD, found->thread);
		table_count(table, COLUMN_PROCESS, event->space);
		table_count(table, COLUMN_BLOCK, event->block_ordinal);
		table_count(table, COLUMN_INSN, event->insn_ordinal);
	} else if (found->process != UINT32_MAX) {
		/* An event about a process rather than by one of its threads. */
		table_count(table, COLUMN_PROCESS, found->process);
	}
	/* An event can carry a time before the recorded begin; it counts as 0. */
	table_count(table, COLUMN_NS,
		    event->ns > listing->begin_ns ? event->ns - listing->begin_ns : 0);
	/* A kind of a newer Waymark has no name here. */
	table_text(table, COLUMN_EVENT, info ? info->name : NULL);
	put_text(listing, event);
}

/* The filter is applied to the merged list, so it does not affect the order. */
static int list(const struct listing *listing, struct chronicle *chronicle,
		struct wm_error *err)
{
	const struct kernel *kernel = listing->query->source.kernel;
	struct happening found;
	int ret = 0;

	while (!ret && !table_is_full(listing->table)) {
		ret = chronicle_next(chronicle, &found, err);
		if (!ret && filter_passes(&listing->filter, kernel, found.event))
			put(listing, &found);
	}
	return ret == WM_END ? 0 : ret;
}

static int list_merged(const struct listing *listing, struct merge *merge,
		       struct wm_error *err)
{
	const struct query *query = listing->query;
	const struct scope *scope = &query->scope;
	const struct threads threads = { query->streams, query->selection.n };
	struct chronicle chronicle = {
		.merge = merge,
		.trace = query->source.trace,
		/* An event without a thread has no position: no part contains it. */
		.clock = !scope->thread && !scope_is_bounded(scope),
		/* With --process only the events of the processes of these threads. */
		.threads = scope->process ? &threads : NULL,
	};
	int ret = chronicle_begin(&chronicle, err);

	if (!ret)
		ret = list(listing, &chronicle, err);
	chronicle_end(&chronicle);
	return ret;
}

static int fill(struct query *query, struct table *table, struct wm_error *err)
{
	struct listing listing = {
		.query = query,
		.table = table,
		.begin_ns = period_of(query->source.trace).begin_ns,
	};
	const struct slice slice = {
		.by_insn = true,
		.from = query->scope.from,
		.events_only = true,
		.events_to = query->scope.to,
		.excerpts = query->selection.excerpts,
	};
	struct merge *merge;
	int ret = merge_new(&merge, query->source.trace, query->streams,
			    query->selection.n, &slice, err);

	if (ret)
		return ret;
	ret = filter_fill(&listing.filter, query, err);
	if (!ret) {
		ret = list_merged(&listing, merge, err);
		filter_fini(&listing.filter);
	}
	merge_free(merge);
	return ret;
}

static const struct question_columns tables[] = { { all_columns, COLUMNS } };

const struct question question_events = {
	.name = "events",
	.what = "System calls, signals and other events, in the order of the clock",
	.options = options,
	.n_options = OPTIONS,
	.settle = settle,
	.tables = tables,
	.fill = fill,
};
