// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark bpred: which branches a predictor would have missed, as a table of the question
 * "bpred" (query/questions/bpred.c). The names of the options are those of the question,
 * which checks their values, so this file only describes them.
 *
 * Example: `bpred --predictor gshare,history=8 --by branch` sets the question's options
 * "predictor" and "by".
 */
#include "cli/ask.h"
#include "cli/command.h"

static const char doc[] =
	"Tell which branches in FILE (waymark.wmk) a branch predictor would have missed: by "
	"function, branch or kind, the most first."
	"\vNAME is bimodal, gshare or tage; each has sizes of its own, such as "
	"gshare,entries=4096,history=12. Each thread has predictors of its own and is one "
	"job: with -j, threads are computed side by side. `waymark help bpred` explains the "
	"predictors and the columns.";

enum { OPTION_PREDICTOR = 512, OPTION_BTB, OPTION_RETURNS };

static const struct argp_option options[] = {
	{ "by", 'b', "WHAT", 0, "function, branch or kind (function)", 0 },
	{ "predictor", OPTION_PREDICTOR, "NAME[,KEY=N...]", 0,
	  "Of conditional branches (tage)", 0 },
	{ "btb", OPTION_BTB, "KEY=N[,KEY=N...]", 0,
	  "Of indirect jumps and calls (entries=1024,ways=4,path=0)", 0 },
	{ "returns", OPTION_RETURNS, "N", 0,
	  "Entries of the stack of return addresses (16)", 0 },
	{ 0 },
};

int cmd_bpred(int argc, char **argv)
{
	static const struct ask_command bpred = {
		.question = "bpred",
		.doc = doc,
		.args = "[FILE]",
		.takes = ASK_FUNCTION | ASK_TABLE | ASK_FORMAT | ASK_SHARE,
		.options = options,
	};

	return ask_command(&bpred, argc, argv);
}
