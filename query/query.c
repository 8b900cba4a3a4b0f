// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A query: the values of a question's options, the selected part of a trace, and the view
 * of the rows.
 *
 * Options are stored as numbers and texts under the index that they have in the question,
 * so the code of a question reads query_number(query, BY) and never compares strings. The
 * options that every question has (common_options[]) are members of the query. Example:
 * query_set("by", "block") finds word 1 of the option, and values[BY].number becomes 1.
 *
 * Invariant: after query_settle() has succeeded, query_open() and query_ask() fail only
 * because of the trace, memory or the sink, never because of an option's syntax.
 *
 * Texts are not copied: they stay the caller's. argv and literals, which all callers
 * pass, live long enough.
 */
#include "query/query.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/error.h"
#include "base/nearest.h"
#include "base/parallel.h"
#include "managed/methods.h"
#include "out/number.h"
#include "out/text.h"
#include "program/suggest.h"
#include "query/several.h"

/* Far beyond useful: it only catches typing errors. */
enum { THREADS_MAX = 1024 };

enum {
	COMMON_THREAD,
	COMMON_PROCESS,
	COMMON_PID,
	COMMON_MODE,
	COMMON_HART,
	COMMON_SYSCALL,
	COMMON_SYMBOLS,
	COMMON_SYMFS,
	COMMON_FROM,
	COMMON_TO,
	COMMON_FUNCTION,
	COMMON_JOBS,
	COMMON_ROWS,
	COMMON_SORT,
	COMMON_FIELDS,
	COMMON_OPTIONS,
};

/* The order is that of the enum; unnamed members are 0: no words, no limits. */
static const struct question_option common_options[COMMON_OPTIONS] = {
	[COMMON_THREAD] = { "thread", QUESTION_TEXT,
			    "Only this thread: its number or its name" },
	[COMMON_PROCESS] = { "process", QUESTION_TEXT,
			     "Only this process: its number, its pid, or its program's name" },
	[COMMON_PID] = { "pid", QUESTION_TEXT, "Only processes with this pid" },
	[COMMON_MODE] = { "mode", QUESTION_TEXT,
			  "Of a machine, only this mode: user, kernel, hypervisor or firmware" },
	[COMMON_HART] = { "hart", QUESTION_TEXT,
			  "Of a machine, only what this hart executed" },
	[COMMON_SYSCALL] = { "syscall", QUESTION_TEXT,
			     "Of a machine, only what its kernel did for this system call" },
	[COMMON_SYMBOLS] = { "symbols", QUESTION_LIST,
			     "Names of generated code: FILE or FILE:PID, as perf reads them" },
	[COMMON_SYMFS] = { "symfs", QUESTION_TEXT,
			   "Look for the program's files below this folder, too" },
	[COMMON_FROM] = { "from", QUESTION_TEXT,
			  "Start at this instruction of each thread, or at a place" },
	[COMMON_TO] = { "to", QUESTION_TEXT,
			"Stop before this instruction, or at a place" },
	[COMMON_FUNCTION] = { "function", QUESTION_TEXT,
			      "Only functions with this name; wildcards are allowed" },
	[COMMON_JOBS] = { "jobs", QUESTION_NUMBER,
			  "Compute with this many threads (one for each processor)", 0,
			  NULL, 1, THREADS_MAX },
	[COMMON_ROWS] = { "rows", QUESTION_NUMBER, "At most this many rows" },
	[COMMON_SORT] = { "sort", QUESTION_TEXT, "Sort by this column" },
	[COMMON_FIELDS] = { "fields", QUESTION_TEXT,
			    "These columns, separated by commas" },
};

const struct question_option *question_common_options(unsigned *n)
{
	*n = COMMON_OPTIONS;
	return common_options;
}

/*
 * Every option gets its default, so that code of questions never asks whether one was
 * given unless that matters.
 */
void query_init(struct query *query, const struct question *question,
		const struct listener *listener)
{
	*query = (struct query){
		.question = question,
		.scope = SCOPE_INIT,
		.view.rows = UINT64_MAX,
		.listener = listener,
	};
	for (unsigned i = 0; question && i < question->n_options; i++)
		query->values[i].number = question->options[i].standard;
}

void query_fini(struct query *query)
{
	for (unsigned i = 0; i < QUESTION_OPTIONS_MAX; i++)
		free(query->values[i].texts);
}

/* ---- options ------------------------------------------------------------- */

/* Returns the index of the word, which is that of the question's enum. */
static int parse_word(uint64_t *index, const char *const *words, const char *value,
		      const char *shown, struct wm_error *err)
{
	char all[256], near[NEAREST_HINT];

	/*
	 * Words have no abbreviations: a word that is added later must not change what an
	 * old script means.
	 */
	for (*index = 0; words[*index]; ++*index)
		if (!strcmp(words[*index], value))
			return 0;
	text_join(all, sizeof(all), words);
	return wm_fail(err, WM_E_RANGE, 0, "%s takes %s, not \"%s\"%s", shown, all, value,
		       nearest_hint(near, value, words, (unsigned)*index));
}

/* most 0 means no limit. The sentence mentions only limits that exist. */
static int parse_number(uint64_t *number, const struct question_option *option,
			const char *value, const char *shown, struct wm_error *err)
{
	uint64_t most = option->most ? option->most : UINT64_MAX;

	/* "10k" and "0x10" are numbers as well. */
	if (number_parse_bytes(value, number) && *number >= option->least &&
	    *number <= most)
		return 0;
	if (most < UINT64_MAX)
		return wm_fail(err, WM_E_RANGE, 0,
			       "%s takes a number from %" PRIu64 " to %" PRIu64
			       ", not \"%s\"",
			       shown, option->least, most, value);
	if (option->least)
		return wm_fail(err, WM_E_RANGE, 0,
			       "%s takes a number from %" PRIu64 " on, not \"%s\"", shown,
			       option->least, value);
	return wm_fail(err, WM_E_RANGE, 0, "%s takes a number, not \"%s\"", shown, value);
}

/* A flag may be given without a value, as on a command line: "" is yes. */
static int parse_flag(uint64_t *flag, const char *value, const char *shown,
		      struct wm_error *err)
{
	static const char *const words[] = { "0", "no", "", "1", "yes" };

	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(words[i], value)) {
			/* The first two words mean no. */
			*flag = i > 1;
			return 0;
		}
	return wm_fail(err, WM_E_RANGE, 0, "%s takes yes or no, not \"%s\"", shown,
		       value);
}

/*
 * A list gets one more text; for other options the last value replaces the earlier ones.
 * Both arrays end with NULL, which is the second of the two entries added.
 */
static int add_text(struct query_value *value, bool several, const char *text,
		    struct wm_error *err)
{
	const char **grown;

	if (!several)
		value->n_texts = 0;
	grown = reallocarray(value->texts, value->n_texts + 2ul, sizeof(*grown));
	if (!grown)
		return wm_fail_nomem(err, "options");
	grown[value->n_texts++] = text;
	grown[value->n_texts] = NULL;
	value->texts = grown;
	return 0;
}

static int set_own(struct query_value *to, const struct question_option *option,
		   const char *value, const char *shown, struct wm_error *err)
{
	/* Also when the value is the default: given is what the user wrote. */
	to->given = true;
	switch (option->kind) {
	case QUESTION_FLAG:
		return parse_flag(&to->number, value, shown, err);
	case QUESTION_NUMBER:
		return parse_number(&to->number, option, value, shown, err);
	case QUESTION_WORD:
		return parse_word(&to->number, option->words, value, shown, err);
	default:
		return add_text(to, option->kind == QUESTION_LIST, value, err);
	}
}

static int set_common(struct query *query, unsigned which, const char *value,
		      const char *shown, struct wm_error *err)
{
	const struct question_option *option = &common_options[which];
	struct scope *scope = &query->scope;
	uint64_t number = 0;
	int ret = 0;

	switch (which) {
	case COMMON_THREAD:
		scope->thread = value;
		return 0;
	case COMMON_PROCESS:
		scope->process = value;
		return 0;
	case COMMON_PID:
		scope->pid = value;
		return 0;
	case COMMON_MODE:
		return scope_set_modes(scope, value, err);
	case COMMON_HART:
		return scope_set_hart(scope, value, err);
	case COMMON_SYSCALL:
		scope->syscall = value;
		return 0;
	case COMMON_SYMBOLS:
		return scope_add_table(scope, value, err);
	case COMMON_SYMFS:
		scope->symfs = value;
		return 0;
	case COMMON_FROM:
		return scope_set_bound(scope, false, value, err);
	case COMMON_TO:
		return scope_set_bound(scope, true, value, err);
	case COMMON_FUNCTION:
		query->function = value;
		return 0;
	case COMMON_JOBS:
		/*
		 * Refused here and not by the analysis, so that the sentence names the
		 * option.
		 */
		ret = parse_number(&number, option, value, shown, err);
		query->threads = (unsigned)number;
		return ret;
	case COMMON_ROWS:
		return parse_number(&query->view.rows, option, value, shown, err);
	case COMMON_SORT:
		query->view.sort = value;
		return 0;
	default:
		query->view.columns = value;
		return 0;
	}
}

/* The index of the option with that name; n when there is none. */
static unsigned find_option(const struct question_option *options, unsigned n,
			    const char *name)
{
	unsigned i = 0;

	while (i < n && strcmp(options[i].name, name) != 0)
		i++;
	return i;
}

static int no_option(const struct question *question, const char *name,
		     struct wm_error *err)
{
	const char *words[QUESTION_OPTIONS_MAX + COMMON_OPTIONS];
	char near[NEAREST_HINT];
	unsigned n = 0;

	for (unsigned i = 0; question && i < question->n_options; i++)
		words[n++] = question->options[i].name;
	for (unsigned i = 0; i < COMMON_OPTIONS; i++)
		words[n++] = common_options[i].name;
	return wm_fail(err, WM_E_RANGE, 0, "%s has no option \"%.40s\"%s",
		       question ? question->name : "a query", name,
		       nearest_hint(near, name, words, n));
}

/* A question's own option hides a common one with the same name. */
int query_set(struct query *query, const char *name, const char *value, const char *shown,
	      struct wm_error *err)
{
	const struct question *question = query->question;
	unsigned n = question ? question->n_options : 0;
	/* A query without a question, of a listing, has common options only. */
	unsigned own = n ? find_option(question->options, n, name) : 0;
	unsigned common = find_option(common_options, COMMON_OPTIONS, name);

	if (!shown)
		shown = name;
	if (own < n)
		return set_own(&query->values[own], &question->options[own], value, shown,
			       err);
	if (common < COMMON_OPTIONS)
		return set_common(query, common, value, shown, err);
	return no_option(question, name, err);
}

unsigned query_columns(const struct query *query,
		       struct table_column columns[TABLE_COLUMNS_MAX])
{
	const struct question *question = query->question;
	bool by_word = question->n_options && question->options[0].kind == QUESTION_WORD;
	const struct question_columns *table;

	if (!question->tables)
		return question->columns(query, columns);
	table = &question->tables[by_word ? query_number(query, 0) : 0];
	memcpy(columns, table->all, table->n * sizeof(*columns));
	return table->n;
}

/*
 * The order matters: columns may depend on options that the question's settle()
 * completes, and the view is checked against these columns.
 */
int query_settle(struct query *query, struct wm_error *err)
{
	const struct question *question = query->question;
	/*
	 * Checked before anything is opened: a user should not wait for a wrong option.
	 */
	int ret = scope_check(&query->scope, err);

	if (!ret && question && question->settle)
		ret = question->settle(query, err);
	if (ret || !question)
		return ret;
	query->n_columns = query_columns(query, query->columns);
	if (query->traces != TRACES_ONE)
		ret = several_settle(query, err);
	return ret ? ret :
		     table_check(query->columns, query->n_columns, &query->view, err);
}

/* ---- the trace ----------------------------------------------------------- */

/* scope_find() turns positions into ordinals, in the only thread that is selected. */
static int find_streams(struct query *query, struct wm_error *err)
{
	const struct listener *listener = query->listener;
	struct threads *threads = &query->found;
	int ret = threads_find(threads, query->source.trace, &query->scope, err);

	if (ret)
		return ret;
	/* Freed by query_close(), also when the next step fails. */
	query->streams = threads->indexes;
	ret = scope_find(&query->scope, &query->source, threads->indexes, threads->n,
			 !query->question || !query->question->by_block, err);
	if (ret)
		return ret;
	query->selection = (struct selection){
		.streams = threads->indexes,
		.n = threads->n,
		.excerpts = threads->excerpts,
		.from = query->scope.from,
		.to = query->scope.to,
		/*
		 * Resolved here, so that every analysis of this query uses the same
		 * number.
		 */
		.threads = query->threads ? query->threads : parallel_threads(),
		.progress = listener ? listener->progress : NULL,
		.cookie = listener ? listener->cookie : NULL,
		.runner = query->runner,
	};
	return 0;
}

/*
 * Opens what depends on the trace. Functions and lines read no file yet: that happens
 * when the first address is looked up. Members are cleared first, because query_close()
 * frees all of them after a failure at any step.
 */
static int open_rest(struct query *query, struct wm_error *err)
{
	int ret;

	query->streams = NULL;
	query->found = (struct threads){ .n = 0 };
	query->functions = NULL;
	query->lines = NULL;
	ret = source_add_tables(&query->source, &query->scope, err);
	if (!ret)
		ret = functions_new(&query->functions, query->source.symbols, err);
	if (!ret)
		ret = srclines_new(&query->lines, query->source.symbols, err);
	if (!ret)
		ret = find_streams(query, err);
	if (ret)
		query_close(query);
	return ret;
}

int query_open(struct query *query, struct wm_error *err)
{
	int ret = source_open_taped(&query->source, query->scope.file, query->tape,
				    query->listener, err);

	/* The source has closed what it opened, so nothing is left. */
	return ret ? ret : open_rest(query, err);
}

int query_open_trace(struct query *query, const struct wm_trace *trace,
		     struct wm_error *err)
{
	int ret = source_init(&query->source, trace, query->listener, err);

	return ret ? ret : open_rest(query, err);
}

/* Functions and lines refer to the symbols of the source, so they are freed before it. */
void query_close(struct query *query)
{
	threads_release(&query->found);
	srclines_free(query->lines);
	functions_free(query->functions);
	source_close(&query->source);
}

/* ---- the answer ---------------------------------------------------------- */

/* Whether the rows may be of methods: in trees of calls and where a column is of them. */
static bool has_methods(const struct query *query)
{
	bool has = query->question && !strcmp(query->question->name, "calls");

	for (unsigned i = 0; i < query->n_columns; i++)
		has |= !strcmp(query->columns[i].name, "method");
	return has;
}

/* Rather the name of a method that may be meant than that of a function; an error is no matter. */
static void suggest(const struct query *query, const char *name, char near[SUGGEST_TEXT])
{
	struct wm_error unused;
	struct units units;

	if (has_methods(query)) {
		if (!units_read(&units, query->source.trace, &unused))
			methods_hint(near, &units, name);
		units_fini(&units);
	}
	if (!*near)
		suggest_function(near, query->source.symbols, name);
}

void query_warn_function(const struct query *query, const char *name)
{
	char near[SUGGEST_TEXT] = "";

	/* The answer of `cover` is about traces that are closed again. */
	if (query->source.symbols)
		suggest(query, name, near);
	listener_warn(query->listener, "no function \"%.80s\" %s%s", name,
		      query->did ? query->did : "ran", near);
}

void query_warn_lines(const struct query *query)
{
	listener_warn(query->listener, "%s", source_no_lines);
}

/* An answer without rows would not say why. */
void query_warn_behind_end(const struct query *query)
{
	bool by_block = query->question && query->question->by_block;
	const struct selection *selection = &query->selection;
	struct wm_stream stream;
	uint64_t most = 0;

	for (unsigned i = 0; i < selection->n; i++) {
		wm_trace_stream(query->source.trace, selection->streams[i], &stream);
		if (most < (by_block ? stream.blocks : stream.insns))
			most = by_block ? stream.blocks : stream.insns;
	}
	if (most && selection->from >= most)
		listener_warn(query->listener,
			      "nothing is selected: there is no %s %" PRIu64
			      ", the %s has %" PRIu64,
			      by_block ? "block" : "instruction", selection->from,
			      selection->n > 1 ? "longest thread" : "thread", most);
}

/*
 * The rows go through the view, which selects columns, sorts and limits, to the sink. The
 * view has a limit of its own, so fill() may find the table full and stop early.
 */
int query_answer(struct query *query, struct table_sink *sink,
		 int (*fill)(void *cookie, struct table *table, struct wm_error *err),
		 void *cookie, struct wm_error *err)
{
	struct table table;
	struct view view;
	bool any;
	int ret;

	view_init(&view, &query->view, sink);
	table_begin(&table, query->columns, query->n_columns, &view.sink);
	ret = fill(cookie, &table, err);
	any = table.in_row;
	/*
	 * The table's own error, of the sink or of memory, is returned when fill() had
	 * none.
	 */
	ret = table_end(&table, ret, err);
	view_fini(&view);
	if (!ret && !any && query->function && query->view.rows)
		query_warn_function(query, query->function);
	/* Traces of an answer about several of them may be closed again. */
	if (!ret && query->source.symbols)
		query_warn_behind_end(query);
	return ret;
}

static int fill_of_question(void *cookie, struct table *table, struct wm_error *err)
{
	struct query *query = cookie;

	return query->question->fill(query, table, err);
}

int query_ask(struct query *query, struct table_sink *sink, struct wm_error *err)
{
	return query_answer(query, sink, fill_of_question, query, err);
}

int query_count(const struct query *query, struct counts *counts, struct counted *counted,
		struct wm_error *err)
{
	*counted = (struct counted){
		.trace = query->source.trace,
		.selection = &query->selection,
		.counts = counts,
		.symbols = query->source.symbols,
		.functions = query->functions,
		.lines = query->lines,
		.function = query->function,
	};
	return counts_gather(counts, counted->trace, counted->selection, err);
}

/* Of threads of equal length the first one is chosen. */
void query_longest(struct query *query)
{
	/*
	 * Questions about the order of a thread's instructions have no meaning for
	 * several at once.
	 */
	const struct wm_trace *trace = query->source.trace;
	struct wm_stream stream, longest = { .insns = 0 };
	unsigned chosen = query->streams[0];

	for (unsigned i = 0; i < query->selection.n; i++) {
		wm_trace_stream(trace, query->streams[i], &stream);
		if (!i || stream.insns > longest.insns) {
			longest = stream;
			chosen = query->streams[i];
		}
	}
	/* Only a choice that was made for the user needs a warning. */
	if (query->selection.n > 1)
		listener_warn(query->listener,
			      "of %u threads the longest is taken, %u (%s): see --thread",
			      query->selection.n, chosen, thread_name(trace, &longest));
	query->streams[0] = chosen;
	query->selection.n = 1;
}
