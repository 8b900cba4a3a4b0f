// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accesses one by one: all accesses of the selected threads, one thread after the other;
 * those of a watched range; or the last store to an address.
 *
 * The last writer comes in two forms. Without THREAD each selected thread has its own
 * answer; an instruction or a place then needs a single thread. With THREAD it is a moment, and
 * the answer is one store: the last one before that moment by a selected thread of the same
 * process, as far as the clock can order threads.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/gaps.h"
#include "analysis/mem/owners.h"
#include "analysis/mem/writer.h"
#include "analysis/methods/running.h"
#include "base/error.h"
#include "out/number.h"
#include "query/questions/filled.h"
#include "query/questions/lacks.h"
#include "query/questions/mem.h"
#include "query/questions/mem_range.h"
#include "query/reached.h"
#include "trace/access_text.h"
#include "trace/trace.h"
#include "trace/values.h"

enum {
	COLUMN_INSN, /* ordinal in the thread */
	COLUMN_THREAD,
	COLUMN_PC,	/* of the instruction */
	COLUMN_ADDRESS, /* of the first byte accessed */
	COLUMN_SIZE,	/* bytes */
	COLUMN_KIND,
	COLUMN_VALUE,	 /* empty when the recording has no data */
	COLUMN_FUNCTION, /* that accessed */
	COLUMN_MODULE,	 /* of that function */
	COLUMN_OBJECT,	 /* that was accessed */
	COLUMN_METHOD,	 /* of a managed program: for which it was done, */
	COLUMN_SOURCE,	 /* and the line */
	COLUMNS,
};

static const struct table_column all_columns[COLUMNS] = {
	[COLUMN_INSN] = { "insn", TABLE_COUNT, false },
	[COLUMN_THREAD] = { "thread", TABLE_COUNT, .spare = 2 },
	[COLUMN_PC] = { "pc", TABLE_ADDRESS, .spare = 1 },
	[COLUMN_ADDRESS] = { "address", TABLE_ADDRESS, false },
	[COLUMN_SIZE] = { "size", TABLE_COUNT, .spare = 2 }, /* a value shows it */
	[COLUMN_KIND] = { "kind", TABLE_TEXT, false },
	[COLUMN_VALUE] = { "value", TABLE_TEXT, .hexadecimal = true },
	[COLUMN_FUNCTION] = { "function", TABLE_TEXT, false, true },
	[COLUMN_MODULE] = { "module", TABLE_TEXT, true },
	[COLUMN_OBJECT] = { "object", TABLE_TEXT, false, true },
	[COLUMN_METHOD] = { "method", TABLE_TEXT, true, true },
	[COLUMN_SOURCE] = { "source", TABLE_TEXT, true },
};

unsigned mem_list_columns(struct table_column *columns)
{
	memcpy(columns, all_columns, sizeof(all_columns));
	return COLUMNS;
}

struct listing {
	const struct query *query;
	struct mem_owners owners;
	struct heap_view *view; /* of thread `viewed` in `space`; NULL: none yet */
	unsigned viewed;
	uint32_t space;
	struct running_methods methods; /* lines, if they are shown */
	struct running *running;	/* of thread `followed`; NULL: none yet */
	unsigned followed;
	struct table *table;
	struct mem_wanted wanted;
	struct mem_bytes *spaces; /* of what is wanted; or NULL */
	struct mem_moment moment; /* before which the last writer is sought */
	bool together;		  /* the last writer may be any thread */
	bool found;		  /* an access; a filter may have left it out */
};

/* ---- what is wanted ------------------------------------------------------------------------ */

/*
 * Parses "THREAD:" if it is there, and moves *at past it. A thread is a number; other words
 * before a colon begin a place, such as "marker:7".
 */
static int set_leader(struct listing *listing, char **at, struct wm_error *err)
{
	char *colon = strchr(*at, ':');
	struct wm_stream stream;
	uint64_t thread;

	if (!colon || strspn(*at, "0123456789") != (size_t)(colon - *at))
		return 0;
	*colon = 0;
	if (!number_parse(*at, &thread) || thread > UINT_MAX ||
	    wm_trace_stream(listing->query->source.trace, (unsigned)thread, &stream))
		return wm_fail(err, WM_E_RANGE, 0, "there is no thread \"%s\"", *at);
	listing->moment.stream = (unsigned)thread;
	listing->together = true;
	*at = colon + 1;
	return 0;
}

/* Finds a place in the thread of the moment: *insn. */
static int find_place(const struct listing *listing, const char *text, uint64_t *insn,
		      struct wm_error *err)
{
	struct position position;
	struct reaching reaching = {
		.source = &listing->query->source,
		.stream = listing->moment.stream,
		.position = &position,
		.is_to = true,
		.by_insn = true,
	};
	int ret = position_parse(&position, text, err);

	if (ret)
		return ret;
	ret = reaching_find(&reaching, err);
	if (ret == WM_END)
		ret = wm_fail(err, WM_E_RANGE, 0,
			      "--last-writer: thread %u does not reach %.100s",
			      reaching.stream, text);
	reaching_fini(&reaching);
	position_fini(&position);
	*insn = reaching.at;
	return ret;
}

/* Parses [THREAD:]INSN or [THREAD:]PLACE, which is cut. */
static int set_moment(struct listing *listing, char *at, struct wm_error *err)
{
	const struct query *query = listing->query;
	uint64_t *insn = &listing->moment.insn;
	int ret = set_leader(listing, &at, err);

	if (ret)
		return ret;
	if (!*at)
		return wm_fail(err, WM_E_RANGE, 0,
			       "--last-writer: no instruction and no place comes after "
			       "the @");
	if (query->selection.n != 1 && !listing->together)
		return wm_fail(
			err, WM_E_RANGE, 0,
			"%.100s of which thread? @THREAD:%.100s asks for the last "
			"store of all threads before it, --thread for one thread's "
			"own",
			at, at);
	if (!listing->together)
		listing->moment.stream = query->streams[0];
	if (!number_parse(at, insn))
		ret = find_place(listing, at, insn, err);
	/* For all threads the bound is a time: mem_last_writer() has it. */
	if (!ret && *insn < listing->wanted.to && !listing->together)
		listing->wanted.to = *insn;
	return ret;
}

/* Parses ADDR[@MOMENT]; without a moment, the last store of all. Cuts `text`. */
static int set_last(struct listing *listing, char *text, struct wm_error *err)
{
	char *at = strchr(text, '@');
	int ret = 0;

	listing->wanted.stores_only = true;
	if (at) {
		*at++ = 0;
		ret = set_moment(listing, at, err);
	}
	return ret ? ret :
		     mem_range_set(listing->query, listing->owners.objects, text, 0,
				   &listing->spaces, err);
}

static int set_last_writer(struct listing *listing, struct wm_error *err)
{
	/* A copy, because parsing cuts the text into pieces. */
	char *text = strdup(listing->query->values[MEM_LAST_WRITER].texts[0]);
	int ret = text ? set_last(listing, text, err) : wm_fail_nomem(err, "accesses");

	free(text);
	return ret;
}

/* settle() of mem.c has made sure that only one of the two options is given. */
static int set_wanted(struct listing *listing, struct wm_error *err)
{
	const struct query *query = listing->query;
	int ret = 0;

	/* The whole address space, unless an option restricts it. */
	listing->wanted = MEM_ALL;
	listing->wanted.from = query->selection.from;
	listing->wanted.to = query->selection.to;
	listing->wanted.excerpts = query->selection.excerpts;
	if (query_given(query, MEM_WATCH))
		ret = mem_range_watch(query, listing->owners.objects, &listing->spaces,
				      err);
	else if (query_given(query, MEM_LAST_WRITER))
		ret = set_last_writer(listing, err);
	listing->wanted.spaces = listing->spaces;
	return ret;
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Empty when the recording has addresses only: --mem without --mem-values. */
static void put_value(struct table *table, const struct wm_access *access)
{
	char text[ACCESS_VALUE_TEXT];

	if (access->has_data)
		table_text(table, COLUMN_VALUE, access_value(text, access));
}

/*
 * Moves the view of the heap to the moment of an access, so that it shows which objects
 * were allocated then. A view is of one thread in one space and is replaced when either
 * changes; within these, accesses come in order. False: no memory.
 */
static bool see_heap(struct listing *listing, const struct mem_access *access)
{
	if (!listing->owners.heap)
		return true;
	if (!listing->view || listing->viewed != access->stream ||
	    listing->space != access->space) {
		heap_view_free(listing->view);
		listing->view = heap_view_new(listing->owners.heap, access->stream,
					      access->space);
		listing->viewed = access->stream;
		listing->space = access->space;
	}
	if (listing->view)
		heap_view_move(listing->view, access->insn);
	return listing->view;
}

/* "table+0x40": the name, and the offset if the start of the object is known. */
static void put_object(const struct listing *listing, const struct mem_access *access)
{
	uint64_t address = access->access->address, at;
	char name[MEM_OWNER_TEXT], text[MEM_OWNER_TEXT + 24];
	struct mem_range range;
	const char *module;

	mem_owners_find(&listing->owners, listing->view, access->space, address, &range,
			&at);
	if (!range.number)
		return;
	mem_owner_name(&listing->owners, range.number, name, &module);
	if (at && address != at)
		snprintf(text, sizeof(text), "%s+0x%" PRIx64, name, address - at);
	else
		snprintf(text, sizeof(text), "%s", name);
	table_text(listing->table, COLUMN_OBJECT, text);
}

/* Starts the row. */
static void put_where(struct table *table, const struct mem_access *access)
{
	table_row(table);
	table_count(table, COLUMN_INSN, access->insn);
	table_count(table, COLUMN_THREAD, access->stream);
	table_count(table, COLUMN_PC, access->pc);
	table_count(table, COLUMN_ADDRESS, access->access->address);
	table_count(table, COLUMN_SIZE, access->access->size);
}

static void put_function(struct table *table, const struct function *function)
{
	table_text(table, COLUMN_FUNCTION, function->name);
	table_text(table, COLUMN_MODULE, function->module);
}

/* What no method runs has empty cells. */
static int put_method(struct listing *listing, const struct mem_access *access,
		      struct wm_error *err)
{
	const struct query *query = listing->query;
	const struct function *line;
	uint32_t number;
	int ret = 0;

	if (!listing->running || listing->followed != access->stream) {
		running_free(listing->running);
		ret = running_new(&listing->running, &listing->methods,
				  query->source.trace, access->stream, err);
		listing->followed = access->stream;
	}
	if (!ret)
		ret = running_at(listing->running, access->insn, &number, err);
	if (ret || !number)
		return ret;
	line = functions_get(query->functions, number);
	table_text(listing->table, COLUMN_METHOD, line->symbol);
	table_text(listing->table, COLUMN_SOURCE, line->name);
	return 0;
}

static int put_row(struct listing *listing, const struct mem_access *access,
		   struct wm_error *err)
{
	struct functions *functions = listing->query->functions;
	struct table *table = listing->table;
	uint32_t number =
		functions_at(functions, access->space, access->pc, access->id, NULL);
	int ret = 0;

	listing->found = true;
	/*
	 * Number 0: no memory. The view moves also for rows that are left out below:
	 * forwards that is cheap.
	 */
	if (!number || !see_heap(listing, access))
		return wm_fail_nomem(err, "accesses");
	if (listing->query->function &&
	    !functions_match(functions, number, listing->query->function))
		return 0;
	put_where(table, access);
	table_text(table, COLUMN_KIND, access_kind(access->access));
	put_value(table, access->access);
	put_function(table, functions_get(functions, number));
	put_object(listing, access);
	if (listing->methods.lines)
		ret = put_method(listing, access, err);
	return !ret && table_is_full(table) ? WM_END : ret;
}

static int take_access(void *cookie, const struct mem_access *access,
		       struct wm_error *err)
{
	return put_row(cookie, access, err);
}

/* All accesses of a thread, or its last writer. WM_END is no error: it found none. */
static int list_thread(struct listing *listing, unsigned stream, struct wm_error *err)
{
	const struct wm_trace *trace = listing->query->source.trace;
	struct mem_access access;
	struct wm_access values;
	uint64_t after;
	int ret;

	if (!query_given(listing->query, MEM_LAST_WRITER))
		return mem_walk(trace, stream, &listing->wanted, take_access, listing,
				err);
	/* `values` is where mem_last() copies what *access points to. */
	ret = mem_last(trace, stream, &listing->wanted, &access, &values, err);
	if (ret < 0)
		return ret;
	after = ret ? 0 : access.insn;
	if (!ret)
		ret = put_row(listing, &access, err);
	if (ret >= 0)
		ret = filled_warn(listing->query, stream, &listing->wanted, after, err);
	return ret < 0 ? ret : 0;
}

/* The one last writer of all threads, whose order is only known by time. */
static int list_last_of_all(struct listing *listing, struct wm_error *err)
{
	const struct query *query = listing->query;
	struct mem_access access;
	struct wm_access values;
	unsigned others;
	int ret = mem_last_writer(query->source.trace, &query->selection,
				  &listing->moment, &listing->wanted, &access, &values,
				  &others, err);

	if (ret)
		return ret;
	if (others)
		listener_warn(
			query->listener,
			"%u other thread%s stored there, too: which store came last "
			"is as well known as the order of the threads",
			others, others > 1 ? "s" : "");
	ret = put_row(listing, &access, err);
	/* How calls of other threads lie to it is not known. */
	if (ret >= 0 && access.stream == listing->moment.stream) {
		struct mem_wanted before = listing->wanted;

		before.to = listing->moment.insn;
		ret = filled_warn(query, access.stream, &before, access.insn, err);
	}
	return ret;
}

/* One thread after the other. */
static int list_here(struct listing *listing, struct wm_error *err)
{
	const struct query *query = listing->query;
	int ret = 0;

	for (unsigned i = 0; !ret && i < query->selection.n; i++)
		ret = list_thread(listing, query->streams[i], err);
	return ret;
}

int mem_list_shared(const struct query *query, const struct mem_wanted *wanted,
		    int (*take)(void *cookie, const struct mem_access *access,
				struct wm_error *err),
		    void *cookie, struct wm_error *err)
{
	struct mem_sites sites = { .n_lines = 0 };
	const struct mem_sites_ask which = {
		.trace = query->source.trace,
		.selection = &query->selection,
		.symbols = query->source.symbols,
		.functions = query->functions,
		.function = query->function,
	};
	uint64_t rows = query->view.rows;
	/*
	 * Sorted, any access may be in a row. Otherwise the one after the last row says that
	 * there are more.
	 */
	uint64_t most = query->view.sort || rows == UINT64_MAX ? UINT64_MAX : rows + 1;
	const struct mem_listed_ask ask = {
		.trace = query->source.trace,
		.selection = &query->selection,
		.wanted = wanted,
		.sites = query->function ? &sites : NULL,
		.most = most,
	};
	int ret = query->function ? mem_sites_init(&sites, &which, err) : 0;

	if (!ret)
		ret = mem_listed(&ask, take, cookie, err);
	mem_sites_fini(&sites);
	return ret;
}

/* Whether a thread that was asked for is of a process that was forked. */
static bool was_forked(const struct query *query)
{
	const struct wm_trace *trace = query->source.trace;
	uint32_t parent;
	bool found = false;

	for (unsigned i = 0; !found && i < query->selection.n; i++)
		found = objects_parent(
			trace, trace->streams[query->streams[i]].record.space, &parent);
	return found;
}

/* Whether the trace is cut short: what is missing can be the end of any thread. */
static bool is_cut(const struct query *query)
{
	struct wm_summary summary;

	wm_trace_summary(query->source.trace, &summary);
	return !summary.complete;
}

/* Why there may be no last store. An answer that is empty could also be a mistake. */
static const char *why_unwritten(const struct listing *listing, const struct gaps *gaps)
{
	const struct query *query = listing->query;

	if (!(trace_values_recorded(query->source.trace) & VALUES_STORES))
		return "the trace has loads only";
	if (is_cut(query))
		return "what the trace lacks may have stored there";
	if (gaps->all || gaps->passed)
		return "what ran without being recorded may have stored there";
	if (listing->wanted.from)
		return "what ran before --from may have stored there";
	if (was_forked(query))
		return "the memory has what the program was loaded with, what a forked "
		       "process had from its parent, or what the kernel put there";
	return "the memory has what the program was loaded with, or what the kernel put "
	       "there";
}

/* What of the run is not there may have the last store. Before all that is kept it has not. */
static int warn_of_last(const struct listing *listing, struct wm_error *err)
{
	const struct query *query = listing->query;
	struct gaps gaps;
	int ret = gaps_count(&gaps, query->source.trace, err);

	if (ret)
		return ret;
	if (!listing->found)
		listener_warn(query->listener, "no store to %s is recorded: %s",
			      query->values[MEM_LAST_WRITER].texts[0],
			      why_unwritten(listing, &gaps));
	else if (is_cut(query))
		listener_warn(query->listener,
			      "what the trace lacks may have stored there later");
	else if (gaps.all)
		listener_warn(query->listener,
			      "what ran in gaps without being recorded may have stored "
			      "there later");
	gaps_fini(&gaps);
	return 0;
}

/* Whether the column is printed, as far as its name says. */
static bool shows_objects(const struct query *query)
{
	return !query->view.columns || strstr(query->view.columns, "object");
}

static bool shows_methods(const struct query *query)
{
	const char *columns = query->view.columns;

	return columns && (strstr(columns, "method") || strstr(columns, "source"));
}

static int open_methods(struct listing *listing, struct wm_error *err)
{
	const struct query *query = listing->query;

	return shows_methods(query) ?
		       running_methods_init(&listing->methods, query->source.trace,
					    query->functions, RUNNING_BY_LINE, NULL,
					    err) :
		       0;
}

int mem_list_fill(struct query *query, struct table *table, struct wm_error *err)
{
	struct listing listing = { .query = query, .table = table };
	int ret = mem_owners_init(&listing.owners, query->source.trace,
				  query->source.symbols, query->functions,
				  query->selection.threads, err);

	if (!ret)
		ret = set_wanted(&listing, err);
	if (!ret)
		ret = open_methods(&listing, err);
	if (!ret && shows_objects(query))
		lacks_variables_warn(query, listing.owners.objects);
	/* The moment orders threads by the clock; otherwise each is on its own. */
	if (!ret && listing.together)
		ret = list_last_of_all(&listing, err);
	else if (!ret && query->selection.runner)
		ret = mem_list_shared(query, &listing.wanted, take_access, &listing, err);
	else if (!ret)
		ret = list_here(&listing, err);
	ret = ret == WM_END ? 0 : ret;
	if (!ret && query_given(query, MEM_LAST_WRITER))
		ret = warn_of_last(&listing, err);
	/* The walk that made the list may have ended soon: this one would not. */
	else if (!ret && query_given(query, MEM_WATCH) && !table_is_full(table))
		ret = filled_warn_all(query, &listing.wanted, err);
	heap_view_free(listing.view);
	running_free(listing.running);
	running_methods_fini(&listing.methods);
	free(listing.spaces);
	mem_owners_fini(&listing.owners);
	return ret;
}
