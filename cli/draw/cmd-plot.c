// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark plot: figures for papers, drawn by gnuplot. The figure is described by a
 * script, which is made in memory; gnuplot draws it into a file of another name in the
 * same folder, which is renamed when gnuplot has succeeded. So a figure is complete or
 * does not exist.
 *
 * With --script the script is printed and nothing is drawn: it can be edited, or drawn
 * where gnuplot is installed.
 *
 * Example: `plot hot -o run.png` writes run.png.4711.png, 4711 being the process id, and
 * renames it to run.png. If gnuplot fails, an older run.png is still there.
 */
#include "analysis/gaps.h"
#include "analysis/mix/mix.h"
#include "analysis/phases/phases.h"
#include "base/error.h"
#include "base/nearest.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/find.h"
#include "cli/fresh_file.h"
#include "cli/signals.h"
#include "cli/values.h"
#include "export/mem_plot.h"
#include "export/phases_format.h"
#include "out/gnuplot.h"
#include "trace/values.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char doc[] =
	"Draw a figure of FILE (waymark.wmk), with gnuplot: the hottest functions, the mix of "
	"instructions, the phases of a thread, or its accesses of memory."
	"\vThe suffix of FIGURE selects its type: .svg, .png or .pdf. N of instructions may "
	"end with k, M or G.";

enum { OPTION_INTERVAL = 256 + 100, OPTION_SCRIPT };
/* BARS_MAX is the capacity of struct bars. */
enum { BARS_MAX = 100, BARS_DEFAULT = 20, INTERVAL_DEFAULT = 10000000 };
/* The finest access map that still looks like one in a column of a paper. */
enum { MAP_COLUMNS = 480, MAP_ROWS = 256 };

static const struct argp_option options[] = {
	{ "output", 'o', "FIGURE", 0, "Write this file (WHAT.svg)", 0 },
	{ "rows", 'n', "N", 0, "N bars at most (20)", 0 },
	{ "interval", OPTION_INTERVAL, "N", 0,
	  "Phases of intervals of N instructions (10M)", 0 },
	{ "script", OPTION_SCRIPT, NULL, 0, "Print gnuplot's script, draw nothing", 0 },
	{ 0 },
};

/* In the order of enum figure. */
static const char *const figures[] = { "hot", "mix", "phases", "mem", NULL };
enum figure { FIGURE_HOT, FIGURE_MIX, FIGURE_PHASES, FIGURE_MEM };

struct arguments {
	struct ask ask;
	enum figure figure;
	char output[PATH_MAX];
	/* Longer than `output` by the process id and the suffix once more. */
	char drawn[PATH_MAX + 16]; /* what gnuplot writes; renamed to `output` */
	uint64_t bars, interval;
	bool script;
	char title[256];
};

/* gnuplot's terminal follows from the suffix. */
static void set_output(struct arguments *args, const char *name, struct argp_state *state)
{
	if (!gnuplot_knows(name))
		argp_error(state, "a figure is .svg, .png or .pdf, not \"%s\"", name);
	if (strlen(name) >= sizeof(args->output))
		argp_error(state, "the figure's name is too long");
	strcpy(args->output, name);
}

static error_t parse(struct ask *ask, int key, char *arg, struct argp_state *state)
{
	struct arguments *args = ask->cookie;

	switch (key) {
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
	/* args->figure was set before the options were parsed (parse_arguments()). */
	case ARGP_KEY_SUCCESS:
		if (args->ask.query.function && args->figure >= FIGURE_PHASES)
			argp_error(state, "%s of a thread, not of a --function",
				   args->figure == FIGURE_MEM ? "accesses are" :
								"phases are");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- bars ---------------------------------------------------------------- */

/* A sink for the columns "function,share". */
struct bars {
	struct table_sink sink;
	struct gnuplot_bar at[BARS_MAX]; /* labels are owned */
	size_t n;
};

/* The caller has limited the number of bars to args->bars, BARS_MAX at most. */
static int add_bar(struct bars *bars, const char *name, double share,
		   struct wm_error *err)
{
	char *copy = strdup(name);

	if (!copy)
		return wm_fail_nomem(err, "a figure");
	bars->at[bars->n++] = (struct gnuplot_bar){ copy, share };
	return 0;
}

static void free_bars(struct bars *bars)
{
	for (size_t i = 0; i < bars->n; i++)
		free((char *)bars->at[i].label);
}

/* A figure needs no heading: its columns are fixed. */
static int begin_bars(struct table_sink *sink, const struct table_column *columns,
		      unsigned n, struct wm_error *err)
{
	(void)sink;
	(void)columns;
	(void)n;
	(void)err;
	return 0;
}

/* Cells are those of the view "function,share". A share is always there, a name is not. */
static int take_bar(struct table_sink *sink, const struct table_cell *cells,
		    struct wm_error *err)
{
	return add_bar((struct bars *)sink, cells[0].filled ? cells[0].text : "",
		       cells[1].real, err);
}

/* Nothing to do: put_bars() draws when all bars have arrived. */
static int end_bars(struct table_sink *sink, struct wm_error *err)
{
	(void)sink;
	(void)err;
	return 0;
}

/* An empty figure would be an error of gnuplot. */
static int put_bars(FILE *out, const char *path, const char *title,
		    const struct bars *bars, struct wm_error *err)
{
	if (!bars->n)
		return wm_fail(err, WM_E_RANGE, 0, "nothing of the selected part ran");
	gnuplot_bars(out, path, title, bars->at, bars->n);
	return 0;
}

/* Asks the question of `waymark hot` and draws two of its columns. */
static int plot_hot(struct arguments *args, FILE *out, const char *path,
		    struct wm_error *err)
{
	struct bars bars = { .sink = { begin_bars, take_bar, end_bars } };
	struct query *query = &args->ask.query;
	int ret;

	/*
	 * Set here and not by ask_parse(), because the figure decides about the question.
	 */
	query->question = question_find("hot");
	/* Two columns, in the order in which take_bar() finds them. */
	query->view =
		(struct table_view){ .columns = "function,share", .rows = args->bars };
	ret = query_settle(query, err);
	if (!ret)
		ret = query_ask(query, &bars.sink, err);
	if (!ret)
		ret = put_bars(out, path, args->title, &bars, err);
	free_bars(&bars);
	return ret;
}

/*
 * Rows of the mix come with the most frequent kind first. Kinds after the last bar are not
 * drawn, so the shares may add up to less than 1.
 */
static int plot_kinds(struct arguments *args, FILE *out, const char *path,
		      struct kinds *kinds, struct wm_error *err)
{
	struct mix_ask ask = { .kinds = kinds,
			       .per = MIX_WHOLE,
			       .function = args->ask.query.function,
			       .functions = args->ask.query.functions };
	struct bars bars = { .n = 0 };
	struct mix mix;
	int ret = mix_gather(&mix, args->ask.query.source.trace,
			     &args->ask.query.selection, &ask, err);

	if (ret)
		return ret;
	/* The rows are sorted, so the first ones are the most frequent. */
	for (size_t i = 0; !ret && i < mix.n_rows && bars.n < args->bars; i++)
		ret = add_bar(&bars, kinds_name(kinds, mix.rows[i].kind),
			      (double)mix.rows[i].sums.insns / (double)mix.insns, err);
	if (!ret)
		ret = put_bars(out, path, args->title, &bars, err);
	free_bars(&bars);
	mix_fini(&mix);
	return ret;
}

/* Classes of instructions are known for RISC-V only; other guests have mnemonics. */
static int plot_mix(struct arguments *args, FILE *out, const char *path,
		    struct wm_error *err)
{
	const char *isa = wm_trace_meta(args->ask.query.source.trace, "guest-isa");
	bool riscv = isa && !strncmp(isa, "riscv", 5);
	struct kinds *kinds;
	int ret = kinds_new(&kinds, args->ask.query.source.trace,
			    riscv ? KINDS_CLASS : KINDS_MNEMONIC, err);

	if (ret)
		return ret;
	ret = plot_kinds(args, out, path, kinds, err);
	kinds_free(kinds);
	return ret;
}

/* ---- phases -------------------------------------------------------------- */

/* Phases are of one thread; a warning names it when several are selected. */
static int plot_phases(struct arguments *args, FILE *out, const char *path,
		       struct wm_error *err)
{
	struct phases_options wanted = { .interval = args->interval };
	struct phases phases;
	int ret;

	query_longest(&args->ask.query);
	ret = phases_find(&phases, args->ask.query.source.trace,
			  &args->ask.query.selection, &wanted, err);
	if (ret)
		return ret;
	phases_plot(out, path, args->title, &phases);
	phases_fini(&phases);
	return 0;
}

/* ---- memory -------------------------------------------------------------- */

/*
 * Draws both panels: the map, and the working set with one interval for each column of
 * the map, so that they share an axis. Objects name the regions of the map.
 */
static int plot_map(struct arguments *args, FILE *out, const char *path,
		    const struct mem_map *map, struct wm_error *err)
{
	const struct query *query = &args->ask.query;
	struct mem_picture picture = { .map = map };
	struct objects *objects = NULL;
	struct wm_stream stream;
	struct workset workset;
	int ret;

	if (!map->n)
		return wm_fail(err, WM_E_RANGE, 0,
			       "there are no accesses of memory in the selected part");
	ret = workset_gather(&workset, query->source.trace, &query->selection, map->width,
			     err);
	if (ret)
		return ret;
	ret = objects_new(&objects, query->source.trace, query->source.symbols, err);
	if (!ret) {
		wm_trace_stream(query->source.trace, query->selection.streams[0],
				&stream);
		picture.workset = &workset;
		picture.objects = objects;
		picture.space = stream.space;
		mem_plot(out, path, args->title, &picture);
	}
	objects_free(objects);
	workset_fini(&workset);
	return ret;
}

/*
 * Draws the accesses of one thread, because the horizontal axis is that of its
 * instructions.
 */
static int plot_mem(struct arguments *args, FILE *out, const char *path,
		    struct wm_error *err)
{
	const struct mem_map_size size = { MAP_COLUMNS, MAP_ROWS };
	struct query *query = &args->ask.query;
	struct mem_map map;
	int ret = trace_values_need_accesses(query->source.trace, err);

	if (ret)
		return ret;
	query_longest(query);
	ret = mem_map_gather(&map, query->source.trace, &query->selection, &size, err);
	if (ret)
		return ret;
	ret = plot_map(args, out, path, &map, err);
	mem_map_fini(&map);
	return ret;
}

/* ---- drawing ------------------------------------------------------------- */

/* The title shows that the figure does not cover everything that ran. */
static int make_title(struct arguments *args, struct wm_error *err)
{
	const struct wm_trace *trace = args->ask.query.source.trace;
	static const char *const titles[] = { "hottest functions", "mix of instructions",
					      "phases", "accesses of memory" };
	struct wm_space space = { .name = "" };
	struct wm_stream stream;
	const char *slash;
	struct gaps gaps;
	int ret = gaps_count(&gaps, trace, err);

	if (ret)
		return ret;
	/* The first selected thread names the program. */
	if (!wm_trace_stream(trace, args->ask.query.streams[0], &stream))
		wm_trace_space(trace, stream.space, &space);
	slash = strrchr(space.name, '/');
	/* A figure of a run with gaps, or of its end, must not look complete. */
	snprintf(args->title, sizeof(args->title), "%s of %s%s", titles[args->figure],
		 slash ? slash + 1 : space.name,
		 gaps.all || gaps.passed ? ", as far as it is recorded" : "");
	gaps_fini(&gaps);
	return 0;
}

/*
 * Writes the script. The progress line is removed at the end, also after an error, so
 * that a message does not follow it on the same line.
 */
static int put_script(struct arguments *args, FILE *out, const char *path,
		      struct wm_error *err)
{
	int ret = make_title(args, err);

	if (!ret && args->figure == FIGURE_HOT)
		ret = plot_hot(args, out, path, err);
	else if (!ret && args->figure == FIGURE_MIX)
		ret = plot_mix(args, out, path, err);
	else if (!ret && args->figure == FIGURE_MEM)
		ret = plot_mem(args, out, path, err);
	else if (!ret)
		ret = plot_phases(args, out, path, err);
	watch_end(&args->ask.watch);
	return ret;
}

/* "-" lets gnuplot read the script from the pipe. */
static int run_gnuplot(const char *script, size_t bytes, struct wm_error *err)
{
	FILE *gnuplot = popen("gnuplot -", "w");
	int status;

	if (!gnuplot)
		return wm_fail(err, WM_E_OUTPUT, 0, "cannot start gnuplot: %s",
			       strerror(errno));
	fwrite(script, 1, bytes, gnuplot);
	status = pclose(gnuplot);
	/* -1 when a signal ended gnuplot: it has no exit status then. */
	if (status)
		return wm_fail(err, WM_E_OUTPUT, 0,
			       "gnuplot could not draw it (status %d)",
			       WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	return 0;
}

/* What gnuplot draws into, for a signal. */
static const char *drawing;

static void remove_drawing(void)
{
	unlink(drawing);
}

/* The script is complete before gnuplot starts, so a failed analysis starts nothing. */
static int draw(struct arguments *args, struct wm_error *err)
{
	char *script = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&script, &bytes);
	int ret = out ? put_script(args, out, args->drawn, err) :
			wm_fail_nomem(err, "a figure");

	/* Missing memory shows when the stream is closed. */
	if (out && fclose(out) && !ret)
		ret = wm_fail_nomem(err, "a figure");
	signal(SIGPIPE, SIG_IGN); /* gnuplot may exit early; its status is reported */
	drawing = args->drawn;
	signals_tidy(remove_drawing);
	if (!ret)
		ret = run_gnuplot(script, bytes, err);
	free(script);
	/* The figure replaces an older one in one step. */
	if (!ret && rename(args->drawn, args->output))
		ret = wm_fail_write(err, args->output);
	/* Also what gnuplot has written in part. */
	if (ret)
		unlink(args->drawn);
	return ret;
}

/* Searches for gnuplot and tries the file before the analysis, which may take minutes. */
static int plot(struct arguments *args, struct wm_error *err)
{
	char gnuplot[PATH_MAX];
	int ret;

	/* A script may be for another machine, which has gnuplot. */
	if (!args->script && !find_in_path(gnuplot, "gnuplot"))
		return wm_fail(err, WM_E_OUTPUT, 0,
			       "figures need gnuplot: install the package gnuplot-nox, "
			       "or take --script elsewhere");
	if (!args->script && fresh_file_try(args->output, err))
		return err->code;
	watch_init(&args->ask.watch);
	ret = query_open(&args->ask.query, err);
	if (ret)
		return ret;
	ret = args->script ? put_script(args, stdout, args->output, err) :
			     draw(args, err);
	query_close(&args->ask.query);
	return ret;
}

/*
 * The first argument names the figure and is removed before argp sees the rest. --help
 * works without it.
 */
static int parse_arguments(struct arguments *args, int argc, char **argv)
{
	static const struct ask_command plot = {
		.doc = doc,
		.args = "hot|mix|phases|mem [FILE]",
		.takes = ASK_FUNCTION,
		.options = options,
		.parse = parse,
	};
	/* The figure comes first; with an option in its place only --help is useful. */
	bool named = argc > 1 && argv[1][0] != '-';
	char near[NEAREST_HINT];

	if (named) {
		args->figure = 0;
		while (figures[args->figure] && strcmp(figures[args->figure], argv[1]))
			args->figure++;
		if (!figures[args->figure])
			return fail("plot draws hot, mix, phases or mem, not \"%s\"%s",
				    argv[1],
				    nearest_hint(near, argv[1], figures, args->figure));
		snprintf(args->output, sizeof(args->output), "%s.svg", argv[1]);
		/* argp takes argv[0] for the command's name. */
		argv[1] = argv[0];
	}
	ask_parse(&args->ask, &plot, args, argc - named, argv + named);
	if (!named)
		return fail("plot what: hot, mix, phases or mem?");
	return EXIT_OK;
}

/* `args` is static because of its two paths of PATH_MAX bytes. */
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
	return plot(&args, &err) ? fail_on(args.ask.query.scope.file, &err) : EXIT_OK;
}
