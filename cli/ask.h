/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command that asks a question about a trace: its options become those of the query, by
 * their long names, and the rows of the answer a table on stdout. A command whose answer is
 * more than that passes an answer() to ask_run(), which calls it while the trace is open.
 */
#ifndef CLI_ASK_H
#define CLI_ASK_H

#include <argp.h>

#include "cli/share.h"
#include "cli/team.h"
#include "cli/watch.h"
#include "out/table_writer.h"
#include "query/query.h"

enum ask_takes {
	ASK_FUNCTION = 1, /* --function */
	ASK_TABLE = 2,	  /* -n, -s, -f */
	ASK_FORMAT = 4,	  /* --format of tables */
	ASK_SHARE = 8,	  /* --part, --state, --after */
	ASK_SEVERAL = 16, /* several FILEs, and --by trace */
	ASK_FILES = 32,	  /* several FILEs, which the command answers about itself */
};

struct ask;

struct ask_command {
	const char *question; /* NULL: none, the command answers itself */
	const char *doc;
	const char *args; /* as in help: "[FILE]" */
	unsigned takes;	  /* enum ask_takes */
	/* Options of the question, and of the command's parse(). */
	const struct argp_option *options;
	/*
	 * As argp's, and asked first; ARGP_ERR_UNKNOWN leaves an option to the question. At
	 * ARGP_KEY_SUCCESS it is called before the query is settled. NULL: there is nothing.
	 */
	error_t (*parse)(struct ask *ask, int key, char *arg, struct argp_state *state);
};

struct ask {
	const struct ask_command *command;
	void *cookie; /* the command's */
	struct query query;
	const char **files; /* [n_files] with ASK_SEVERAL or ASK_FILES, as typed */
	size_t n_files;
	const char *only; /* the trace when none of these is given */
	bool alone; /* set by the command: one process, or one part, does all the work */
	enum table_format format;
	struct watch watch;
	struct share_options shared;
	struct team_runner together; /* used when there is a team */
};

/*
 * Parses a command line. Ends the process, as argp does, when it is wrong or asks for help.
 * ask_fini() frees what the query holds.
 */
void ask_parse(struct ask *ask, const struct ask_command *command, void *cookie, int argc,
	       char **argv);
void ask_fini(struct ask *ask);

/*
 * Sets an option of the query as the command line would; ends the process when it is
 * wrong.
 */
void ask_set_or_end(struct ask *ask, const char *name, const char *value,
		    const char *shown, struct argp_state *state);

/*
 * The word of --by: true for "trace", which is no word of the question. The answer has a row
 * for each FILE then.
 */
bool ask_take_by_trace(struct ask *ask, const char *word);
/* Whether the answer is about several traces, and so a table. */
bool ask_is_several(const struct ask *ask);

/* query_open(); under MPI it fails in all processes when it fails in one. */
int ask_open(struct ask *ask, struct wm_error *err);
/* The same of another query of the command. */
int ask_open_query(struct ask *ask, struct query *query, struct wm_error *err);

/*
 * Opens the trace, answers, and closes it. `answer` NULL prints the question's table.
 * Returns the exit status; errors are printed on stderr.
 */
int ask_run(struct ask *ask, int (*answer)(struct ask *ask, struct wm_error *err));
/*
 * The rest of ask_run(), for a command that opens traces itself: `ret` is the answer's result.
 * Returns the exit status.
 */
int ask_end(struct ask *ask, int ret, struct wm_error *err);
/* All of the above, for a command that only asks a question. */
int ask_command(const struct ask_command *command, int argc, char **argv);

/*
 * Prints rows in the format of --format, through the pager when stdout is a terminal: the
 * question's rows, or those of fill().
 */
int ask_print(struct ask *ask, struct wm_error *err);
int ask_print_rows(struct ask *ask,
		   int (*fill)(void *cookie, struct table *table, struct wm_error *err),
		   void *cookie, struct wm_error *err);

/* The same for a query that is not part of a struct ask. */
int ask_print_query(struct query *query, struct watch *watch, enum table_format format,
		    int (*fill)(void *cookie, struct table *table, struct wm_error *err),
		    void *cookie, struct wm_error *err);

#endif
