/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The options --part, --state and --after of commands that ask a question, and the command
 * line as it goes into a state file. `merge` puts a question again from such a command line.
 */
#ifndef CLI_SHARE_H
#define CLI_SHARE_H

#include <argp.h>
#include <stdbool.h>

#include "query/share.h"

/* The input is the struct share_options of the command. */
extern const struct argp share_argp;

struct share_options {
	struct share share;
	const char *state; /* the file to write; NULL: nothing is shared */
	/* What --after named, or what `merge` merges: [n_files]. */
	struct state_file *files;
	const char **paths;
	size_t n_files;
	const char *const *traces; /* [n_traces] that the question is about; the caller's */
	size_t n_traces;
	/* The command line without options that say how, not what, is computed. */
	char **words; /* [n_words], NULL-terminated */
	uint32_t n_words;
};

/*
 * Called before a command line is parsed, which may reorder it. Without memory it ends the
 * process.
 */
void share_options_begin(struct share_options *options, int argc, char **argv);
/*
 * The traces [*n] of a part's command that `merge` runs again: its command line does not name
 * them. NULL when no command is run again.
 */
const char **share_options_traces(size_t *n);
/* Called when it is parsed: it names the traces files[n]. */
void share_options_settle(struct share_options *options, const char *const *files,
			  size_t n);
void share_options_fini(struct share_options *options);

/* Whether the work is shared. Then the command writes no files but the state. */
bool share_options_is_on(const struct share_options *options);
/*
 * Before the trace is opened: from now on no answer is written where only a part of it is
 * wanted. WM_E_RANGE: a file of --after is of another question.
 */
int share_options_start(const struct share_options *options, struct wm_error *err);

/*
 * After the question was put with the result `ret`: writes the state file when the part was
 * computed. 0 or an error, which may be that of the question.
 */
int share_options_end(struct share_options *options, int ret, struct wm_error *err);

/*
 * For `merge`: reads the files paths[n], n at least 1, and lets the next command that is run
 * use them; *first is one of them. `trace` is the trace to use, or NULL: those that the
 * files name. With `state` the command writes what was merged there, instead of answering.
 * WM_E_RANGE: they are of different questions. Errors of state_file_read().
 */
int share_replay(const char **paths, size_t n, const char *trace, const char *state,
		 const struct state_file **first, struct wm_error *err);

#endif
