// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark info: what a trace contains. All figures come from the section headers, the
 * metadata, and the histograms of the chunks. No chunk is decoded, so the time grows with
 * the number of chunks and modules and not with the number of instructions.
 *
 * Everything that can fail happens before the first line of output: otherwise the pager
 * would show an error below half an answer.
 */
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/file/info.h"
#include "cli/habits.h"
#include "cli/options.h"
#include "cli/pager.h"
#include "program/elf/search.h"

static const char doc[] = "Print what FILE (waymark.wmk) contains.";

enum { OPTION_SYMFS = 256 };

struct arguments {
	const char *file;
	enum fact_format format;
	const char *symfs;
};

static const struct argp_option options[] = {
	{ "symfs", OPTION_SYMFS, "DIR", 0, "Look for the program's files below DIR, too",
	  0 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	if (key == OPTION_SYMFS) {
		args->symfs = option_symfs(state, arg);
		return 0;
	}
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = &args->file;
	state->child_inputs[1] = &args->format;
	return 0;
}

static void info_fini(struct info *info)
{
	files_free(info->files);
	runtimes_fini(&info->runtimes);
	visits_fini(&info->visits);
	gaps_fini(&info->gaps);
}

/* Counts everything that can fail, into *info, which is zeros but for its trace. */
static int info_collect(struct info *info, struct wm_error *err)
{
	int ret;

	wm_trace_summary(info->trace, &info->summary);
	ret = info_count_harts(info, err);
	if (!ret)
		ret = gaps_count(&info->gaps, info->trace, err);
	if (!ret)
		ret = visits_find(&info->visits, info->trace, err);
	if (!ret)
		ret = runtimes_read(&info->runtimes, info->trace, err);
	return ret ? ret : files_new(&info->files, info->trace, err);
}

/* --symfs must be set before the first search for a file. */
int cmd_info(int argc, char **argv)
{
	static const struct argp_child children[] = { { &file_argp, 0, NULL, 0 },
						      { &facts_argp, 0, NULL, 0 },
						      { 0 } };
	static const struct argp argp = { options,  parse, "[FILE]", doc,
					  children, NULL,  NULL };
	struct arguments args = { .file = NULL };
	struct wm_trace *trace;
	struct wm_error err;
	struct info info = { .files = NULL };

	command_parse(&argp, argc, argv, 0, &args);
	if (wm_trace_open(&trace, args.file, &err))
		return fail_on(args.file, &err);
	info.trace = trace;
	elf_search_below(args.symfs);
	if (info_collect(&info, &err)) {
		info_fini(&info);
		wm_trace_close(trace);
		return fail_on(args.file, &err);
	}
	/* Nothing fails from here on. */
	pager_start();
	if (args.format == FACTS_AS_JSON)
		info_print_json(&info);
	else
		info_print_text(&info);
	info_fini(&info);
	wm_trace_close(trace);
	return EXIT_OK;
}
