// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options about events. Patterns are checked before the guest starts: a wrong one must
 * not cost a run. For --qemu-trace the emulator prints its list of events (-d
 * trace:help), one name a line, and each pattern must match at least one, as fnmatch()
 * does. Example: --qemu-trace 'guest_*' is accepted when guest_user_syscall is listed.
 *
 * QEMU has one log. --qemu-trace needs it, so -d, -D and the variables that set them are
 * refused.
 */
#include "cli/record/events.h"

#include "cli/command.h"
#include "cli/list/event_list.h"
#include "cli/record/emulator.h"
#include "events/patterns.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_EVENTS = 256 + 0x500, OPTION_EVENTS_TO, OPTION_QEMU_TRACE };

static const struct argp_option options[] = {
	{ "events", OPTION_EVENTS, "PATTERNS", 0,
	  "Turn events on, or off with - in front; @FILE holds patterns; \"help\" lists all",
	  0 },
	{ "events-to", OPTION_EVENTS_TO, "WHERE", 0,
	  "Where events go: trace, log[:FILE], syslog, ftrace, ctf:DIR, usdt (trace)",
	  0 },
	{ "qemu-trace", OPTION_QEMU_TRACE, "PATTERN", 0,
	  "Record QEMU's own trace events, too", 0 },
	{ 0 },
};

static void no_memory(struct argp_state *state)
{
	argp_failure(state, EXIT_ERROR, 0, "out of memory");
}

/*
 * Appends a copy of word[length] to a list. Callers check nothing, because argp_failure()
 * exits.
 */
static void append(char ***list, unsigned *n, const char *word, size_t length,
		   struct argp_state *state)
{
	char **grown = reallocarray(*list, *n + 1ul, sizeof(**list));

	/* The old list stays the owner of its texts. */
	if (grown)
		*list = grown;
	if (!grown || !(grown[*n] = strndup(word, length)))
		no_memory(state);
	++*n;
}

/* Adds patterns that are separated by commas, as QEMU accepts them. */
static void add_qemu_trace(struct record_events *events, const char *arg,
			   struct argp_state *state)
{
	/* A list of commas only would mean nothing. */
	if (!*arg || arg[strspn(arg, ",")] == 0)
		argp_error(state, "--qemu-trace needs a pattern");
	for (; *arg; arg += strspn(arg, ",")) {
		size_t length = strcspn(arg, ",");

		append(&events->qemu_trace, &events->options.n_qemu_trace, arg, length,
		       state);
		arg += length;
	}
}

/* "help" prints the events as they are set so far, and ends the command. */
static void apply(struct record_events *events, const char *arg, struct argp_state *state)
{
	struct wm_error err;

	if (!strcmp(arg, "help")) {
		event_list_print(stdout, events->options.wanted);
		exit(EXIT_OK);
	}
	if (events_apply(&events->options.wanted, arg, &err))
		argp_failure(state, EXIT_ERROR, 0, "%s", err.text);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct record_events *events = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*events = (struct record_events){ .options.wanted = EVENTS_DEFAULT };
		return 0;
	case OPTION_EVENTS:
		apply(events, arg, state);
		return 0;
	case OPTION_EVENTS_TO:
		append(&events->to, &events->options.n_to, arg, strlen(arg), state);
		return 0;
	case OPTION_QEMU_TRACE:
		add_qemu_trace(events, arg, state);
		return 0;
	/*
	 * The arrays have moved while they grew: the options get their final addresses
	 * here.
	 */
	case ARGP_KEY_FINI:
	case ARGP_KEY_END:
		events->options.to = (const char *const *)events->to;
		events->options.qemu_trace = (const char *const *)events->qemu_trace;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp record_events_argp = { options, parse, NULL, NULL, NULL, NULL, NULL };

void record_events_fini(struct record_events *events)
{
	/* Copies, because patterns are cut out of arguments. */
	for (unsigned i = 0; i < events->options.n_to; i++)
		free(events->to[i]);
	for (unsigned i = 0; i < events->options.n_qemu_trace; i++)
		free(events->qemu_trace[i]);
	free(events->to);
	free(events->qemu_trace);
}

/* ---- QEMU's own ---------------------------------------------------------- */

/*
 * The option or variable that already claims QEMU's log; NULL when there is none. QEMU
 * accepts its options with one dash or two.
 */
static const char *takes_log(char *const *qemu_args)
{
	for (; *qemu_args; qemu_args++) {
		const char *word = *qemu_args;

		word += strspn(word, "-");
		/* A word without a dash is an argument of another option. */
		if (word != *qemu_args && (!strcmp(word, "d") || !strcmp(word, "D")))
			return *qemu_args;
	}
	if (getenv("QEMU_LOG"))
		return "QEMU_LOG";
	return getenv("QEMU_LOG_FILENAME") ? "QEMU_LOG_FILENAME" : NULL;
}

/* Whether the pattern matches one of `names`, which are separated by newlines. */
static bool fits_one(const char *pattern, const char *names)
{
	char name[128];

	for (; *names; names += strspn(names, "\n")) {
		size_t length = strcspn(names, "\n");

		/* A longer line is no name of an event. */
		if (length < sizeof(name)) {
			memcpy(name, names, length);
			name[length] = 0;
			if (!fnmatch(pattern, name, 0))
				return true;
		}
		names += length;
	}
	return false;
}

/*
 * The exit status of -d trace:help is not checked: a QEMU that cannot list events prints
 * no name that a pattern matches, and the message names the command to try.
 */
static int check_patterns(const struct record_events *events, const char *qemu,
			  struct wm_error *err)
{
	const char *const argv[] = { qemu, "-d", "trace:help", NULL };
	/* QEMU has a few thousand events; the list is too large for a stack. */
	static char names[256u << 10];

	if (emulator_ask(argv, names, sizeof(names)) < 0)
		return wm_fail_errno(err, "cannot run %s", qemu);
	for (unsigned i = 0; i < events->options.n_qemu_trace; i++) {
		const char *pattern = events->qemu_trace[i];

		/* A "-" in front turns events off. */
		if (!fits_one(pattern + (*pattern == '-'), names))
			return wm_fail(err, WM_E_RANGE, 0,
				       "%s has no trace event \"%s\"; see %s -d "
				       "trace:help",
				       qemu, pattern, qemu);
	}
	return 0;
}

int record_events_check(const struct record_events *events, const char *qemu,
			char *const *qemu_args, struct wm_error *err)
{
	const char *taken;

#ifndef HAVE_SDT
	for (unsigned i = 0; i < events->options.n_to; i++)
		if (!strcmp(events->to[i], "usdt"))
			return wm_fail(err, WM_E_RANGE, 0,
				       "this waymark was built without probes: it "
				       "takes sys/sdt.h (systemtap-sdt-dev)");
#endif
	/* QEMU's log is left alone unless it is needed. */
	if (!events->options.n_qemu_trace)
		return 0;
	taken = takes_log(qemu_args);
	if (taken)
		return wm_fail(err, WM_E_RANGE, 0,
			       "--qemu-trace takes QEMU's log for itself, and so does %s",
			       taken);
	return check_patterns(events, qemu, err);
}
