// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark cache: what caches miss, as a table of the question "cache"
 * (query/questions/cache.c), and with --cachegrind also as a file for cg_annotate. Both
 * are made from one answer, so the simulation runs once.
 *
 * The options have the names of the question's options, which checks their values. Only
 * --cachegrind is the command's own, because a question writes no files.
 */
#include <stdlib.h>

#include "cli/ask.h"
#include "cli/command.h"
#include "cli/fresh_file.h"
#include "export/cachegrind.h"
#include "query/questions/cache.h"

static const char doc[] =
	"Tell what caches miss when they are fed with the accesses in FILE (waymark.wmk), or "
	"in each of several: by function, line of source, object, method or level. `waymark record --mem` "
	"records them."
	"\vSPEC is SIZE,WAYS,LINE and then words: plru, random, through, next-line, stride; "
	"such as 32k,8,64,plru. Each thread has caches of its own and is one job; a last cache that "
	"they share makes them one. `waymark "
	"help cache` explains the caches and the columns.";

/* parse() has a case for the last key; the other options are passed on by their names. */
enum {
	OPTION_MODEL = 512,
	OPTION_INTERVAL,
	OPTION_SHARED_LLC,
	OPTION_L1I,
	OPTION_L1D,
	OPTION_L2,
	OPTION_LLC,
	OPTION_CACHEGRIND,
};

static const struct argp_option options[] = {
	{ "by", 'b', "WHAT", 0,
	  "function, line, object, level or interval (function); of a managed program method or source; trace: a row for each FILE",
	  0 },
	{ "model", OPTION_MODEL, "NAME", 0,
	  "The caches of a processor: generic, u74, c910, cortex-a53, cortex-a72, skylake, "
	  "zen2, zen3 (generic)",
	  0 },
	{ "interval", OPTION_INTERVAL, "N", 0,
	  "By interval, of N instructions of each thread (10M)", 0 },
	{ "shared-llc", OPTION_SHARED_LLC, NULL, 0,
	  "One last cache for all selected threads", 0 },
	{ "l1i", OPTION_L1I, "SPEC", 0, "The first cache of code", 0 },
	{ "l1d", OPTION_L1D, "SPEC", 0, "The first cache of data", 0 },
	{ "l2", OPTION_L2, "SPEC", 0, "The second cache, or none", 0 },
	{ "llc", OPTION_LLC, "SPEC", 0, "The last cache, or none", 0 },
	{ "cachegrind", OPTION_CACHEGRIND, "FILE", 0,
	  "Also write FILE as cachegrind does, for cg_annotate", 0 },
	{ 0 },
};

/*
 * The cookie of struct ask points to the name of the file. Other options are passed on to
 * the question by their names.
 */
static error_t parse(struct ask *ask, int key, char *arg, struct argp_state *state)
{
	const char **path = ask->cookie;

	if (key == OPTION_CACHEGRIND)
		*path = arg;
	else if (key == ARGP_KEY_SUCCESS && *path && ask_is_several(ask))
		argp_error(state, "--cachegrind is of one FILE");
	else if (key == ARGP_KEY_SUCCESS && *path &&
		 (cache_by_of(&ask->query) == CACHE_METHOD ||
		  cache_by_of(&ask->query) == CACHE_SOURCE))
		argp_error(state, "--cachegrind has functions and lines, no methods");
	else if (key == ARGP_KEY_SUCCESS && *path && share_options_is_on(&ask->shared))
		argp_error(state, "a part of an answer cannot write --cachegrind");
	return key == OPTION_CACHEGRIND ? 0 : ARGP_ERR_UNKNOWN;
}

/* The file appears complete or not at all; on an error an existing one stays. */
static int write_file(const char *path, const struct cache_answer *answer,
		      struct wm_error *err)
{
	struct fresh_file file;
	int ret = fresh_file_open(&file, path, err);

	if (ret)
		return ret;
	ret = cachegrind_write(file.out, &answer->counted, &answer->profile,
			       &answer->spec, err);
	if (!ret)
		return fresh_file_keep(&file, err);
	fresh_file_drop(&file);
	return ret;
}

/* Called by ask_run() while the trace is open. */
static int answer(struct ask *ask, struct wm_error *err)
{
	const char *path = *(const char **)ask->cookie;
	struct cache_answer answer;
	int ret = cache_answer_find(&answer, &ask->query, err);

	if (ret)
		return ret;
	/* The table comes last: when the file cannot be written, stdout stays empty. */
	if (path)
		ret = write_file(path, &answer, err);
	if (!ret)
		ret = ask_print_rows(ask, cache_answer_fill, &answer, err);
	cache_answer_fini(&answer);
	return ret;
}

int cmd_cache(int argc, char **argv)
{
	static const struct ask_command cache = {
		.question = "cache",
		.doc = doc,
		.args = "[FILE...]",
		.takes = ASK_FUNCTION | ASK_TABLE | ASK_FORMAT | ASK_SEVERAL | ASK_SHARE,
		.options = options,
		.parse = parse,
	};
	const char *path = NULL;
	struct ask ask;
	int status;

	ask_parse(&ask, &cache, &path, argc, argv);
	status = ask_run(&ask, answer);
	ask_fini(&ask);
	return status;
}
