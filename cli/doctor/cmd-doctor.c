// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark doctor: checks what recording needs and prints how to get what is missing. Each
 * check prints a line (cli/doctor/report.c). The exit status is 1 when at least one line
 * is marked WRONG, so scripts can use it; notes do not count.
 */
#include "cli/command.h"
#include "cli/doctor/doctor.h"
#include "cli/doctor/report.h"
#include "cli/habits.h"

#include <argp.h>
#include <stdio.h>

static const char doc[] = "Look for what recording needs, and try it."
			  "\vThe exit status is 1 when something does not work.";

/* argp's own message, "Too many arguments", would not name the argument. */
static error_t parse(int key, char *arg, struct argp_state *state)
{
	if (key == ARGP_KEY_ARG)
		argp_error(state, "there is nothing to name, such as \"%s\"", arg);
	return ARGP_ERR_UNKNOWN;
}

int cmd_doctor(int argc, char **argv)
{
	static const struct argp argp = { NULL, parse, NULL, doc, NULL, NULL, NULL };
	unsigned wrong;

	command_parse(&argp, argc, argv, 0, NULL);
	doctor_emulators();
	doctor_system();
	wrong = report_count(REPORT_WRONG);
	if (!wrong)
		puts("All is well.");
	else
		printf("%u thing%s to put right.\n", wrong, wrong == 1 ? "" : "s");
	return wrong ? EXIT_DIFFERS : EXIT_OK;
}
