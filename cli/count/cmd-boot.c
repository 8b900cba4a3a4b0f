// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark boot: what a machine's Linux did until its first program ran, in the order in which
 * it began. `systemd-analyze blame` is the same list by time: -s ms; -s insns is by work.
 */
#include "cli/ask.h"
#include "cli/command.h"

static const char doc[] =
	"Print what the Linux of a recorded machine (FILE, or waymark.wmk) did until its first "
	"program ran: the steps of its start, and each initcall, with the time and the "
	"instructions that they took."
	"\vIn the order in which they began; -s ms or -s insns shows the longest first.";

int cmd_boot(int argc, char **argv)
{
	static const struct ask_command boot = {
		.question = "boot",
		.doc = doc,
		.args = "[FILE]",
		.takes = ASK_TABLE | ASK_FORMAT | ASK_SHARE,
	};

	return ask_command(&boot, argc, argv);
}
