// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark recover: makes a complete file of one that a killed recorder, a full disk or a
 * broken copy left, and reports what is lost. The damaged file is not changed, except
 * with --in-place, which only completes its end.
 *
 * The exit status shows whether there is a usable trace now: 0 for a recovered file and
 * for one that needs nothing, 1 when no trace can be made of the file, 2 for an error
 * such as a full disk.
 */
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/file/damage.h"
#include "cli/habits.h"
#include "cli/options.h"
#include "cli/signals.h"
#include "format/writer.h"
#include "out/number.h"
#include "program/elf/search.h"
#include "trace/recover.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>

static const char doc[] =
	"Make a complete trace of FILE (waymark.wmk), which has lost its end or is damaged, "
	"with all that is intact.";

/* PLACES_MAX keeps the report of a badly damaged file on one screen. */
enum { OPTION_IN_PLACE = 256, OPTION_SYMFS, PLACES_MAX = 20 };

static const struct argp_option options[] = {
	{ "output", 'o', "OUT", 0, "Write the trace there (FILE.recovered)", 0 },
	{ "in-place", OPTION_IN_PLACE, NULL, 0,
	  "Finish FILE itself, when nothing but its end is damaged", 0 },
	{ "symfs", OPTION_SYMFS, "DIR", 0,
	  "Look below DIR, too, for files with code that the trace has not", 0 },
	{ 0 },
};

struct arguments {
	const char *file, *output;
	bool in_place;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->file;
		return 0;
	case 'o':
		args->output = arg;
		return 0;
	case OPTION_IN_PLACE:
		args->in_place = true;
		return 0;
	case OPTION_SYMFS:
		elf_search_below(option_symfs(state, arg));
		return 0;
	case ARGP_KEY_END:
		/* Completing the file in place makes no other file. */
		if (args->in_place && args->output)
			argp_error(state, "either --in-place or --output");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The figures are those of the new file: what was kept. */
static int report(const char *file, const char *output, const struct salvage *salvage)
{
	char chunks[NUMBER_TEXT], blocks[NUMBER_TEXT], insns[NUMBER_TEXT];
	const struct wm_check *kept = &salvage->kept;

	damage_print(file, salvage, PLACES_MAX);
	printf("%s: recovered: %s %s, %s blocks, %s instructions\n", output,
	       number_grouped(chunks, kept->chunks),
	       kept->chunks == 1 ? "chunk" : "chunks",
	       number_grouped(blocks, kept->blocks), number_grouped(insns, kept->insns));
	return EXIT_OK;
}

/*
 * `output` is NULL with --in-place. trace_recover() returns WM_END when nothing is
 * damaged; it leaves no salvage when the file has nothing that could be kept.
 */
static int recover(const char *file, const char *output)
{
	struct salvage *salvage;
	struct wm_error err;
	int ret = trace_recover(&salvage, file, output, &err);

	if (ret == WM_END) {
		printf("%s: nothing is damaged, there is nothing to recover\n", file);
		ret = EXIT_OK;
	} else if (ret) {
		/* An unrecoverable file is an answer; everything else is an error. */
		fail_on(file, &err);
		ret = !salvage && (ret == WM_E_DAMAGED || ret == WM_E_FORMAT) ?
			      EXIT_DIFFERS :
			      EXIT_ERROR;
	} else {
		ret = report(file, output ? output : file, salvage);
	}
	salvage_close(salvage);
	return ret;
}

int cmd_recover(int argc, char **argv)
{
	static const struct argp_child children[] = { { &file_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = { options,  parse, "[FILE]", doc,
					  children, NULL,  NULL };
	struct arguments args = { 0 };
	char *beside = NULL;
	int ret;

	command_parse(&argp, argc, argv, 0, &args);
	signals_tidy(writer_remove_unpublished);
	/* The default output lies beside the damaged file, which is kept. */
	if (!args.output && !args.in_place) {
		if (asprintf(&beside, "%s.recovered", args.file) < 0)
			return fail("out of memory");
		args.output = beside;
	}
	ret = recover(args.file, args.output);
	free(beside);
	return ret;
}
