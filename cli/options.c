// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Groups of options that several commands share, as child parsers of argp: the trace's
 * file, the selected part of it, and the format of facts. A child sets its defaults at
 * ARGP_KEY_INIT, so a command need not know them, and checks at ARGP_KEY_END what depends
 * on several options.
 */
#include "cli/options.h"

#include <sys/stat.h>

#include "cli/values.h"

/* No key is a letter: these options have no short form. */
enum {
	OPTION_THREAD = 256,
	OPTION_PROCESS,
	OPTION_PID,
	OPTION_MODE,
	OPTION_HART,
	OPTION_SYSCALL,
	OPTION_FROM,
	OPTION_TO,
	OPTION_SYMBOLS,
	OPTION_SYMFS,
	OPTION_FORMAT,
};

/* Names would be missing in silence below one that is not there. */
const char *option_symfs(const struct argp_state *state, const char *folder)
{
	struct stat st;

	if (stat(folder, &st) != 0 || !S_ISDIR(st.st_mode))
		argp_error(state, "--symfs: \"%.200s\" is no folder", folder);
	return folder;
}

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
	{ "process", OPTION_PROCESS, "P", 0,
	  "Only process P: its number, its pid, or its program's name", 0 },
	{ "pid", OPTION_PID, "PID", 0, "Only processes with this pid", 0 },
	{ "mode", OPTION_MODE, "MODE", 0,
	  "Of a machine, only this mode: user, kernel, hypervisor or firmware", 0 },
	{ "hart", OPTION_HART, "N", 0, "Of a machine, only what hart N executed", 0 },
	{ "syscall", OPTION_SYSCALL, "NAME", 0,
	  "Of a machine, only what its kernel did for this system call", 0 },
	{ "from", OPTION_FROM, "WHERE", 0,
	  "Start at number N (0), or at a place: main, work@10, parse.c:12, 0x10400, "
	  "marker:ID, syscall:NAME, time:S",
	  0 },
	{ "to", OPTION_TO, "WHERE", 0, "Stop before number N (the end), or at a place",
	  0 },
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

static void take_bound(struct scope *scope, bool is_to, const char *arg,
		       struct argp_state *state)
{
	struct wm_error err;

	if (scope_set_bound(scope, is_to, arg, &err))
		argp_error(state, "--%s: %s", is_to ? "to" : "from", err.text);
}

/* What is parsed ends the command when it is wrong. */
static void take_selection(struct scope *scope, int key, const char *arg,
			   struct argp_state *state)
{
	struct wm_error err;
	int ret = 0;

	if (key == OPTION_PID)
		scope->pid = arg;
	else if (key == OPTION_SYSCALL)
		scope->syscall = arg;
	else if (key == OPTION_MODE)
		ret = scope_set_modes(scope, arg, &err);
	else
		ret = scope_set_hart(scope, arg, &err);
	if (ret)
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
	case OPTION_PID:
	case OPTION_MODE:
	case OPTION_HART:
	case OPTION_SYSCALL:
		take_selection(scope, key, arg, state);
		return 0;
	case OPTION_FROM:
		take_bound(scope, false, arg, state);
		return 0;
	case OPTION_TO:
		take_bound(scope, true, arg, state);
		return 0;
	case OPTION_SYMBOLS:
		add_table(scope, arg, state);
		return 0;
	case OPTION_SYMFS:
		scope->symfs = option_symfs(state, arg);
		return 0;
	/* Other positions are not known yet; scope_check() compares numbers only. */
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
