// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark setup-qemu: executes a shell script that is installed beside the plugins. The
 * script parses its own options, so argv is passed on as it is, with the script's path in
 * front.
 *
 * It is a script because it does what a user would do by hand: fetch, configure and build
 * QEMU. Its result is found by cli/record/emulators.c.
 */
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/find.h"

#include <limits.h>
#include <stdio.h>
#include <unistd.h>

int cmd_setup_qemu(int argc, char **argv)
{
	char script[PATH_MAX];

	(void)argc;
	if (!find_own(script, "setup-qemu", "../lib/waymark/setup-qemu"))
		return fail("the script setup-qemu is neither beside the command nor in "
			    "../lib/waymark: install Waymark again");
	argv[0] = script;
	fflush(stdout);
	execv(script, argv);
	return fail("cannot run %s: %m", script);
}
