// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark phases: which intervals of a thread are alike, and which may stand for all. As
 * text, the table of phases is followed by one line with the phase of each interval, and
 * by how well the SimPoints represent the run.
 *
 * The vectors of the intervals (SimPoint's .bb) have all blocks of each interval. They
 * are not kept: a callback writes them while the phases are computed, so their file is
 * opened before the analysis and the others after it.
 *
 * Example: `phases --simpoint run` writes run.bb, then run.simpoints and run.weights.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/shell.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/formats.h"
#include "cli/fresh_file.h"
#include "export/phases_format.h"
#include "out/number.h"
#include "query/questions/phases.h"

static const char doc[] =
	"Find the phases of a thread of FILE (waymark.wmk): intervals that run the same "
	"blocks equally often, and SimPoints, the intervals that stand for each. Several FILEs "
	"have phases in common."
	"\vN of instructions may end with k, M or G. The table is text or csv. JSON has all "
	"there is: labels of intervals, similarity matrix, scatter of the hottest blocks. ";

enum {
	OPTION_INTERVAL = 256,
	OPTION_SIMPOINT,
	OPTION_FORMAT,
	OPTION_BY = 'b',
	OPTION_PHASES = 'k',
};
/* The most classes of instructions that the second table compares. */
enum { MIX_ROWS = 20 };

static const struct argp_option options[] = {
	{ "by", OPTION_BY, "WHAT", 0,
	  "phase; trace: the phases of each FILE, with their weights in it (phase)", 0 },
	{ "interval", OPTION_INTERVAL, "N", 0, "Intervals of N instructions (10M)", 0 },
	{ "phases", OPTION_PHASES, "K", 0,
	  "K phases at most (30, or the square root of the intervals when that is less)",
	  0 },
	{ "format", OPTION_FORMAT, "FORMAT", 0, "text, csv, or one of the formats below",
	  0 },
	{ "simpoint", OPTION_SIMPOINT, "PREFIX", 0,
	  "Write PREFIX.bb, PREFIX.simpoints and PREFIX.weights, as SimPoint has them",
	  0 },
	{ 0 },
};

struct arguments {
	const char *simpoint;
	const struct phases_format *format; /* NULL: the table */
	bool by_trace;
	bool several; /* traces, whose intervals have common phases */
};

enum mix_column { CLASS, WHOLE, ESTIMATE, ERROR, MIX_COLUMNS };

static const struct table_column mix_columns[MIX_COLUMNS] = {
	[CLASS] = { "class", TABLE_TEXT, false },
	[WHOLE] = { "whole", TABLE_SHARE, false },
	[ESTIMATE] = { "estimate", TABLE_SHARE, false },
	[ERROR] = { "error", TABLE_SHARE, false },
};

/* Of several traces there is a table. */
static void settle_files(struct ask *ask, struct argp_state *state)
{
	struct arguments *args = ask->cookie;

	args->several = ask->n_files > 1 || args->by_trace;
	/* This question has traces of its own: see its option "with". */
	ask->query.traces = TRACES_ONE;
	for (size_t i = 1; i < ask->n_files; i++)
		ask_set_or_end(ask, "with", ask->files[i], NULL, state);
	if (args->several && (args->simpoint || args->format))
		argp_error(state,
			   "that format is of one FILE: of several there is a table");
}

static error_t parse(struct ask *ask, int key, char *arg, struct argp_state *state)
{
	struct arguments *args = ask->cookie;

	switch (key) {
	case OPTION_BY:
		args->by_trace = !strcmp(arg, "trace");
		ask_set_or_end(ask, "by", arg, "--by", state);
		return 0;
	case OPTION_SIMPOINT:
		args->simpoint = arg;
		return 0;
	case OPTION_FORMAT:
		/* The table has no JSON here: "json" is the format with everything. */
		args->format = (const struct phases_format *)format_or_table_or_end(
			arg, FORMAT_PHASES, TABLE_AS_CSV + 1, &ask->format, state);
		return 0;
	/*
	 * The analysis has one callback for vectors, so only one of the two can have it.
	 */
	case ARGP_KEY_SUCCESS:
		settle_files(ask, state);
		if (args->simpoint && args->format && args->format->vector)
			argp_error(state, "--simpoint writes the vectors, too");
		/* Nor does merge write them: the name would be that of a state's maker. */
		if (args->simpoint && share_options_is_on(&ask->shared))
			argp_error(
				state,
				"a part of an answer cannot write --simpoint: ask with "
				"--format bb, simpoints and weights");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- SimPoint's files ---------------------------------------------------- */

/*
 * Opens PREFIX.EXTENSION, which replaces an older file only when it is complete. *path is
 * the caller's to free once the file is closed.
 */
static int open_file(struct fresh_file *file, char **path, const char *prefix,
		     const struct phases_format *format, struct wm_error *err)
{
	int ret;

	if (asprintf(path, "%s.%s", prefix, format->format.extension) < 0)
		return wm_fail_nomem(err, "a file's name");
	ret = fresh_file_open(file, *path, err);
	if (ret)
		free(*path);
	return ret;
}

/* Gets each interval's blocks; a failed write ends the analysis. */
static int put_vector(void *cookie, const struct bbv *bbv, struct wm_error *err)
{
	const struct fresh_file *file = cookie;

	phases_bb.vector(file->out, bbv);
	return ferror(file->out) ? wm_fail_write(err, file->path) : 0;
}

/* Writes the vectors of a format to stdout, whose failures are reported at exit. */
static int print_vector(void *cookie, const struct bbv *bbv, struct wm_error *err)
{
	const struct phases_format *format = cookie;

	(void)err;
	format->vector(stdout, bbv);
	return 0;
}

/* Writes one of the files that need the complete answer. */
static int put_file(const char *prefix, const struct phases_format *format,
		    const struct phases_picture *picture, struct wm_error *err)
{
	struct fresh_file file;
	char *path;
	int ret = open_file(&file, &path, prefix, format, err);

	if (ret)
		return ret;
	format->write(file.out, picture);
	ret = fresh_file_keep(&file, err);
	free(path);
	return ret;
}

/* What formats need of an answer; all of it stays the answer's. */
static struct phases_picture picture_of(const struct phases_answer *answer)
{
	return (struct phases_picture){
		.trace = answer->query->source.trace,
		.functions = answer->query->functions,
		.stream = answer->query->streams[0],
		.phases = &answer->phases,
		.estimate = &answer->estimate,
	};
}

static int put_files(const char *prefix, const struct phases_answer *answer,
		     struct wm_error *err)
{
	struct phases_picture picture = picture_of(answer);
	int ret = put_file(prefix, &phases_simpoints, &picture, err);

	return ret ? ret : put_file(prefix, &phases_weights, &picture, err);
}

/* ---- what is printed ----------------------------------------------------- */

/*
 * The phase of each interval as one character, on one line of at most WIDTH. With more
 * intervals than that, every step-th is shown: 200 intervals have step 3 and 67
 * characters.
 */
static void put_timeline(const struct phases *phases)
{
	static const char letters[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	enum { WIDTH = 72 };
	size_t step = (phases->n + WIDTH - 1) / WIDTH;

	printf("\n");
	for (size_t i = 0; i < phases->n; i += step) {
		uint32_t label = phases->simpoints.clusters.labels[i];

		/* 62 phases have a character; the default limit is 30. */
		putchar(label < sizeof(letters) - 1 ? letters[label] : '+');
	}
	printf("\n");
	if (step > 1)
		printf("(one of %zu intervals each)\n", step);
}

/* The error is an absolute difference, so that the column sorts by its size. */
static void fill_mix(struct table *table, const struct estimate *estimate)
{
	for (size_t i = 0; i < estimate->n_mix; i++) {
		const struct estimate_mix *mix = &estimate->mix[i];

		table_row(table);
		table_text(table, CLASS, mix->name);
		table_real(table, WHOLE, mix->whole);
		table_real(table, ESTIMATE, mix->estimated);
		table_real(table, ERROR,
			   mix->estimated > mix->whole ? mix->estimated - mix->whole :
							 mix->whole - mix->estimated);
	}
}

/*
 * A second table on the same page: it has columns of its own, so it does not go through
 * the query.
 */
static int put_mix(const struct estimate *estimate, struct wm_error *err)
{
	static const struct table_view wanted = { .rows = MIX_ROWS };
	struct table_writer writer;
	struct table table;
	struct view view;
	int ret;

	/* Never CSV: a CSV file has one table. */
	table_writer_init(&writer, TABLE_AS_TEXT, stdout, false);
	view_init(&view, &wanted, &writer.sink);
	table_begin(&table, mix_columns, MIX_COLUMNS, &view.sink);
	fill_mix(&table, estimate);
	ret = table_end(&table, 0, err);
	view_fini(&view);
	table_writer_fini(&writer);
	return ret;
}

/* A SimPoint needs no second run: it is cut out of the trace. */
static void put_cut(const struct query *query, const struct phases *phases)
{
	uint64_t from =
		phases->from + phases->simpoints.points[0].interval * phases->interval;

	struct buf file = BUF_INIT;

	shell_put_word(&file, query->scope.file);
	if (!file.failed)
		printf("\nThe first SimPoint as a trace: waymark cut %.*s --thread %u "
		       "--from %" PRIu64 " --to %" PRIu64 " -o simpoint.wmk\n",
		       (int)file.len, (const char *)file.data,
		       query->selection.streams[0], from, from + phases->interval);
	buf_fini(&file);
}

static int put_text(struct ask *ask, struct phases_answer *answer, struct wm_error *err)
{
	const struct phases *phases = &answer->phases;
	const struct estimate *estimate = &answer->estimate;
	char insns[NUMBER_TEXT], interval[NUMBER_TEXT];
	/* The table of phases comes first; the rest explains it. */
	int ret = ask_print_rows(ask, phases_answer_fill, answer, err);

	if (ret)
		return ret;
	put_timeline(phases);
	printf("\n%s instructions, %zu interval%s of %s\n",
	       number_grouped(insns, phases->insns), phases->n, phases->n == 1 ? "" : "s",
	       number_grouped(interval, phases->interval));
	printf("SimPoints against the whole run: blocks off by %.2f%%, instructions by "
	       "%.2f%%\n\n",
	       100 * estimate->blocks_error, 100 * estimate->mix_error);
	ret = put_mix(estimate, err);
	if (!ret)
		put_cut(&ask->query, phases);
	return ret;
}

/*
 * A format that has only vectors was written during the analysis; nothing is left to do.
 */
static int print(struct ask *ask, struct phases_answer *answer, struct wm_error *err)
{
	const struct arguments *args = ask->cookie;
	struct phases_picture picture = picture_of(answer);

	if (!args->format)
		return ask->format == TABLE_AS_CSV ?
			       ask_print_rows(ask, phases_answer_fill, answer, err) :
			       put_text(ask, answer, err);
	watch_end(&ask->watch);
	if (args->format->write)
		args->format->write(stdout, &picture);
	return 0;
}

/*
 * Computes the phases and writes the vectors of the intervals meanwhile. After an error
 * no file remains, not even a partial one.
 */
static int find_with_vectors(struct ask *ask, struct phases_answer *answer,
			     const char *prefix, struct wm_error *err)
{
	struct fresh_file file;
	char *path;
	int ret = open_file(&file, &path, prefix, &phases_bb, err);

	/* Before the analysis, because the vectors are not kept. */
	if (ret)
		return ret;
	ret = phases_answer_find(answer, &ask->query, put_vector, &file, err);
	if (ret) {
		/* An older file stays. */
		fresh_file_drop(&file);
	} else {
		ret = fresh_file_keep(&file, err);
		if (!ret)
			ret = put_files(prefix, answer, err);
		if (ret)
			phases_answer_fini(answer);
	}
	free(path);
	return ret;
}

static int find(struct ask *ask, struct phases_answer *answer, struct wm_error *err)
{
	const struct arguments *args = ask->cookie;

	/*
	 * --simpoint and a format with vectors exclude each other: parse() has checked
	 * that.
	 */
	if (args->simpoint)
		return find_with_vectors(ask, answer, args->simpoint, err);
	if (args->format && args->format->vector)
		return phases_answer_find(answer, &ask->query, print_vector,
					  (void *)args->format, err);
	/* The table needs no vectors. */
	return phases_answer_find(answer, &ask->query, NULL, NULL, err);
}

static int answer(struct ask *ask, struct wm_error *err)
{
	const struct arguments *args = ask->cookie;
	struct phases_answer answer;
	int ret;

	if (args->several)
		return ask_print(ask, err);
	ret = find(ask, &answer, err);
	if (ret)
		return ret;
	ret = print(ask, &answer, err);
	phases_answer_fini(&answer);
	return ret;
}

int cmd_phases(int argc, char **argv)
{
	const struct ask_command phases = {
		.question = "phases",
		.doc = formats_help(doc, FORMAT_PHASES),
		.args = "[FILE...]",
		.takes = ASK_TABLE | ASK_SHARE | ASK_SEVERAL,
		.options = options,
		.parse = parse,
	};
	struct arguments args = { .simpoint = NULL };
	struct ask ask;
	int status;

	ask_parse(&ask, &phases, &args, argc, argv);
	status = ask_run(&ask, answer);
	ask_fini(&ask);
	return status;
}
