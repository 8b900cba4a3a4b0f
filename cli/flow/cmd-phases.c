// SPDX-License-Identifier: GPL-2.0-or-later
/* waymark phases: which parts of a run are alike, and which may stand for all. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/phases/estimate.h"
#include "analysis/phases/phases.h"
#include "base/error.h"
#include "cli/amount.h"
#include "cli/choice.h"
#include "cli/command.h"
#include "cli/formats.h"
#include "cli/fresh_file.h"
#include "cli/query.h"
#include "export/phases_format.h"
#include "out/number.h"
#include "query/threads.h"

static const char doc[] =
	"Find the phases of a thread of FILE (waymark.wmk): intervals that run the same "
	"blocks equally often, and SimPoints, the intervals that stand for each."
	"\vN of instructions may end with k, M or G. The table is text or csv. JSON has all "
	"there is: labels of intervals, similarity matrix, scatter of the hottest blocks. ";

enum { OPTION_INTERVAL = 256, OPTION_SIMPOINT, OPTION_FORMAT, OPTION_PHASES = 'k' };
enum { MIX_ROWS = 20, PHASES_MAX = 1000, INTERVAL_DEFAULT = 10000000 };

static const struct argp_option options[] = {
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
	struct query query;
	struct phases_options options;
	const char *simpoint;
	const struct phases_format *format; /* NULL: the table */
};

enum column { PHASE, SIMPOINT, FROM, INTERVALS, WEIGHT, FUNCTION, COLUMNS };

static const struct table_column columns[COLUMNS] = {
	[PHASE] = { "phase", "phase", TABLE_COUNT, false },
	[SIMPOINT] = { "simpoint", "SimPoint", TABLE_COUNT, false },
	[FROM] = { "from", "from", TABLE_COUNT, false },
	[INTERVALS] = { "intervals", "intervals", TABLE_COUNT, false },
	[WEIGHT] = { "weight", "weight", TABLE_SHARE, false },
	[FUNCTION] = { "function", "mostly in", TABLE_TEXT, false },
};

enum mix_column { CLASS, WHOLE, ESTIMATE, ERROR, MIX_COLUMNS };

static const struct table_column mix_columns[MIX_COLUMNS] = {
	[CLASS] = { "class", "instructions", TABLE_TEXT, false },
	[WHOLE] = { "whole", "whole run", TABLE_SHARE, false },
	[ESTIMATE] = { "estimate", "SimPoints", TABLE_SHARE, false },
	[ERROR] = { "error", "off by", TABLE_SHARE, false },
};

/* A table's format, or one of the registry. */
static void choose_format(struct arguments *args, const char *arg,
			  struct argp_state *state)
{
	const char *names[2 + FORMAT_NAMES_MAX] = { table_formats[TABLE_AS_TEXT],
						    table_formats[TABLE_AS_CSV] };
	unsigned choice;

	format_names(FORMAT_PHASES, names + 2);
	choice = choice_or_end(arg, "format", names, state);
	args->format =
		(const struct phases_format *)format_find(FORMAT_PHASES, names[choice]);
	args->query.view.format = args->format ? TABLE_AS_TEXT :
						 (enum table_format)choice;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->query;
		return 0;
	case OPTION_INTERVAL:
		args->options.interval =
			amount_or_end(arg, "--interval", 1, BBV_INTERVAL_MAX, state);
		return 0;
	case OPTION_PHASES:
		args->options.k_max =
			(unsigned)amount_or_end(arg, "--phases", 1, PHASES_MAX, state);
		return 0;
	case OPTION_SIMPOINT:
		args->simpoint = arg;
		return 0;
	case OPTION_FORMAT:
		choose_format(args, arg, state);
		return 0;
	case ARGP_KEY_SUCCESS:
		if (args->simpoint && args->format && args->format->vector)
			argp_error(state, "--simpoint writes the vectors, too");
		if (args->query.function)
			argp_error(state, "phases are of a thread, not of a --function");
		query_check_or_end(&args->query, columns, COLUMNS, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- SimPoint's files -------------------------------------------------------------------- */

/* Opens PREFIX.EXTENSION; *path is the caller's to free once the file is closed. */
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

static int put_vector(void *cookie, const struct bbv *bbv, struct wm_error *err)
{
	const struct fresh_file *file = cookie;

	phases_bb.vector(file->out, bbv);
	return ferror(file->out) ? wm_fail_write(err, file->path) : 0;
}

/* The same to stdout. */
static int print_vector(void *cookie, const struct bbv *bbv, struct wm_error *err)
{
	const struct phases_format *format = cookie;

	(void)err;
	format->vector(stdout, bbv);
	return 0;
}

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

/* ---- what is printed ---------------------------------------------------------------------- */

static void fill(struct table *table, const struct phases_picture *picture)
{
	const struct phases *phases = picture->phases;

	for (unsigned c = 0; c < phases->simpoints.clusters.k; c++) {
		const struct simpoint *point = &phases->simpoints.points[c];
		const struct function *function =
			phases_function(picture, picture->estimate->hottest[c]);

		table_row(table);
		table_count(table, PHASE, c);
		table_count(table, SIMPOINT, point->interval);
		table_count(table, FROM,
			    phases->from + point->interval * phases->interval);
		table_count(table, INTERVALS, point->size);
		table_real(table, WEIGHT, point->weight);
		table_text(table, FUNCTION, function ? function->name : NULL);
	}
}

static int put_table(struct query *query, const struct phases_picture *picture,
		     struct wm_error *err)
{
	struct table *table = table_new(columns, COLUMNS);

	if (table)
		fill(table, picture);
	return query_print(query, table, err);
}

/* The phases of all intervals on one line: of some together, the first one's. */
static void put_timeline(const struct phases *phases)
{
	static const char letters[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	enum { WIDTH = 72 };
	size_t step = (phases->n + WIDTH - 1) / WIDTH;

	printf("\n");
	for (size_t i = 0; i < phases->n; i += step) {
		uint32_t label = phases->simpoints.clusters.labels[i];

		putchar(label < sizeof(letters) - 1 ? letters[label] : '+');
	}
	printf("\n");
	if (step > 1)
		printf("(one of %zu intervals each)\n", step);
}

static int put_mix(const struct estimate *estimate, struct wm_error *err)
{
	struct table *table = table_new(mix_columns, MIX_COLUMNS);
	struct table_view view = { .rows = MIX_ROWS };
	int ret;

	if (!table)
		return wm_fail_nomem(err, "a table");
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
	ret = table_write(table, stdout, &view, err);
	table_free(table);
	return ret;
}

static int put_text(struct query *query, const struct phases_picture *picture,
		    struct wm_error *err)
{
	const struct phases *phases = picture->phases;
	char insns[NUMBER_TEXT], interval[NUMBER_TEXT];
	int ret = put_table(query, picture, err);

	if (ret)
		return ret;
	put_timeline(phases);
	printf("\n%s instructions, %zu interval%s of %s\n",
	       number_grouped(insns, phases->insns), phases->n, phases->n == 1 ? "" : "s",
	       number_grouped(interval, phases->interval));
	printf("SimPoints against the whole run: blocks off by %.2f%%, instructions by "
	       "%.2f%%\n\n",
	       100 * picture->estimate->blocks_error, 100 * picture->estimate->mix_error);
	return put_mix(picture->estimate, err);
}

static int print(struct arguments *args, const struct phases_picture *picture,
		 struct wm_error *err)
{
	struct query *query = &args->query;

	if (args->format) {
		query_done(query);
		if (args->format->write)
			args->format->write(stdout, picture);
		return 0;
	}
	if (query->view.format == TABLE_AS_CSV)
		return put_table(query, picture, err);
	return put_text(query, picture, err);
}

static int answer(struct arguments *args, const struct phases *phases,
		  struct wm_error *err)
{
	const struct query *query = &args->query;
	struct estimate estimate;
	struct phases_picture picture = { query->source.trace, query->functions,
					  query->streams[0], phases, &estimate };
	int ret = 0;

	if (args->simpoint)
		ret = put_file(args->simpoint, &phases_simpoints, &picture, err);
	if (!ret && args->simpoint)
		ret = put_file(args->simpoint, &phases_weights, &picture, err);
	if (!ret)
		ret = estimate_find(&estimate, phases, query->source.trace,
				    &query->selection, err);
	if (ret)
		return ret;
	ret = print(args, &picture, err);
	estimate_fini(&estimate);
	return ret;
}

/* Finds the phases, and writes the vectors of the intervals on the way. */
static int find_with_vectors(struct arguments *args, struct phases *phases,
			     struct wm_error *err)
{
	struct fresh_file file;
	char *path;
	int ret = open_file(&file, &path, args->simpoint, &phases_bb, err);

	if (ret)
		return ret;
	args->options.vector = put_vector;
	args->options.cookie = &file;
	ret = phases_find(phases, args->query.source.trace, &args->query.selection,
			  &args->options, err);
	if (ret) {
		fresh_file_drop(&file);
	} else {
		ret = fresh_file_keep(&file, err);
		if (ret)
			phases_fini(phases);
	}
	free(path);
	return ret;
}

static int find(void *arguments, struct wm_error *err)
{
	struct arguments *args = arguments;
	struct phases phases;
	int ret;

	query_longest(&args->query);
	if (args->format && args->format->vector) {
		args->options.vector = print_vector;
		args->options.cookie = (void *)args->format;
	}
	ret = args->simpoint ? find_with_vectors(args, &phases, err) :
			       phases_find(&phases, args->query.source.trace,
					   &args->query.selection, &args->options, err);
	if (ret)
		return ret;
	ret = answer(args, &phases, err);
	phases_fini(&phases);
	return ret;
}

int cmd_phases(int argc, char **argv)
{
	static const struct argp_child children[] = { { &query_table_argp, 0, NULL, 0 },
						      { 0 } };
	const char *help = formats_help(doc, FORMAT_PHASES);
	const struct argp argp = { options, parse, "[FILE]", help, children, NULL, NULL };
	struct arguments args = {
		.options.interval = INTERVAL_DEFAULT,
	};

	argp_parse(&argp, argc, argv, 0, NULL, &args);
	return query_run(&args.query, find, &args);
}
