// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark plot: figures for papers. What is drawn is written as a script for gnuplot, which
 * draws into a file of another name first: a figure is whole, or not there.
 */
#include "analysis/gaps.h"
#include "analysis/hot/hot.h"
#include "analysis/mix/mix.h"
#include "analysis/phases/phases.h"
#include "base/error.h"
#include "cli/amount.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/find.h"
#include "cli/query.h"
#include "export/phases_format.h"
#include "out/gnuplot.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char doc[] =
	"Draw a figure of FILE (waymark.wmk), with gnuplot: the hottest functions, the mix of "
	"instructions, or the phases of a thread."
	"\vThe figure's suffix says what it is: .svg, .png or .pdf. N of instructions may "
	"end with k, M or G.";

enum { OPTION_INTERVAL = 256 + 100, OPTION_SCRIPT };
enum { BARS_MAX = 100, BARS_DEFAULT = 20, INTERVAL_DEFAULT = 10000000 };

static const struct argp_option options[] = {
	{ "output", 'o', "FIGURE", 0, "Write this file (WHAT.svg)", 0 },
	{ "rows", 'n', "N", 0, "N bars at most (20)", 0 },
	{ "interval", OPTION_INTERVAL, "N", 0,
	  "Phases of intervals of N instructions (10M)", 0 },
	{ "script", OPTION_SCRIPT, NULL, 0, "Print gnuplot's script, draw nothing", 0 },
	{ 0 },
};

static const char *const figures[] = { "hot", "mix", "phases", NULL };
enum figure { FIGURE_HOT, FIGURE_MIX, FIGURE_PHASES };

struct arguments {
	struct query query;
	enum figure figure;
	char output[PATH_MAX];
	char drawn[PATH_MAX + 16]; /* the same in the making, with the suffix */
	uint64_t bars, interval;
	bool script;
	char title[256];
};

static void set_output(struct arguments *args, const char *name, struct argp_state *state)
{
	if (!gnuplot_knows(name))
		argp_error(state, "a figure is .svg, .png or .pdf, not \"%s\"", name);
	if (strlen(name) >= sizeof(args->output))
		argp_error(state, "the figure's name is too long");
	strcpy(args->output, name);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &args->query;
		return 0;
	case 'o':
		set_output(args, arg, state);
		return 0;
	case 'n':
		args->bars = amount_or_end(arg, "-n", 1, BARS_MAX, state);
		return 0;
	case OPTION_INTERVAL:
		args->interval =
			amount_or_end(arg, "--interval", 1, BBV_INTERVAL_MAX, state);
		return 0;
	case OPTION_SCRIPT:
		args->script = true;
		return 0;
	case ARGP_KEY_SUCCESS:
		if (args->query.function && args->figure == FIGURE_PHASES)
			argp_error(state, "phases are of a thread, not of a --function");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- bars ---------------------------------------------------------------------------------- */

struct bars {
	struct gnuplot_bar at[BARS_MAX];
	size_t n;
};

static void take_bar(void *cookie, const struct table_cell *cells)
{
	struct bars *bars = cookie;

	bars->at[bars->n++] = (struct gnuplot_bar){ cells[0].text, cells[1].real };
}

static int put_bars(FILE *out, const char *path, const char *title,
		    const struct bars *bars, struct wm_error *err)
{
	if (!bars->n)
		return wm_fail(err, WM_E_RANGE, 0, "nothing ran of what is asked for");
	gnuplot_bars(out, path, title, bars->at, bars->n);
	return 0;
}

static int plot_hot(struct arguments *args, FILE *out, const char *path,
		    const struct counted *counted, struct wm_error *err)
{
	struct table_view view = { .columns = "function,share",
				   .sort = "insns",
				   .rows = args->bars };
	struct bars bars = { .n = 0 };
	struct table *table;
	int ret = hot_table(&table, counted, HOT_FUNCTION, err);

	if (ret)
		return ret;
	ret = table_visit(table, &view, take_bar, &bars, err);
	if (!ret)
		ret = put_bars(out, path, args->title, &bars, err);
	table_free(table);
	return ret;
}

static int plot_counts(struct arguments *args, FILE *out, const char *path,
		       struct wm_error *err)
{
	struct counted counted;
	struct counts counts;
	int ret = query_count(&args->query, &counts, &counted, err);

	if (ret)
		return ret;
	ret = plot_hot(args, out, path, &counted, err);
	counts_fini(&counts);
	return ret;
}

static int plot_kinds(struct arguments *args, FILE *out, const char *path,
		      struct kinds *kinds, struct wm_error *err)
{
	struct mix_ask ask = { .kinds = kinds,
			       .per = MIX_WHOLE,
			       .function = args->query.function,
			       .functions = args->query.functions };
	struct bars bars = { .n = 0 };
	struct mix mix;
	int ret = mix_gather(&mix, args->query.source.trace, &args->query.selection, &ask,
			     err);

	if (ret)
		return ret;
	for (size_t i = 0; i < mix.n_rows && bars.n < args->bars; i++)
		bars.at[bars.n++] = (struct gnuplot_bar){
			kinds_name(kinds, mix.rows[i].kind),
			(double)mix.rows[i].sums.insns / (double)mix.insns,
		};
	ret = put_bars(out, path, args->title, &bars, err);
	mix_fini(&mix);
	return ret;
}

static int plot_mix(struct arguments *args, FILE *out, const char *path,
		    struct wm_error *err)
{
	const char *isa = wm_trace_meta(args->query.source.trace, "guest-isa");
	bool riscv = isa && !strncmp(isa, "riscv", 5);
	struct kinds *kinds;
	int ret = kinds_new(&kinds, args->query.source.trace,
			    riscv ? KINDS_CLASS : KINDS_MNEMONIC, err);

	if (ret)
		return ret;
	ret = plot_kinds(args, out, path, kinds, err);
	kinds_free(kinds);
	return ret;
}

/* ---- phases ---------------------------------------------------------------------------------- */

static int plot_phases(struct arguments *args, FILE *out, const char *path,
		       struct wm_error *err)
{
	struct phases_options wanted = { .interval = args->interval };
	struct phases phases;
	int ret;

	query_longest(&args->query);
	ret = phases_find(&phases, args->query.source.trace, &args->query.selection,
			  &wanted, err);
	if (ret)
		return ret;
	phases_plot(out, path, args->title, &phases);
	phases_fini(&phases);
	return 0;
}

/* ---- drawing ------------------------------------------------------------------------------------ */

/* It says so when the figure is not of all that ran. */
static int make_title(struct arguments *args, struct wm_error *err)
{
	const struct wm_trace *trace = args->query.source.trace;
	static const char *const titles[] = { "hottest functions", "mix of instructions",
					      "phases" };
	struct wm_space space = { .name = "" };
	struct wm_stream stream;
	const char *slash;
	struct gaps gaps;
	int ret = gaps_count(&gaps, trace, err);

	if (ret)
		return ret;
	if (!wm_trace_stream(trace, args->query.streams[0], &stream))
		wm_trace_space(trace, stream.space, &space);
	slash = strrchr(space.name, '/');
	snprintf(args->title, sizeof(args->title), "%s of %s%s", titles[args->figure],
		 slash ? slash + 1 : space.name,
		 gaps.all ? ", as far as it is recorded" : "");
	gaps_fini(&gaps);
	return 0;
}

static int put_script(struct arguments *args, FILE *out, const char *path,
		      struct wm_error *err)
{
	int ret = make_title(args, err);

	if (!ret && args->figure == FIGURE_HOT)
		ret = plot_counts(args, out, path, err);
	else if (!ret && args->figure == FIGURE_MIX)
		ret = plot_mix(args, out, path, err);
	else if (!ret)
		ret = plot_phases(args, out, path, err);
	query_done(&args->query);
	return ret;
}

static int run_gnuplot(const char *script, size_t bytes, struct wm_error *err)
{
	FILE *gnuplot = popen("gnuplot -", "w");
	int status;

	if (!gnuplot)
		return wm_fail(err, WM_E_OUTPUT, 0, "cannot start gnuplot: %s",
			       strerror(errno));
	fwrite(script, 1, bytes, gnuplot);
	status = pclose(gnuplot);
	if (status)
		return wm_fail(err, WM_E_OUTPUT, 0,
			       "gnuplot could not draw it (status %d)",
			       WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	return 0;
}

static int draw(struct arguments *args, struct wm_error *err)
{
	char *script = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&script, &bytes);
	int ret = out ? put_script(args, out, args->drawn, err) :
			wm_fail_nomem(err, "a figure");

	if (out && fclose(out) && !ret)
		ret = wm_fail_nomem(err, "a figure");
	signal(SIGPIPE, SIG_IGN); /* gnuplot's end is told by its status */
	if (!ret)
		ret = run_gnuplot(script, bytes, err);
	free(script);
	if (!ret && rename(args->drawn, args->output))
		ret = wm_fail_write(err, args->output);
	if (ret)
		unlink(args->drawn);
	return ret;
}

static int plot(struct arguments *args, struct wm_error *err)
{
	char gnuplot[PATH_MAX];
	int ret;

	if (!args->script && !find_in_path(gnuplot, "gnuplot"))
		return wm_fail(err, WM_E_OUTPUT, 0,
			       "figures need gnuplot: install the package gnuplot-nox, "
			       "or take --script elsewhere");
	ret = query_open(&args->query, err);
	if (ret)
		return ret;
	ret = args->script ? put_script(args, stdout, args->output, err) :
			     draw(args, err);
	query_close(&args->query);
	return ret;
}

/* The first argument says what is drawn; --help needs none. */
static int parse_arguments(struct arguments *args, int argc, char **argv)
{
	static const struct argp_child children[] = { { &query_part_argp, 0, NULL, 0 },
						      { 0 } };
	static const struct argp argp = { options, parse,    "hot|mix|phases [FILE]",
					  doc,	   children, NULL,
					  NULL };
	bool named = argc > 1 && argv[1][0] != '-';

	if (named) {
		args->figure = 0;
		while (figures[args->figure] && strcmp(figures[args->figure], argv[1]))
			args->figure++;
		if (!figures[args->figure])
			return fail("plot draws hot, mix or phases, not \"%s\"", argv[1]);
		snprintf(args->output, sizeof(args->output), "%s.svg", argv[1]);
		argv[1] = argv[0];
	}
	argp_parse(&argp, argc - named, argv + named, 0, NULL, args);
	if (!named)
		return fail("plot what: hot, mix or phases?");
	return EXIT_OK;
}

int cmd_plot(int argc, char **argv)
{
	static struct arguments args = { .bars = BARS_DEFAULT,
					 .interval = INTERVAL_DEFAULT };
	struct wm_error err = { .code = 0 };
	int ret = parse_arguments(&args, argc, argv);

	if (ret)
		return ret;
	/* The same folder, for rename(); the same suffix, for gnuplot. */
	snprintf(args.drawn, sizeof(args.drawn), "%s.%d%s", args.output, (int)getpid(),
		 strrchr(args.output, '.'));
	return plot(&args, &err) ? fail_on(args.query.scope.file, &err) : EXIT_OK;
}
