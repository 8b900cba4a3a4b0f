// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark diff: where two runs, or a run and a log of another tool, diverge; or, with
 * --by, how their counts per function or per kind differ.
 *
 * Most options describe a part of a run and may be different for A and B. Numbers,
 * threads and processes take both halves in one value, "A's:B's". A position such as main
 * or libc.so.6:qsort may itself contain colons, so it cannot be split: the option is
 * given twice instead, first for both sides, then for B alone:
 *
 *	--from 5M:7M			A from 5,000,000, B from 7,000,000
 *	--from main			both from main
 *	--from main --from main@2	A from main, B from its second call
 *
 * Contradictions are found while the command line is parsed, before a file is opened. The
 * exit status follows diff(1): 0 the same, 1 different, 2 an error.
 */
#include "analysis/diff/table.h"
#include "base/error.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/diff/compare_text.h"
#include "cli/diff/value_options.h"
#include "cli/fail.h"
#include "cli/habits.h"
#include "cli/options.h"
#include "cli/pager.h"
#include "cli/values.h"
#include "query/compare.h"

#include <stdlib.h>
#include <string.h>

static const char doc[] =
	"Compare two runs A and B instruction by instruction: where they part, where they "
	"come together again, and how much they have in common. The code of A and B may "
	"lie elsewhere, and be of another build."
	"\vA number or thread may be given for both, or as A's:B's; --from and --to also take "
	"places (see the manual), and may be given again for B. The exit status is 0 when "
	"nothing differs, 1 when something does, 2 for an error.";

/*
 * WINDOW_MOST bounds memory, which is proportional to the window. LISTED and ROWS are the
 * defaults of -n for divergences and for tables. CONTEXT_MOST is the number of
 * instructions that a comparison keeps of a log at each divergence: there is no more to
 * show of one.
 */
enum { WINDOW = 16000000, WINDOW_MOST = 256000000, LISTED = 5, ROWS = 30, CONTEXT = 4 };
enum { CONTEXT_MOST = DIFF_NEXT, JOBS_MOST = 1024 };

enum {
	OPTION_ROWS = 'n',
	OPTION_SORT = 's',
	OPTION_FIELDS = 'f',
	OPTION_JOBS = 'j',
	OPTION_CONTEXT = 'U',
	OPTION_BY = 'b',
	OPTION_THREAD = 256,
	OPTION_PROCESS,
	OPTION_FROM,
	OPTION_TO,
	OPTION_FUNCTION,
	OPTION_FORMAT,
	OPTION_SYMBOLS,
	OPTION_SYMFS,
	OPTION_WINDOW,
	OPTION_SPIKE,
	OPTION_EXECLOG,
	OPTION_QEMU,
	OPTION_LINES,
	OPTION_NO_INLINE,
};

static const struct argp_option options[] = {
	{ "count", OPTION_ROWS, "N", 0, "Show N divergences (5), or N rows (30)", 0 },
	{ "context", OPTION_CONTEXT, "N", 0, "Show N instructions around each (4)", 0 },
	{ "thread", OPTION_THREAD, "T", 0,
	  "Only thread T: its number, as `info` has it, or its name (all)", 0 },
	{ "process", OPTION_PROCESS, "P", 0,
	  "Only process P: its number, its pid, or its program's name (all)", 0 },
	{ "from", OPTION_FROM, "WHERE", 0,
	  "From there on: instruction N of each thread, or a place such as main", 0 },
	{ "to", OPTION_TO, "WHERE", 0, "Up to before there (the end)", 0 },
	{ "symbols", OPTION_SYMBOLS, "FILE[:PID]", 0,
	  "Names of code that process PID generated: a map as perf reads it", 0 },
	{ "symfs", OPTION_SYMFS, "DIR", 0,
	  "Look for the files of both programs below DIR, too", 0 },
	{ "window", OPTION_WINDOW, "N", 0,
	  "Look through N instructions for where they come together (16M)", 0 },
	{ "lines", OPTION_LINES, NULL, 0, "Show the source line of each instruction", 0 },
	VALUE_OPTIONS,
	{ "jobs", OPTION_JOBS, "THREADS", 0,
	  "Compute with this many threads (one for each processor)", 0 },
	{ "format", OPTION_FORMAT, "FORMAT", 0, "text or json; of a table also csv", 0 },
	{ "by", OPTION_BY, "WHAT", 0,
	  "A table of what changed: by function, line, calls, class, mnemonic, "
	  "extension or size; of managed programs by method or source",
	  1 },
	{ "function", OPTION_FUNCTION, "NAME", 0,
	  "Table: only functions of that name; wildcards are taken", 1 },
	{ "no-inline", OPTION_NO_INLINE, NULL, 0,
	  "Table: count inlined functions in those that they were inlined into", 1 },
	{ "sort", OPTION_SORT, "COLUMN", 0, "Table: sort by that column", 1 },
	{ "fields", OPTION_FIELDS, "COLUMNS", 0,
	  "Table: these columns, names with commas between them", 1 },
	{ "spike", OPTION_SPIKE, "LOG", 0,
	  "B is a log of Spike's: of -l, of commits, or both", 2 },
	{ "execlog", OPTION_EXECLOG, "LOG", 0, "B is a log of QEMU's execlog plugin", 2 },
	{ "qemu", OPTION_QEMU, "LOG", 0, "B is QEMU's own log, of -d in_asm,exec,nochain",
	  2 },
	{ 0 },
};

static const char *const bys[] = { "function", "calls", "class",  "mnemonic", "extension",
				   "size",     "line",	"method", "source",   NULL };

struct arguments {
	struct compare compare;
	struct scope named; /* has the tables of names, of both runs */
	char *copies[2];    /* of --thread and --process, split at the colon */
	unsigned bounds[2]; /* how many sides --from, --to have: 0, 1 (both), 2 */
	const char *function, *sort, *columns;
	uint64_t rows; /* UINT64_MAX: the default */
	unsigned context;
	enum table_format format;
	bool table;
	bool lines;
	bool no_inline;
	bool places; /* --from or --to is a position, not a number */
	struct watch watch;
	enum diff_by by;
};

/* ---- options ------------------------------------------------------------- */

/*
 * Splits "T:U" into a half for each side; "T" serves for both. *a and *b point into
 * *copy, which lives as long as the query that refers to them. An option given again
 * replaces the copy.
 */
static void halve(char **copy, const char *arg, const char **a, const char **b,
		  struct argp_state *state)
{
	char *colon;

	free(*copy);
	*copy = strdup(arg);
	if (!*copy)
		argp_failure(state, EXIT_ERROR, 0, "there is not enough memory");
	colon = strchr(*copy, ':');
	if (colon)
		*colon = 0;
	*a = *copy;
	*b = colon ? colon + 1 : *copy;
}

/* Numbers are parsed at once, so their copy is not kept. */
static void halve_number(const char *arg, const char *what, uint64_t *a, uint64_t *b,
			 struct argp_state *state)
{
	const char *x, *y;
	char *copy = NULL;

	halve(&copy, arg, &x, &y, state);
	*a = amount_or_end(x, what, 0, UINT64_MAX, state);
	*b = amount_or_end(y, what, 0, UINT64_MAX, state);
	free(copy);
}

/* The length of a number with its suffix at the begin of the text; 0: there is none. */
static size_t number_length(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits ? digits + strspn(text + digits, "kMG") : 0;
}

/*
 * Whether the text is "5" or "5M:7M" and nothing else. Anything else is a position: "5x"
 * is refused by the parser of positions, and "work.c:12" is a line.
 */
static bool is_numbers(const char *arg)
{
	size_t first = number_length(arg);
	const char *rest = arg + first;

	return first &&
	       (!*rest || (*rest == ':' && number_length(rest + 1) == strlen(rest + 1)));
}

/*
 * Sets one bound of one side. The ordinal becomes neutral, 0 or the end, because a
 * position is looked up only when the trace is open; insn:N is an ordinal in other words
 * and needs no search. Times and system calls are refused: a log has neither, and both
 * runs must be bounded the same way.
 */
static void set_place(struct bounds *bounds, bool is_to, uint64_t *ordinal,
		      const char *arg, struct argp_state *state)
{
	struct position *position = is_to ? &bounds->to : &bounds->from;
	struct wm_error err;

	position_fini(position);
	*ordinal = is_to ? UINT64_MAX : 0;
	if (position_parse(position, arg, &err))
		argp_error(state, "%s", err.text);
	if (position->kind == POSITION_TIME || position->kind == POSITION_SYSCALL)
		argp_error(state,
			   "%s bounds no comparison: give an instruction, such as "
			   "a symbol, a line or a marker",
			   arg);
	*(is_to ? &bounds->to_text : &bounds->from_text) = arg;
	if (position->kind == POSITION_INSN) {
		*ordinal = position->value;
		position_fini(position);
	}
}

/*
 * An option given once bounds both sides. Given again it bounds B, and A keeps what it
 * had. A value with two halves is for both sides and cannot be repeated.
 */
static void set_bound(struct arguments *args, bool is_to, const char *arg,
		      struct argp_state *state)
{
	struct compare *compare = &args->compare;
	uint64_t *a = is_to ? &compare->a.scope.to : &compare->a.scope.from;
	uint64_t *b = is_to ? &compare->b.scope.to : &compare->b.scope.from;
	const char *option = is_to ? "--to" : "--from";
	bool again = args->bounds[is_to], halves = is_numbers(arg) && strchr(arg, ':');
	uint64_t x, y;

	args->bounds[is_to] += halves ? 2 : 1;
	if (args->bounds[is_to] > 2)
		argp_error(state, "%s is given for A and for B, and not again", option);
	if (!is_numbers(arg)) {
		args->places = true;
		if (!again)
			set_place(&compare->bounds[DIFF_A], is_to, a, arg, state);
		set_place(&compare->bounds[DIFF_B], is_to, b, arg, state);
		return;
	}
	/*
	 * B changes from a position to a number when the option is repeated so; the
	 * position must go.
	 */
	halve_number(arg, option, &x, &y, state);
	*b = y;
	position_fini(is_to ? &compare->bounds[DIFF_B].to :
			      &compare->bounds[DIFF_B].from);
	if (!again)
		*a = x;
}

/* A log stands for run B, so there is at most one. */
static void set_log(struct arguments *args, enum compare_log log, const char *file,
		    struct argp_state *state)
{
	if (args->compare.log)
		argp_error(state, "one log at a time, not also \"%s\"", file);
	args->compare.log = log;
	args->compare.log_file = file;
}

static void set_file(struct arguments *args, const char *file, struct argp_state *state)
{
	if (!args->compare.a.scope.file)
		args->compare.a.scope.file = file;
	else if (!args->compare.b.scope.file)
		args->compare.b.scope.file = file;
	else
		argp_error(state, "two traces at a time, not also \"%s\"", file);
}

/* Combinations that have no meaning with a log. */
static void check_log(const struct arguments *args, struct argp_state *state)
{
	const struct compare *compare = &args->compare;

	if (compare->b.scope.file)
		argp_error(state, "one trace at a time with a log, not also \"%s\"",
			   compare->b.scope.file);
	if (args->table)
		argp_error(state, "--by is for two traces: a log has no counts");
}

/*
 * Options of tables are refused without --by rather than ignored: their user expects a
 * table.
 */
static void check_sequence(const struct arguments *args, struct argp_state *state)
{
	if (args->function)
		argp_error(state, "--function goes with --by: where ways part depends on "
				  "all of the way");
	if (args->no_inline)
		argp_error(state, "--no-inline goes with --by");
	if (args->sort || args->columns)
		argp_error(state, "-s and -f are for tables: they go with --by");
	if (args->format == TABLE_AS_CSV)
		argp_error(state, "csv is for tables: it goes with --by");
}

/*
 * Only query A has columns and a view. It carries the table of both runs, which is
 * printed through it (show_table()).
 */
static void set_view(struct arguments *args, struct argp_state *state)
{
	struct query *query = &args->compare.a;
	struct wm_error err;

	query->view = (struct table_view){
		.columns = args->columns,
		.sort = args->sort ? args->sort : "difference",
		.rows = args->rows == UINT64_MAX ? ROWS : args->rows,
	};
	query->n_columns = diff_columns_of(args->by);
	memcpy(query->columns, diff_columns, query->n_columns * sizeof(*query->columns));
	if (table_check(query->columns, query->n_columns, &query->view, &err))
		argp_error(state, "%s", err.text);
}

/*
 * Run when all arguments are known. With a log, the one trace may be left out like in
 * other commands; with two traces a default would compare a file with itself.
 */
static void check(struct arguments *args, struct argp_state *state)
{
	struct compare *compare = &args->compare;

	if (compare->log) {
		if (!compare->a.scope.file)
			compare->a.scope.file = "waymark.wmk";
		check_log(args, state);
	} else if (!compare->b.scope.file) {
		argp_error(state, "there are two traces to be named, or one and a log");
	}
	if (compare->a.scope.to < compare->a.scope.from ||
	    compare->b.scope.to < compare->b.scope.from)
		argp_error(state, "--to is before --from");
	value_option_check(compare, args->table, state);
	if (!args->table)
		check_sequence(args, state);
	else if (args->lines)
		argp_error(state, "--lines is for divergences; --by line counts lines");
	else if (args->places)
		argp_error(state, "--by counts by ordinals: --from and --to are numbers");
	compare->listed = args->rows == UINT64_MAX ? LISTED : args->rows;
	if (args->table)
		set_view(args, state);
}

/* Options that bound the comparison itself. */
static error_t parse_compare(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;
	struct query *a = &args->compare.a, *b = &args->compare.b;
	struct wm_error err;

	switch (key) {
	case OPTION_THREAD:
		halve(&args->copies[0], arg, &a->scope.thread, &b->scope.thread, state);
		return 0;
	case OPTION_PROCESS:
		halve(&args->copies[1], arg, &a->scope.process, &b->scope.process, state);
		return 0;
	case OPTION_FROM:
		set_bound(args, false, arg, state);
		return 0;
	case OPTION_TO:
		set_bound(args, true, arg, state);
		return 0;
	case OPTION_SYMBOLS:
		if (scope_add_table(&args->named, arg, &err))
			argp_error(state, "%s", err.text);
		return 0;
	case OPTION_SYMFS:
		a->scope.symfs = b->scope.symfs = option_symfs(state, arg);
		return 0;
	case OPTION_LINES:
		args->lines = true;
		return 0;
	case OPTION_NO_INLINE:
		args->no_inline = true;
		return 0;
	case OPTION_JOBS:
		a->threads = b->threads =
			(unsigned)amount_or_end(arg, "-j", 1, JOBS_MOST, state);
		return 0;
	case OPTION_WINDOW:
		args->compare.window =
			amount_or_end(arg, "--window", 1, WINDOW_MOST, state);
		return 0;
	case OPTION_SPIKE:
		set_log(args, COMPARE_SPIKE, arg, state);
		return 0;
	case OPTION_EXECLOG:
		set_log(args, COMPARE_EXECLOG, arg, state);
		return 0;
	case OPTION_QEMU:
		set_log(args, COMPARE_QEMU, arg, state);
		return 0;
	default:
		return value_option_parse(&args->compare, key, arg, state);
	}
}

/*
 * Options that concern the output, and the files; the rest goes to parse_compare(). The
 * split keeps both functions short.
 */
static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case OPTION_ROWS:
		args->rows = amount_or_end(arg, "-n", 0, UINT64_MAX - 1, state);
		return 0;
	case OPTION_CONTEXT:
		args->context =
			(unsigned)amount_or_end(arg, "-U", 0, CONTEXT_MOST, state);
		return 0;
	case OPTION_SORT:
		args->sort = arg;
		return 0;
	case OPTION_FIELDS:
		args->columns = arg;
		return 0;
	case OPTION_FUNCTION:
		args->function = arg;
		return 0;
	case OPTION_FORMAT:
		args->format = choice_or_end(arg, "format", table_formats, state);
		return 0;
	case OPTION_BY:
		args->table = true;
		args->by = choice_or_end(arg, "by", bys, state);
		return 0;
	case ARGP_KEY_ARG:
		set_file(args, arg, state);
		return 0;
	case ARGP_KEY_END:
		check(args, state);
		return 0;
	default:
		return parse_compare(key, arg, state);
	}
}

/* ---- answers ------------------------------------------------------------- */

/*
 * The cookie of fill(). `differs` decides the exit status: the table shows only rows that
 * pass the view, so it cannot be derived from what is printed.
 */
struct answer {
	const struct arguments *args;
	bool differs;
	enum diff_side at; /* of an error */
};

static int fill(void *cookie, struct table *table, struct wm_error *err)
{
	struct answer *answer = cookie;
	const struct arguments *args = answer->args;
	struct diff_half halves[2];

	compare_halves(&args->compare, !args->no_inline, halves);
	return diff_table_fill(table, args->by, args->function, halves,
			       args->compare.modules, &answer->differs, &answer->at, err);
}

static int show_table(struct arguments *args, bool *differs, struct wm_error *err)
{
	struct answer answer = { args, false, DIFF_A };
	int ret = ask_print_query(&args->compare.a, &args->watch, args->format, fill,
				  &answer, err);

	if (answer.at == DIFF_B)
		args->compare.faulty = args->compare.b.scope.file;
	*differs = answer.differs;
	return ret;
}

/* The names of a log are those of A. */
static int find_lines(struct compare *compare, struct wm_error *err)
{
	int ret = source_find_lines(&compare->a.source, err);

	if (!ret && !compare->log)
		ret = source_find_lines(&compare->b.source, err);
	return ret;
}

/*
 * The comparison is complete here, so the pager starts only after the progress line is
 * gone.
 */
static int show_ways(struct arguments *args, bool *differs, struct wm_error *err)
{
	struct compare *compare = &args->compare;
	int ret = args->lines ? find_lines(compare, err) : 0;

	if (ret)
		return ret;
	*differs = !compare_is_same(compare);
	/* The most likely cause, and one that the user can remove. */
	if (*differs && compare->qemulog && qemulog_is_chained(compare->qemulog))
		remark("%s was made without nochain, so it misses blocks",
		       compare->log_file);
	pager_start();
	if (args->format == TABLE_AS_JSON)
		return compare_print_json(compare, err);
	return compare_print_text(compare, args->context, err);
}

/*
 * compare->faulty names the file that an error is about. compare_open() and compare_run()
 * set it; errors while printing are about A, whose trace is read again for the
 * instructions.
 */
static int diff(struct arguments *args)
{
	struct compare *compare = &args->compare;
	struct wm_error err;
	bool differs = false;
	int ret;

	watch_init(&args->watch);
	compare->a.listener = compare->b.listener = &args->watch.listener;
	compare->tables = args->named.tables;
	compare->n_tables = args->named.n_tables;
	ret = compare_open(compare, &err);
	if (ret)
		return fail_on(compare->faulty, &err);
	compare->faulty = compare->a.scope.file;
	if (args->table) {
		ret = show_table(args, &differs, &err);
	} else {
		ret = compare_run(compare, &err);
		watch_end(&args->watch);
		if (!ret)
			ret = show_ways(args, &differs, &err);
	}
	compare_close(compare);
	watch_end(&args->watch);
	if (ret)
		return fail_on(compare->faulty, &err);
	return differs ? EXIT_DIFFERS : EXIT_OK;
}

int cmd_diff(int argc, char **argv)
{
	static const struct argp argp = { options, parse, "A B\n[A] --spike LOG",
					  doc,	   NULL,  NULL,
					  NULL };
	/* Static, because the struct of a comparison is large. */
	static struct arguments args = {
		.compare = { .a.scope.to = UINT64_MAX,
			     .b.scope.to = UINT64_MAX,
			     .window = WINDOW,
			     .what = DIFF_VALUES },
		.rows = UINT64_MAX,
		.context = CONTEXT,
	};
	int ret;

	command_parse(&argp, argc, argv, 0, &args);
	ret = diff(&args);
	free(args.copies[0]);
	free(args.copies[1]);
	return ret;
}
