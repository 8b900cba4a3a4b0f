/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A query: a question with its options, put to a part of a trace. First it is set, then
 * settled, then opened and asked:
 *
 *	query_init(&query, question_find("hot"), &listener);
 *	query_set(&query, "by", "block", &err);
 *	query_settle(&query, &err);
 *	query_open(&query, &err);	(or query_open_trace())
 *	query_ask(&query, &sink, &err);
 *	query_close(&query);
 *
 * A query without a question has a scope only, for those who compute what is no table.
 */
#ifndef QUERY_QUERY_H
#define QUERY_QUERY_H

#include "analysis/counted.h"
#include "analysis/selection.h"
#include "out/view.h"
#include "query/question.h"
#include "query/scope.h"
#include "query/source.h"
#include "query/threads.h"

/* What an option was set to. */
struct query_value {
	uint64_t number;    /* of a flag, a number; or the index of a word */
	const char **texts; /* [n_texts] of texts and lists; NULL after the last */
	unsigned n_texts;
	bool given;
};

/* Whether the answer is about one trace or several (query/several.h). */
enum query_traces { TRACES_ONE, TRACES_ADDED, TRACES_APART };

struct query {
	/* What is asked. Texts are the caller's and must outlive the query. */
	const struct question *question; /* or NULL */
	struct query_value values[QUESTION_OPTIONS_MAX];
	struct scope scope;
	const char *function; /* a pattern of names; NULL: all */
	const char *did;  /* what none of these did when there are no rows; NULL: "ran" */
	unsigned threads; /* to compute with; 0: one for each processor */
	const struct runner *runner; /* of its analyses; NULL: these threads */
	struct tape *tape; /* of opening the trace (format/tape.h); NULL: none */
	struct table_view view;
	enum query_traces traces; /* APART: with a row for each */
	const struct listener *listener;

	/* What it means, once it is open. */
	struct source source;
	struct functions *functions;
	struct srclines *lines;
	struct selection selection;
	struct threads found;
	unsigned *streams;				/* [selection.n] of these */
	struct table_column columns[TABLE_COLUMNS_MAX]; /* [n_columns] of the answer */
	unsigned n_columns;
	uint64_t whole; /* after query_ask(): what shares are of */
};

/* A query for all of a trace. The listener may be NULL and must outlive the query. */
void query_init(struct query *query, const struct question *question,
		const struct listener *listener);
/* Frees what options hold; after query_close() when it was open. */
void query_fini(struct query *query);

/*
 * Sets an option by its name: one of the question's own or a common one. `shown` is what
 * the sentence calls it, such as "--by"; NULL: the name. WM_E_RANGE for an unknown option or
 * a value that it does not take.
 */
int query_set(struct query *query, const char *name, const char *value, const char *shown,
	      struct wm_error *err);

/* Completes and checks what was set. WM_E_RANGE. */
int query_settle(struct query *query, struct wm_error *err);

/* The columns of the answer about one trace, of a query whose own options are complete. */
unsigned query_columns(const struct query *query,
		       struct table_column columns[TABLE_COLUMNS_MAX]);

/*
 * Opens the trace scope.file and finds the selected threads; query_open_trace() does so
 * in a trace that stays the caller's. On failure nothing is left open.
 */
int query_open(struct query *query, struct wm_error *err);
int query_open_trace(struct query *query, const struct wm_trace *trace,
		     struct wm_error *err);
void query_close(struct query *query);

/* Answers an open query: the rows that its view selects go to the sink. */
int query_ask(struct query *query, struct table_sink *sink, struct wm_error *err);
/* The same with rows that the caller has: fill() is called once with their table. */
int query_answer(struct query *query, struct table_sink *sink,
		 int (*fill)(void *cookie, struct table *table, struct wm_error *err),
		 void *cookie, struct wm_error *err);

/*
 * Warns that no function of a name ran, or did what query->did says, and says which one may
 * have been meant.
 */
void query_warn_function(const struct query *query, const char *name);
/* Warns when what is selected begins behind the end of all threads; the trace is open. */
void query_warn_behind_end(const struct query *query);

/* What an own option was set to, by its index. */
static inline uint64_t query_number(const struct query *query, unsigned option)
{
	return query->values[option].number;
}
static inline bool query_given(const struct query *query, unsigned option)
{
	return query->values[option].given;
}

/* Counts the selected part and describes it in *counted. The caller frees *counts. */
int query_count(const struct query *query, struct counts *counts, struct counted *counted,
		struct wm_error *err);

/*
 * For questions about one thread: reduces the selection to its longest thread, with a
 * warning.
 */
void query_longest(struct query *query);
/* Says that no row has a line of source. */
void query_warn_lines(const struct query *query);

#endif
