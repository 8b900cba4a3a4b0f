// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Groups of options that several commands share, as child parsers of argp: the trace's
 * file, the selected part of it, and the format of facts. A child sets its defaults at
 * ARGP_KEY_INIT, so a command need not know them, and checks at ARGP_KEY_END what depends
 * on several options.
 */
#include "cli/options.h"

#include "cli/values.h"

/* No key is a letter: these options have no short form. */
enum {
	OPTION_THREAD = 256,
	OPTION_PROCESS,
	OPTION_FROM,
	OPTION_TO,
	OPTION_SYMBOLS,
	OPTION_SYMFS,
	OPTION_FORMAT,
};

/* ---- the file ------------------------------------------------------------ */

static error_t parse_file(int key, char *arg, struct argp_state *state)
{
	const char **file = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*file = NULL;
		return 0;
	case ARGP_KEY_ARG:
		/*
		 * Commands that take several files, such as `cover`, parse ARGP_KEY_ARG
		 * themselves.
		 */
		if (*file)
			argp_error(state, "one trace at a time, not also \"%s\"", arg);
		*file = arg;
		return 0;
	case ARGP_KEY_END:
		/* The name that `record` gives a trace without -o. */
		if (!*file)
			*file = "waymark.wmk";
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* It has no options, only the word FILE. */
const struct argp file_argp = { .parser = parse_file };

/* ---- the scope ----------------------------------------------------------- */

static const struct argp_option scope_options[] = {
	{ "thread", OPTION_THREAD, "T", 0,
	  "Only thread T: its number, as `info` has it, or its name", 0 },
	{ "process", OPTION_PROCESS, "P", 0, "Only process P: its number, or its pid",
	  0 },
	{ "from", OPTION_FROM, "N", 0,
	  "Start at number N (0), or at a marker: marker:ID or marker:ID@NTH", 0 },
	{ "to", OPTION_TO, "N", 0, "Stop before number N (the end), or at a marker", 0 },
	{ "symbols", OPTION_SYMBOLS, "FILE[:PID]", 0,
	  "Names of code that process PID generated: a map as perf reads it", 0 },
	{ "symfs", OPTION_SYMFS, "DIR", 0, "Look for the program's files below DIR, too",
	  0 },
	{ 0 },
};

/* A scope holds a limited number of tables. */
static void add_table(struct scope *scope, const char *arg, struct argp_state *state)
{
	struct wm_error err;

	if (scope_add_table(scope, arg, &err))
		argp_error(state, "%s", err.text);
}

/*
 * The last value counts: a number that follows a marker replaces it, so times is cleared.
 */
static void take_bound(uint64_t *ordinal, struct scope_mark *mark, const char *option,
		       const char *arg, struct argp_state *state)
{
	struct wm_error err;

	mark->times = 0;
	if (!scope_is_mark(arg))
		*ordinal = amount_or_end(arg, option, 0, UINT64_MAX, state);
	else if (scope_parse_mark(mark, arg, &err))
		argp_error(state, "%s", err.text);
}

static error_t parse_scope(int key, char *arg, struct argp_state *state)
{
	struct scope *scope = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*scope = SCOPE_INIT;
		/* FILE is parsed by the child, into the scope. */
		state->child_inputs[0] = &scope->file;
		return 0;
	case OPTION_THREAD:
		/*
		 * Threads and processes stay text here: names are known when the trace is
		 * open.
		 */
		scope->thread = arg;
		return 0;
	case OPTION_PROCESS:
		scope->process = arg;
		return 0;
	case OPTION_FROM:
		take_bound(&scope->from, &scope->from_mark, "--from", arg, state);
		return 0;
	case OPTION_TO:
		take_bound(&scope->to, &scope->to_mark, "--to", arg, state);
		return 0;
	case OPTION_SYMBOLS:
		add_table(scope, arg, state);
		return 0;
	case OPTION_SYMFS:
		scope->symfs = arg;
		return 0;
	/* Markers have no position yet; scope_check() compares numbers only. */
	case ARGP_KEY_END:
		if (scope_check(scope, NULL))
			argp_error(state, "--to is before --from");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child scope_children[] = { { &file_argp, 0, NULL, 0 }, { 0 } };

/* FILE comes with the scope, so a command that has a scope needs no file_argp. */
const struct argp scope_argp = { scope_options,	 parse_scope, NULL, NULL,
				 scope_children, NULL,	      NULL };

/* ---- the format of facts ------------------------------------------------- */

static const struct argp_option facts_options[] = {
	{ "format", OPTION_FORMAT, "FORMAT", 0, "text or json (text)", 0 },
	{ 0 },
};

static error_t parse_facts(int key, char *arg, struct argp_state *state)
{
	/* In the order of enum fact_format. */
	static const char *const names[] = { "text", "json", NULL };
	enum fact_format *format = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*format = FACTS_AS_TEXT;
		return 0;
	case OPTION_FORMAT:
		*format = choice_or_end(arg, "format", names, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp facts_argp = {
	facts_options, parse_facts, NULL, NULL, NULL, NULL, NULL
};
