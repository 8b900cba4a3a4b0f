// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command line of a question whose parts are computed by several processes.
 *
 * All parts must be of the same question, so the command line is a part of each state file,
 * and `merge` runs it again. Words that only say how to compute are removed before, as they
 * differ from part to part: --part, --state, --after, -j and the name of the trace. They are
 * found as pointers: argp reorders the words of a command line, but does not copy them.
 *
 * A state file may be hostile. Its command line is only run by commands that take --part,
 * and these write no files when they are run again (check_or_end()).
 */
#include "cli/share.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/append.h"
#include "base/error.h"
#include "cli/command.h"
#include "cli/fresh_file.h"
#include "cli/habits.h"
#include "cli/stdout.h"
#include "cli/values.h"

enum { OPTION_PART = 2048, OPTION_STATE, OPTION_AFTER };

static const struct argp_option table[] = {
	{ "part", OPTION_PART, "I/N", 0,
	  "Compute part I of N only, for `waymark merge`; goes with --state", 0 },
	{ "state", OPTION_STATE, "FILE", 0, "Write the part to FILE", 0 },
	{ "after", OPTION_AFTER, "FILE", 0,
	  "The part is of the question's next round: FILE has the rounds before", 0 },
	{ 0 },
};

/* What share_replay() has prepared for the command that is run next. */
static struct replay {
	struct share_options options;
	const char **traces; /* [n_traces] */
	size_t n_traces;
	bool on;
} replay;

/* ---- words --------------------------------------------------------------- */

static void drop_word(struct share_options *options, const char *word)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < options->n_words; i++)
		if (options->words[i] != word)
			options->words[n++] = options->words[i];
	options->n_words = n;
	options->words[n] = NULL;
}

/* The words of the option whose argument was parsed last: "--part=1/2", or two words. */
static void drop_option(struct share_options *options, const char *arg,
			const struct argp_state *state)
{
	char *const *last = &state->argv[state->next - 1];

	if (*last == arg)
		drop_word(options, last[-1]);
	drop_word(options, *last);
}

/* -j 4 and --jobs 4, and also -j4 and --jobs=4; not in the middle of a group of letters. */
static void drop_jobs(struct share_options *options)
{
	for (uint32_t i = 1; i < options->n_words;) {
		const char *word = options->words[i];
		bool two = !strcmp(word, "-j") || !strcmp(word, "--jobs");

		if (!two && strncmp(word, "-j", 2) != 0 && strncmp(word, "--jobs=", 7)) {
			i++;
			continue;
		}
		if (two && i + 1 < options->n_words)
			drop_word(options, options->words[i + 1]);
		drop_word(options, word);
	}
}

/* ---- options ------------------------------------------------------------- */

/* "3/16" */
static void parse_part(struct share_options *options, const char *arg,
		       struct argp_state *state)
{
	char rest;

	if (sscanf(arg, "%" SCNu32 "/%" SCNu32 "%c", &options->share.number,
		   &options->share.parts, &rest) != 2 ||
	    !options->share.number || options->share.number > options->share.parts ||
	    options->share.parts > STATE_PARTS_MAX)
		argp_error(state,
			   "--part wants I/N, such as 3/16, with I from 1 to N and "
			   "N up to %d; not \"%s\"",
			   STATE_PARTS_MAX, arg);
}

static int add_file(struct share_options *options, const char *path, struct wm_error *err)
{
	struct state_file file;
	size_t n = options->n_files;
	int ret = state_file_read(&file, path, err);

	if (ret)
		return ret;
	if (APPEND(options->paths, n, path) &&
	    APPEND(options->files, options->n_files, file))
		return 0;
	state_file_fini(&file);
	return wm_fail_nomem(err, "state files");
}

static void check_or_end(const struct share_options *options, struct argp_state *state)
{
	if (!options->share.parts != !options->state && !replay.on)
		argp_error(state, "--part and --state go together");
	if (options->n_files && !options->share.parts && !replay.on)
		argp_error(state, "--after goes with --part");
	/* Of a command line that is run again, too: its file may be hostile. */
	if (habits.output && share_options_is_on(options))
		argp_error(state, "a part writes its state only: give -o to merge");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct share_options *options = state->input;
	struct wm_error err;

	if (replay.on && key >= OPTION_PART && key <= OPTION_AFTER)
		argp_error(state, "the command line of a part has no --part");
	switch (key) {
	case OPTION_PART:
		parse_part(options, arg, state);
		break;
	case OPTION_STATE:
		options->state = arg;
		break;
	case OPTION_AFTER:
		if (add_file(options, arg, &err))
			argp_failure(state, EXIT_ERROR, 0, "%s", err.text);
		break;
	case ARGP_KEY_END:
		check_or_end(options, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	drop_option(options, arg, state);
	return 0;
}

const struct argp share_argp = { table, parse };

/* ---- a command's run ----------------------------------------------------- */

void share_options_begin(struct share_options *options, int argc, char **argv)
{
	const char *name = argv[0] + strcspn(argv[0], " ");

	*options = replay.on ? replay.options : (struct share_options){ .n_files = 0 };
	if (!replay.on)
		share_init(&options->share);
	options->words = calloc((size_t)argc + 1, sizeof(*options->words));
	if (!options->words)
		argp_failure(NULL, EXIT_ERROR, 0, "no memory");
	options->n_words = (uint32_t)argc;
	memcpy(options->words, argv, (size_t)argc * sizeof(*argv));
	/* argv[0] is "waymark NAME". */
	options->words[0] = (char *)(uintptr_t)(name + (*name == ' '));
}

const char **share_options_traces(size_t *n)
{
	*n = replay.n_traces;
	return replay.traces;
}

void share_options_settle(struct share_options *options, const char *const *files,
			  size_t n)
{
	for (size_t i = 0; i < n; i++)
		drop_word(options, files[i]);
	drop_jobs(options);
	options->traces = files;
	options->n_traces = n;
	options->share.files = options->files;
	options->share.paths = options->paths;
	options->share.n_files = options->n_files;
	options->share.merges = replay.on && options->state;
}

void share_options_fini(struct share_options *options)
{
	for (size_t i = 0; i < options->n_files; i++)
		state_file_fini(&options->files[i]);
	free(options->files);
	free(options->paths);
	free(options->words);
	share_fini(&options->share);
}

/* Says which one, because the words of both are on hand only here. */
static int fail_other_question(const struct state_file *file, const char *path,
			       struct wm_error *err)
{
	struct buf words = BUF_INIT;
	int ret;

	for (uint32_t i = 0; i < file->n_words; i++) {
		buf_put_u8(&words, ' ');
		buf_put(&words, file->words[i], strlen(file->words[i]));
	}
	ret = words.failed ? wm_fail_nomem(err, "the words of a question") :
			     wm_fail(err, WM_E_RANGE, 0,
				     "%s is of another question: waymark%.*s", path,
				     (int)(words.len < 200 ? words.len : 200),
				     (const char *)words.data);
	buf_fini(&words);
	return ret;
}

/* All files must be of the question with these words[n]. */
static int check_words(const struct share_options *options, char *const *words,
		       uint32_t n, struct wm_error *err)
{
	for (size_t i = 0; i < options->n_files; i++) {
		const struct state_file *file = &options->files[i];
		bool same = file->n_words == n;

		for (uint32_t k = 0; same && k < n; k++)
			same = !strcmp(file->words[k], words[k]);
		if (!same)
			return fail_other_question(file, options->paths[i], err);
	}
	return 0;
}

/* The traces with their places. The caller frees both. NULL: no memory, or errno says why. */
static struct state_trace *place_traces(const struct share_options *options,
					struct wm_error *err)
{
	struct state_trace *traces = calloc(options->n_traces + 1, sizeof(*traces));

	if (!traces)
		wm_fail_nomem(err, "the state");
	for (size_t i = 0; traces && i < options->n_traces; i++) {
		traces[i].name = (char *)(uintptr_t)options->traces[i];
		traces[i].place = realpath(options->traces[i], NULL);
		if (traces[i].place)
			continue;
		wm_fail_errno(err, "%s", options->traces[i]);
		while (i)
			free(traces[--i].place);
		free(traces);
		return NULL;
	}
	return traces;
}

static int write_file(const char *path, const struct state_file *file,
		      struct wm_error *err)
{
	struct fresh_file out;
	int ret = fresh_file_open(&out, path, err);

	/* fresh_file_end() reports what could not be written. */
	return ret ? ret :
		     fresh_file_end(&out, state_file_write(file, out.out, err), err);
}

static int write_state(struct share_options *options, struct wm_error *err)
{
	const struct share *share = &options->share;
	struct state_file file = {
		.words = options->words,
		.n_words = options->n_words,
		.traces = place_traces(options, err),
		.n_traces = options->n_traces,
		.identity = share->identity,
		.pieces = share->pieces,
		.n_pieces = share->n_pieces,
	};
	int ret;

	if (!file.traces)
		return err->code;
	ret = write_file(options->state, &file, err);
	for (size_t i = 0; i < file.n_traces; i++)
		free(file.traces[i].place);
	free(file.traces);
	return ret;
}

int share_options_start(const struct share_options *options, struct wm_error *err)
{
	if (options->share.parts || options->share.merges)
		stdout_mute();
	return replay.on ? 0 :
			   check_words(options, options->words, options->n_words, err);
}

bool share_options_is_on(const struct share_options *options)
{
	return options->state || options->n_files;
}

/* The question was answered though it was not to be. */
static int fail_answered(const struct share_options *options, struct wm_error *err)
{
	const char *why =
		options->share.merges ? "none of the files has a part that is needed" :
		options->n_files      ? "merge answers already, no part is left" :
					"no part of this question is worth computing "
					"apart; ask it without --part";

	return wm_fail(err, WM_E_RANGE, 0, "%s: %s", options->traces[0], why);
}

int share_options_end(struct share_options *options, int ret, struct wm_error *err)
{
	if (options->share.done)
		return write_state(options, err);
	return !ret && options->state ? fail_answered(options, err) : ret;
}

/* ---- merging ------------------------------------------------------------- */

/*
 * Answers contain the trace's name, so it is the one that was typed, unless this is another
 * folder.
 */
static const char *find_trace(const struct state_trace *trace)
{
	return access(trace->name, R_OK) ? trace->place : trace->name;
}

static int check_trace(const struct state_file *file, const char *path,
		       struct wm_error *err)
{
	if (!access(path, F_OK))
		return 0;
	return wm_fail(err, WM_E_IO, 0,
		       "%s, which the parts were computed from, is not there%s", path,
		       file->n_traces == 1 ? ": --trace says where it is now" : "");
}

/* `trace` is the only one, or NULL. */
static int find_traces(const struct state_file *file, const char *trace,
		       struct wm_error *err)
{
	int ret = 0;

	if (trace && file->n_traces > 1)
		return wm_fail(err, WM_E_RANGE, 0,
			       "--trace names one trace, and this question is about %zu: "
			       "merge where they are",
			       file->n_traces);
	replay.traces = calloc(file->n_traces + 1, sizeof(*replay.traces));
	if (!replay.traces)
		return wm_fail_nomem(err, "the traces");
	for (; !ret && replay.n_traces < file->n_traces; replay.n_traces++) {
		const char *found = trace ? trace :
					    find_trace(&file->traces[replay.n_traces]);

		replay.traces[replay.n_traces] = found;
		ret = trace ? 0 : check_trace(file, found, err);
	}
	return ret;
}

int share_replay(const char **paths, size_t n, const char *trace, const char *state,
		 const struct state_file **first, struct wm_error *err)
{
	struct share_options *options = &replay.options;
	int ret = 0;

	*options = (struct share_options){ .state = state };
	share_init(&options->share);
	for (size_t i = 0; !ret && i < n; i++)
		ret = add_file(options, paths[i], err);
	if (!ret)
		ret = check_words(options, options->files[0].words,
				  options->files[0].n_words, err);
	if (!ret)
		ret = find_traces(&options->files[0], trace, err);
	if (ret) {
		share_options_fini(options);
		return ret;
	}
	*first = &options->files[0];
	replay.on = true;
	return 0;
}
