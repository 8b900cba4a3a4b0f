// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark cut: a part of a trace as a trace of its own. The part is what a query selects:
 * threads, and in each of them instructions from one place to another. cut/cut.h does the
 * rest.
 */
#include "base/error.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/habits.h"
#include "cli/options.h"
#include "cli/signals.h"
#include "cli/watch.h"
#include "cut/cut.h"
#include "format/writer.h"
#include "out/number.h"
#include "query/query.h"

#include <stdio.h>
#include <stdlib.h>

static const char doc[] =
	"Write a part of FILE (waymark.wmk) to a trace of its own: instructions of a thread "
	"from one place to another, or whole threads."
	"\vWhere a part begins and ends is what --from and --to of other commands take: "
	"numbers, or places such as work@10. What is recorded beside the path, and the names "
	"of code, are in the new trace, too.";

static const struct argp_option options[] = {
	{ "output", 'o', "PART", 0, "Write the trace there (part.wmk)", 0 },
	{ 0 },
};

struct arguments {
	struct query query;
	const char *output;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->query.scope;
		return 0;
	case 'o':
		args->output = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Such as "instructions 1,000 to 1,999 of thread 2 of run.wmk"; the caller's. */
static char *describe(const struct query *query)
{
	const struct selection *selection = &query->selection;
	char insns[100] = "all", of[40] = "all threads", *what;
	char from[NUMBER_TEXT], to[NUMBER_TEXT];

	number_grouped(from, selection->from);
	if (selection->to != UINT64_MAX)
		snprintf(insns, sizeof(insns), "instructions %s to %s", from,
			 number_grouped(to, selection->to - 1));
	else if (selection->from)
		snprintf(insns, sizeof(insns), "from instruction %s on", from);
	if (selection->n == 1)
		snprintf(of, sizeof(of), "thread %u", selection->streams[0]);
	else if (query->scope.thread || query->scope.process)
		snprintf(of, sizeof(of), "%u threads", selection->n);
	return asprintf(&what, "%s of %s of %s", insns, of, query->scope.file) < 0 ?
		       NULL :
		       what;
}

static int report(const char *output, const struct cut_sums *sums)
{
	char chunks[NUMBER_TEXT], copied[NUMBER_TEXT], bytes[NUMBER_TEXT];

	number_bytes(bytes, sums->bytes);
	printf("%s: %u %s, %s %s, %s of them copied, %s\n", output, sums->streams,
	       sums->streams == 1 ? "thread" : "threads",
	       number_grouped(chunks, sums->chunks),
	       sums->chunks == 1 ? "chunk" : "chunks",
	       number_grouped(copied, sums->copied), bytes);
	return EXIT_OK;
}

/* All threads have the same bounds: places are of one thread only. */
static int cut_query(const struct arguments *args, struct cut_sums *sums,
		     struct wm_error *err)
{
	const struct query *query = &args->query;
	const struct selection *selection = &query->selection;
	struct cut_part *parts = calloc(selection->n + 1ul, sizeof(*parts));
	struct cut cut = {
		.trace = query->source.trace,
		.file = query->scope.file,
		.parts = parts,
		.n = selection->n,
		.what = describe(query),
	};
	int ret;

	if (selection->excerpts) {
		free(parts);
		free((char *)cut.what);
		return wm_fail(err, WM_E_RANGE, 0,
			       "a part has threads from one place to another; only for "
			       "whole ones can it be of a process, mode or hart");
	}
	for (unsigned i = 0; parts && i < selection->n; i++)
		parts[i] = (struct cut_part){ selection->streams[i], selection->from,
					      selection->to };
	ret = parts && cut.what ? cut_write(&cut, args->output, sums, err) :
				  wm_fail_nomem(err, "a part");
	free(parts);
	free((char *)cut.what);
	return ret;
}

int cmd_cut(int argc, char **argv)
{
	static const struct argp_child children[] = { { &scope_argp, 0, NULL, 0 },
						      { 0 } };
	static const struct argp argp = { options,  parse, "[FILE]", doc,
					  children, NULL,  NULL };
	struct arguments args = { .output = "part.wmk" };
	struct cut_sums sums;
	struct wm_error err;
	int ret;

	query_init(&args.query, NULL, &watch_warnings);
	command_parse(&argp, argc, argv, 0, &args);
	signals_tidy(writer_remove_unpublished);
	ret = query_open(&args.query, &err);
	if (!ret) {
		ret = cut_query(&args, &sums, &err);
		query_close(&args.query);
	}
	query_fini(&args.query);
	return ret ? fail_on(ret == WM_E_OUTPUT ? args.output : args.query.scope.file,
			     &err) :
		     report(args.output, &sums);
}
