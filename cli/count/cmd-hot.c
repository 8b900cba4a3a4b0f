// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark hot: where the instructions of a run were executed, as a table of the question
 * "hot" (query/questions/hot.c). The command only declares its options, which are passed
 * on by their long names; everything else is common to all questions (cli/ask.c). A
 * command for a new question can begin as a copy of this file.
 */
#include "cli/ask.h"
#include "cli/command.h"

static const char doc[] =
	"Count where the instructions in all of the FILEs (waymark.wmk) together were executed: "
	"by function, block, line of source or loop, and of managed programs by method, bytecode "
	"or line, the most first."
	"\vCounts are exact. `waymark help hot` explains the columns.";

enum { OPTION_NO_INLINE = 2048 };

static const struct argp_option options[] = {
	{ "by", 'b', "WHAT", 0,
	  "function, block, line, loop, method, bytecode or source (function); trace: a row for each FILE",
	  0 },
	{ "no-inline", OPTION_NO_INLINE, NULL, 0,
	  "Count inlined functions in those that they were inlined into", 0 },
	{ 0 },
};

int cmd_hot(int argc, char **argv)
{
	static const struct ask_command hot = {
		.question = "hot",
		.doc = doc,
		.args = "[FILE...]",
		.takes = ASK_FUNCTION | ASK_TABLE | ASK_SHARE | ASK_SEVERAL | ASK_FORMAT,
		.options = options,
	};

	return ask_command(&hot, argc, argv);
}
