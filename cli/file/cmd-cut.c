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

/*
 * Such as "instructions 1,000 to 1,999 of thread 2 of run.wmk", or "parts of 12 threads of
 * boot.wmk"; the caller's. `part` is the first one.
 */
static char *describe(const struct query *query, const struct cut_part *part)
{
	const struct selection *selection = &query->selection;
	char insns[100] = "all", of[40] = "all threads", *what;
	char from[NUMBER_TEXT], to[NUMBER_TEXT];

	number_grouped(from, part->from);
	if (selection->excerpts && selection->n > 1)
		snprintf(insns, sizeof(insns), "parts");
	else if (part->to != UINT64_MAX)
		snprintf(insns, sizeof(insns), "instructions %s to %s", from,
			 number_grouped(to, part->to - 1));
	else if (part->from)
		snprintf(insns, sizeof(insns), "from instruction %s on", from);
	if (selection->n == 1)
		snprintf(of, sizeof(of), "thread %u", part->stream);
	else if (query->scope.thread || query->scope.process || query->scope.pid)
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

/* The first instruction at or behind a block of a thread; UINT64_MAX: the thread ends before it. */
static int insn_of(uint64_t *insn, const struct wm_trace *trace, unsigned stream,
		   uint64_t block, struct wm_error *err)
{
	struct wm_cursor *cursor;
	struct wm_step step = { .insn_ordinal = UINT64_MAX };
	int ret = wm_cursor_new(&cursor, trace, stream, err);

	if (ret)
		return ret;
	ret = wm_cursor_seek_block(cursor, block, err);
	if (!ret)
		ret = wm_cursor_next_insn(cursor, &step, err);
	wm_cursor_free(cursor);
	*insn = ret ? UINT64_MAX : step.insn_ordinal;
	return ret == WM_END ? 0 : ret;
}

/* Leaves of a thread's part what is in its only excerpt. */
static int narrow(struct cut_part *part, const struct wm_trace *trace,
		  const struct excerpts *excerpts, struct wm_error *err)
{
	uint64_t from, to;
	int ret;

	if (excerpts->n != 1)
		return wm_fail(
			err, WM_E_RANGE, 0,
			"thread %u ran what is selected in %zu pieces, and a part has a "
			"thread from one place to another: choose that by --from and --to, "
			"or a process only",
			part->stream, excerpts->n);
	ret = insn_of(&from, trace, part->stream, excerpts->all[0].from, err);
	if (!ret)
		ret = insn_of(&to, trace, part->stream, excerpts->all[0].to, err);
	if (ret)
		return ret;
	part->from = part->from > from ? part->from : from;
	part->to = part->to < to ? part->to : to;
	return 0;
}

/* Places are of one thread only, so --from and --to are the same for all. */
static int find_parts(struct cut_part *parts, const struct query *query,
		      struct wm_error *err)
{
	const struct selection *selection = &query->selection;
	int ret = 0;

	for (unsigned i = 0; !ret && i < selection->n; i++) {
		unsigned stream = selection->streams[i];

		parts[i] = (struct cut_part){ stream, selection->from, selection->to };
		if (selection->excerpts)
			ret = narrow(&parts[i], query->source.trace,
				     &selection->excerpts[stream], err);
	}
	return ret;
}

static int cut_query(const struct arguments *args, struct cut_sums *sums,
		     struct wm_error *err)
{
	const struct query *query = &args->query;
	struct cut_part *parts = calloc(query->selection.n + 1ul, sizeof(*parts));
	struct cut cut = {
		.trace = query->source.trace,
		.file = query->scope.file,
		.parts = parts,
		.n = query->selection.n,
	};
	int ret = parts ? find_parts(parts, query, err) : wm_fail_nomem(err, "a part");

	if (!ret) {
		cut.what = describe(query, parts);
		ret = cut.what ? cut_write(&cut, args->output, sums, err) :
				 wm_fail_nomem(err, "a part");
	}
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
