/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The questions that can be asked about a trace: by a command, a program that uses the
 * library, another machine. Each has a name, options of its own, and rows as its answer.
 *
 *	const char *options[] = { "by=block", "function=m*", "rows=10", NULL };
 *	question_ask("hot", trace, options, &listener, &sink, &err);
 *
 * To add a question, write query/questions/NAME.c with a struct question, declare it in
 * query/questions.h, and put it into questions[] in query/question.c.
 */
#ifndef QUERY_QUESTION_H
#define QUERY_QUESTION_H

#include "out/table.h"
#include "query/listener.h"

struct query;

enum question_option_kind {
	QUESTION_FLAG,	 /* "", "1" or "yes"; "0" or "no" */
	QUESTION_NUMBER, /* decimal or 0x, also with k, M or G; `least` to `most` */
	QUESTION_WORD,	 /* one of words[] */
	QUESTION_TEXT,
	QUESTION_LIST, /* texts, one for each time it is given */
};

struct question_option {
	const char *name;
	enum question_option_kind kind;
	const char *what; /* one sentence */
	/* A number, a flag, or the index of a word, when the option is not given. */
	uint64_t standard;
	const char *const *words; /* NULL-terminated */
	uint64_t least, most;	  /* most 0: no limit */
};

enum { QUESTION_OPTIONS_MAX = 8 };

struct question_columns {
	const struct table_column *all; /* [n] */
	unsigned n;
};

/* How an answer can be computed in parts, by several processes. */
enum question_parts {
	QUESTION_RETRACED, /* its chunks are retraced, each by one of them */
	QUESTION_COUNTED,  /* only histograms of chunks are read */
	QUESTION_WHOLE,	   /* each block depends on all before it: it cannot */
	QUESTION_JOINT, /* it opens other traces: by processes that run at the same time */
};

/* What becomes of a column when the rows of several traces are added (query/several.h). */
enum question_role {
	ROLE_OF_TYPE, /* the default: texts and addresses are KEY, numbers ADD */
	ROLE_KEY,     /* rows with the same keys are one; left out by trace */
	ROLE_KIND,    /* a key that stays by trace */
	ROLE_PATH,    /* a key: the file's build-id, or without one its path */
	ROLE_FIRST,   /* that of the first trace, as the key says the rest */
	ROLE_ADD,
	ROLE_NEST, /* added, but rows contain each other: left out by trace */
	ROLE_LEAST,
	ROLE_MOST,
	ROLE_SHARE,   /* `of` divided by query->whole */
	ROLE_MPKI,    /* the same of a thousand */
	ROLE_PART,    /* `of` divided by its sum over the rows with the same KEYs */
	ROLE_RATIO,   /* `of` divided by `per`, plus `also` if it is there */
	ROLE_MEAN,    /* weighed with `of` minus `also` */
	ROLE_RUNNING, /* the sum of shares down to here */
	ROLE_NONE,    /* empty */
};

struct question_sum {
	const char *column;
	enum question_role role;
	const char *of, *per, *also; /* names of columns, see the role */
};

struct question {
	const char *name;
	const char *what;
	const struct question_option *options; /* [n_options] its own */
	unsigned n_options;		       /* QUESTION_OPTIONS_MAX at most */
	/*
	 * Completes what was not given, such as the column to sort by, and refuses what
	 * contradicts itself (WM_E_RANGE). NULL: nothing to do.
	 */
	int (*settle)(struct query *query, struct wm_error *err);
	bool by_block; /* `from` and `to` count blocks */
	/*
	 * The columns of the answer: when the first option is a word, one set for each, else
	 * one. NULL: columns() knows.
	 */
	const struct question_columns *tables;
	/* Puts the columns of the answer into columns[TABLE_COLUMNS_MAX]; returns how many. */
	unsigned (*columns)(const struct query *query, struct table_column *columns);
	/* NULL: QUESTION_RETRACED. */
	enum question_parts (*parts)(const struct query *query);
	/*
	 * The roles of columns that differ from ROLE_OF_TYPE, ending with a NULL column, for an
	 * answer about several traces; NULL: this answer is about one. `by_trace` is of the
	 * query. The member is NULL when no answer can be.
	 */
	const struct question_sum *(*sums)(const struct query *query);
	/* Fills the table with the answer to an open query. Errors are those of analyses. */
	int (*fill)(struct query *query, struct table *table, struct wm_error *err);
};

/* All of them, NULL-terminated. */
extern const struct question *const questions[];

/* The options that every question takes, [*n]: which part of the trace, which rows. */
const struct question_option *question_common_options(unsigned *n);

/* How the answer to a query, which is settled, can be computed in parts. */
enum question_parts question_parts(const struct query *query);

/* Whether an array job has one part that finds all rows (query/undivided.h). */
bool question_is_undivided(const struct query *query);

/* NULL: there is none with that name. */
const struct question *question_find(const char *name);

/*
 * Puts the question `name` to an open trace, and its rows into a sink. options[] are
 * "NAME=VALUE", NULL-terminated, or NULL for none. The listener may be NULL. WM_E_RANGE with
 * a sentence for an unknown question, option, column, thread or place; else errors of
 * cursors, analyses and of the sink.
 */
int question_ask(const char *name, const struct wm_trace *trace,
		 const char *const *options, const struct listener *listener,
		 struct table_sink *sink, struct wm_error *err);

#endif
