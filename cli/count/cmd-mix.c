// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark mix: how many instructions of each kind ran, as a table of the question "mix"
 * (query/questions/mix.c). The options have the names of the question's options, which
 * checks their values, so the command has no parser of its own.
 */
#include "cli/ask.h"
#include "cli/command.h"

static const char doc[] =
	"Count the instructions of each kind that ran in all of the FILEs (waymark.wmk) together."
	"\vFor programs of other ISAs than RISC-V, DIVISION is mnemonic or size. Sizes are in "
	"bytes. N counts the instructions of each thread. GROUP is function or interval.";

enum { OPTION_PER = 256 + 100, OPTION_INTERVAL };

static const struct argp_option options[] = {
	{ "by", 'b', "DIVISION", 0,
	  "Count by class, mnemonic, extension, size or register (class); trace: for each "
	  "FILE alone",
	  0 },
	{ "per", OPTION_PER, "GROUP", 0,
	  "A count for each function, or for each interval", 0 },
	{ "interval", OPTION_INTERVAL, "N", 0,
	  "A count for each interval of N instructions (10M)", 0 },
	{ 0 },
};

int cmd_mix(int argc, char **argv)
{
	static const struct ask_command mix = {
		.question = "mix",
		.doc = doc,
		.args = "[FILE...]",
		.takes = ASK_FUNCTION | ASK_TABLE | ASK_SHARE | ASK_SEVERAL | ASK_FORMAT,
		.options = options,
	};

	return ask_command(&mix, argc, argv);
}
