// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark collect: the recorder for a plugin that was given to QEMU by hand
 * (plugin/core/spawn.c starts it). It is not for users and not listed in help: it
 * inherits the shared memory as an open descriptor, whose number is an option. The guest
 * waits until a byte is written to --ready-fd.
 *
 * Example: collect --arena-fd 5 --ready-fd 7 --pid 4711 --output waymark.wmk
 *
 * It prints the same messages at the end as `waymark record`.
 */
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/habits.h"
#include "cli/record/emulator.h"
#include "cli/record/end.h"
#include "collect/record.h"
#include "out/number.h"

#include <argp.h>
#include <limits.h>
#include <stdio.h>

enum { OPTION_ARENA = 256, OPTION_READY, OPTION_PID };

static const struct argp_option options[] = {
	{ "arena-fd", OPTION_ARENA, "FD", 0, "The arena", 0 },
	{ "ready-fd", OPTION_READY, "FD", 0, "Where to report that the guest may run",
	  0 },
	{ "pid", OPTION_PID, "PID", 0, "The guest's process", 0 },
	{ "output", 'o', "FILE", 0, "Write the trace there", 0 },
	{ 0 },
};

struct arguments {
	const char *output;
	/* Descriptors are inherited; -1: not given. */
	int arena, ready, pid;
};

/* Only the plugin writes these options, so messages need no advice. */
static int number(const char *arg, struct argp_state *state)
{
	uint64_t value = 0;

	if (!number_parse(arg, &value) || value > INT_MAX)
		argp_error(state, "not a number: \"%s\"", arg);
	return (int)value;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case OPTION_ARENA:
		args->arena = number(arg, state);
		return 0;
	case OPTION_READY:
		args->ready = number(arg, state);
		return 0;
	case OPTION_PID:
		args->pid = number(arg, state);
		return 0;
	case 'o':
		args->output = arg;
		return 0;
	/* 0 is a valid descriptor and no valid pid. */
	case ARGP_KEY_END:
		if (args->arena < 0 || args->ready < 0 || args->pid <= 0 || !args->output)
			argp_error(state, "the plugin starts this command, not you");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int cmd_collect(int argc, char **argv)
{
	static const struct argp argp = {
		options, parse, NULL, "Collect for a plugin loaded by hand.",
		NULL,	 NULL,	NULL,
	};
	struct arguments args = { .arena = -1, .ready = -1 };
	char qemu[32], version[32];
	struct record_end end = { 0 };
	struct record_reports reports;
	struct wm_error err;

	command_parse(&argp, argc, argv, 0, &args);
	/* The version is that of the running executable, which may not be in PATH. */
	snprintf(qemu, sizeof(qemu), "/proc/%d/exe", args.pid);
	emulator_version(qemu, version, sizeof(version));
	/* What `record` prints at the end is printed here as well. */
	end.output = args.output;
	reports = record_end_reports(&end);
	/* An unknown version is not written into the trace. */
	if (attach_run(args.arena, args.ready, args.pid, *version ? version : NULL,
		       args.output, &reports, &err))
		return fail("%s", err.text);
	return EXIT_OK;
}
