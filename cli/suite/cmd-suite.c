// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark suite: records the programs that a file lists, each under its limits, and reports
 * what became of them, also compared with an earlier time.
 *
 *	suite run    cases that are not done yet are run by an engine; then all results are
 *	             put into results.json and junit.xml
 *	suite list   the cases of the file, and which are done
 *	suite report a table of a folder of results, which needs no suite
 *
 * Exit status: 0 all cases passed and nothing changed, 1 otherwise, 2 an error.
 */
#include <argp.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/append.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/folders.h"
#include "base/nearest.h"
#include "base/shell.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/find.h"
#include "cli/fresh_file.h"
#include "cli/habits.h"
#include "cli/suite/case.h"
#include "cli/suite/engine.h"
#include "cli/suite/overview.h"
#include "cli/suite/page.h"
#include "cli/suite/report.h"
#include "cli/suite/summary.h"
#include "cli/table_output.h"
#include "cli/values.h"
#include "out/number.h"

static const char doc[] =
	"Record the programs that a file lists, or report what became of them."
	"\vrun records the cases of SUITE that are not done; list prints them; report prints the "
	"results in DIR, and with --against OLD what changed since those in OLD: which programs "
	"and which functions. `waymark help suite` explains the file.";

enum {
	OPTION_ENGINE = 256,
	OPTION_SBATCH,
	OPTION_ONLY,
	OPTION_AGAIN,
	OPTION_AGAINST,
	OPTION_HTML,
	OPTION_FORMAT
};
enum { JOBS_MAX = 4096 };

static const struct argp_option options[] = {
	{ "output", 'o', "DIR", 0, "The folder of results (suite.results)", 0 },
	{ "jobs", 'j', "N", 0, "Run N cases at once (one for each processor)", 0 },
	{ "engine", OPTION_ENGINE, "ENGINE", 0,
	  "Who runs the cases: local, or slurm, as an array of jobs (local)", 0 },
	{ "sbatch", OPTION_SBATCH, "OPTION", 0,
	  "One more option of sbatch; can be repeated", 0 },
	{ "only", OPTION_ONLY, "NAME", 0,
	  "Only this case, and no results.json; can be given many times", 0 },
	{ "again", OPTION_AGAIN, NULL, 0, "Run also what is done", 0 },
	{ "against", OPTION_AGAINST, "OLD", 0,
	  "Compare with the results in the folder OLD", 0 },
	{ "html", OPTION_HTML, "FILE", 0, "Write the report as a page, too", 0 },
	{ "by", 'b', "WHAT", 0, "One table: case or function (what changed)", 0 },
	{ "rows", 'n', "N", 0, "Print at most N rows", 0 },
	{ "sort", 's', "COLUMN", 0, "Sort by this column", 0 },
	{ "fields", 'f', "COLUMNS", 0, "Print these columns, separated by commas", 0 },
	{ "format", OPTION_FORMAT, "FORMAT", 0, "text, csv or json (text)", 0 },
	{ 0 },
};

static const char *const actions[] = { "run", "list", "report", NULL };
enum action { ACTION_RUN, ACTION_LIST, ACTION_REPORT };
static const char *const engines[] = { "local", "slurm", NULL };
static const char *const bys[] = { "case", "function", NULL };

struct arguments {
	enum action action;
	const char *file, *output, *against, *html;
	const char **only; /* [n_only] */
	char **sbatch;	   /* [n_sbatch] */
	size_t n_only, n_sbatch;
	unsigned words, engine, jobs;
	bool again, by_given;
	enum report_by by;
	enum table_format format;
	struct table_view view;
};

static enum action action_or_end(const char *arg, struct argp_state *state)
{
	char hint[NEAREST_HINT];
	unsigned n = 0;

	while (actions[n] && strcmp(actions[n], arg) != 0)
		n++;
	if (!actions[n])
		argp_error(state, "the first word is run, list or report, not \"%s\"%s",
			   arg, nearest_hint(hint, arg, actions, n));
	return (enum action)n;
}

static void take_word(struct arguments *args, char *arg, struct argp_state *state)
{
	if (!args->words)
		args->action = action_or_end(arg, state);
	else if (args->words == 1)
		args->file = arg;
	else
		argp_error(state, "one file or folder, not also \"%s\"", arg);
	args->words++;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;
	bool good = true;

	switch (key) {
	case 'o':
		args->output = arg;
		break;
	case 'j':
		args->jobs = (unsigned)amount_or_end(arg, "--jobs", 1, JOBS_MAX, state);
		break;
	case OPTION_ENGINE:
		args->engine = choice_or_end(arg, "engine", engines, state);
		break;
	case OPTION_SBATCH:
		good = APPEND(args->sbatch, args->n_sbatch, arg);
		break;
	case OPTION_ONLY:
		good = APPEND(args->only, args->n_only, arg);
		break;
	case OPTION_AGAIN:
		args->again = true;
		break;
	case OPTION_AGAINST:
		args->against = arg;
		break;
	case OPTION_HTML:
		args->html = arg;
		break;
	case 'b':
		args->by = (enum report_by)choice_or_end(arg, "by", bys, state);
		args->by_given = true;
		break;
	case 'n':
		args->view.rows = amount_or_end(arg, "--rows", 0, UINT64_MAX, state);
		break;
	case 's':
		args->view.sort = arg;
		break;
	case 'f':
		args->view.columns = arg;
		break;
	case OPTION_FORMAT:
		args->format = choice_or_end(arg, "format", table_formats, state);
		break;
	case ARGP_KEY_ARG:
		take_word(args, arg, state);
		break;
	case ARGP_KEY_END:
		if (!args->words)
			argp_error(state, "run, list or report");
		if (args->words == 1 && args->action != ACTION_REPORT)
			argp_error(state, "no suite is given");
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	if (!good)
		argp_failure(state, EXIT_ERROR, 0, "no memory");
	return 0;
}

/* ---- tables -------------------------------------------------------------- */

static int print(const struct arguments *args, const struct table_column *columns,
		 unsigned n,
		 int (*fill)(void *cookie, struct table *table, struct wm_error *err),
		 void *cookie, struct wm_error *err)
{
	struct table_output output;
	struct table table;
	struct view view;
	int ret = table_check(columns, n, &args->view, err);

	if (ret)
		return ret;
	table_output_init(&output, args->format, NULL);
	output.may_omit = !args->view.columns;
	view_init(&view, &args->view, &output.sink);
	table_begin(&table, columns, n, &view.sink);
	ret = table_end(&table, fill(cookie, &table, err), err);
	view_fini(&view);
	table_output_fini(&output);
	return ret;
}

/* 1 when something changed or failed. */
static int print_report(const struct arguments *args, struct report *report)
{
	struct wm_error err;
	unsigned n;
	const struct table_column *columns = report_columns(report, &n);

	if (print(args, columns, n, report_fill, report, &err))
		return fail_on(report->folder, &err);
	return report->changed ? EXIT_DIFFERS : EXIT_OK;
}

/* ---- report -------------------------------------------------------------- */

/* Two tables: programs, and the functions in which they changed. */
static int print_changes(const struct arguments *args, struct overview *overview,
			 struct wm_error *err)
{
	static const struct table_view all = { .rows = UINT64_MAX };
	struct arguments plain = *args;
	int ret = 0;

	plain.view = all;
	overview_sentence(overview, stdout);
	putchar('\n');
	if (overview->n_told) {
		putchar('\n');
		ret = print(&plain, overview_cases, OVERVIEW_CASES, overview_fill_cases,
			    overview, err);
	}
	if (!ret && overview->n_changed) {
		putchar('\n');
		ret = print(&plain, overview_functions, OVERVIEW_FUNCTIONS,
			    overview_fill_functions, overview, err);
	}
	return ret;
}

/* What is for people: on stdout when `printed`, and as a page when one is wanted. */
static int tell_changes(const struct arguments *args, const struct report *report,
			bool printed, bool *any, struct wm_error *err)
{
	enum { NAMED = 5 };
	struct overview overview = {
		.folder = report->folder,
		.against = report->against,
		.most = args->view.rows == UINT64_MAX ? NAMED : args->view.rows,
	};
	int ret = overview_read(&overview, report->names, report->n, err);

	if (!ret && args->html)
		ret = page_write(&overview, args->html, err);
	if (!ret && printed)
		ret = print_changes(args, &overview, err);
	*any = overview.n_told;
	overview_fini(&overview);
	return ret;
}

/* A program that reads the answer gets one table; so does who says which. */
static bool is_for_people(const struct arguments *args)
{
	return args->against && args->format == TABLE_AS_TEXT && !args->by_given &&
	       !args->view.sort && !args->view.columns;
}

static int tell_report(struct arguments *args, struct report *report)
{
	bool people = is_for_people(args), any = false;
	struct wm_error err;

	if ((people || args->html) && tell_changes(args, report, people, &any, &err))
		return fail_on(report->folder, &err);
	if (people)
		return any ? EXIT_DIFFERS : EXIT_OK;
	if (report->by == REPORT_FUNCTION && !args->view.sort)
		args->view.sort = "change";
	return print_report(args, report);
}

static enum report_by wanted_by(const struct arguments *args)
{
	return args->by_given ? args->by : args->against ? REPORT_FUNCTION : REPORT_CASE;
}

static int run_report(struct arguments *args)
{
	struct report report = {
		.folder = args->file ? args->file : args->output,
		.against = args->against,
		.by = wanted_by(args),
	};
	struct wm_error err;
	int status;

	status = report_find(&report, &err) ? fail_on(report.folder, &err) :
					      tell_report(args, &report);
	report_fini(&report);
	return status;
}

/* ---- list ---------------------------------------------------------------- */

enum { LIST_CASE, LIST_STATE, LIST_COMMAND, LIST_COLUMNS };

static const struct table_column list_columns[LIST_COLUMNS] = {
	[LIST_CASE] = { "case", TABLE_TEXT, false },
	[LIST_STATE] = { "state", TABLE_TEXT, false },
	[LIST_COMMAND] = { "command", TABLE_TEXT, false },
};

struct listing {
	const struct suite *suite;
	const char *out;
};

static const char *state_of(const struct suite_case *of, const char *out)
{
	struct result result;

	case_result(of, out, &result);
	if (result.status == SUITE_MISSING)
		return "new";
	return result.checksum == of->checksum ? suite_statuses[result.status] :
						 "changed";
}

static int put_command(struct table *table, char *const *words, struct wm_error *err)
{
	struct buf line = BUF_INIT;
	int ret = 0;

	while (*words)
		shell_put_word(&line, *words++);
	buf_put_u8(&line, 0);
	if (line.failed)
		ret = wm_fail_nomem(err, "a list");
	else
		table_text(table, LIST_COMMAND, (const char *)line.data);
	buf_fini(&line);
	return ret;
}

static int fill_list(void *cookie, struct table *table, struct wm_error *err)
{
	const struct listing *listing = cookie;
	int ret = 0;

	for (size_t i = 0; !ret && i < listing->suite->n; i++) {
		const struct suite_case *of = &listing->suite->cases[i];

		table_row(table);
		table_text(table, LIST_CASE, of->name);
		table_text(table, LIST_STATE, state_of(of, listing->out));
		ret = put_command(table, of->command, err);
	}
	return ret;
}

/* ---- run ----------------------------------------------------------------- */

static bool is_wanted(const struct arguments *args, const struct suite_case *of,
		      const char *out)
{
	struct result result;
	bool named = !args->n_only;

	for (size_t i = 0; i < args->n_only; i++)
		named |= !strcmp(args->only[i], of->name);
	if (!named || args->again)
		return named;
	case_result(of, out, &result);
	return !case_is_done(of, &result);
}

/* The indexes of the cases to run: the caller's. */
static int find_wanted(const struct arguments *args, const struct suite *suite,
		       const char *out, size_t **wanted, size_t *n, struct wm_error *err)
{
	*wanted = calloc(suite->n, sizeof(**wanted));
	*n = 0;
	if (!*wanted)
		return wm_fail_nomem(err, "a suite");
	for (size_t i = 0; i < suite->n; i++)
		if (is_wanted(args, &suite->cases[i], out))
			(*wanted)[(*n)++] = i;
	for (size_t i = 0; i < args->n_only; i++) {
		size_t k = 0;

		while (k < suite->n && strcmp(suite->cases[k].name, args->only[i]) != 0)
			k++;
		if (k == suite->n)
			return wm_fail(err, WM_E_RANGE, 0, "there is no case \"%.60s\"",
				       args->only[i]);
	}
	return 0;
}

static int write_summary(const char *out, const char *name, const struct suite *suite,
			 const struct result *results,
			 void (*write)(FILE *out, const struct suite *suite,
				       const struct result *results, const char *folder),
			 struct wm_error *err)
{
	struct fresh_file file;
	char path[PATH_MAX + 32];
	int ret;

	snprintf(path, sizeof(path), "%s/%s", out, name);
	ret = fresh_file_open(&file, path, err);
	if (ret)
		return ret;
	write(file.out, suite, results, out);
	return fresh_file_keep(&file, err);
}

static int write_summaries(const struct suite *suite, const char *out,
			   struct wm_error *err)
{
	struct result *results = calloc(suite->n, sizeof(*results));
	int ret;

	if (!results)
		return wm_fail_nomem(err, "results");
	for (size_t i = 0; i < suite->n; i++)
		case_result(&suite->cases[i], out, &results[i]);
	ret = write_summary(out, "results.json", suite, results, summary_write_json, err);
	if (!ret)
		ret = write_summary(out, "junit.xml", suite, results, summary_write_junit,
				    err);
	free(results);
	return ret;
}

/* Of the suite's cases, in its order, or of those that were named. */
static int report_run(struct arguments *args, const struct suite *suite)
{
	struct report report = {
		.folder = args->output,
		.against = args->against,
		.by = wanted_by(args),
	};
	int status;

	for (size_t i = 0; i < suite->n; i++) {
		const char *name = suite->cases[i].name;
		bool named = !args->n_only;

		for (size_t k = 0; k < args->n_only; k++)
			named |= !strcmp(args->only[k], name);
		name = named ? strdup(name) : NULL;
		if (name && !APPEND(report.names, report.n, name))
			free((char *)name);
	}
	status = tell_report(args, &report);
	report_fini(&report);
	return status;
}

/* A line for each case, as it ends. */
struct telling {
	const struct suite *suite;
	const char *out;
	size_t n, of;
};

static void tell_case(void *cookie, size_t index)
{
	struct telling *telling = cookie;
	const struct suite_case *of = &telling->suite->cases[index];
	char insns[NUMBER_TEXT], seconds[NUMBER_TEXT];
	struct result result;

	case_result(of, telling->out, &result);
	remark("%zu of %zu: %s %s, %s instructions, %s%s%s", ++telling->n, telling->of,
	       of->name, suite_statuses[result.status],
	       number_grouped(insns, result.insns),
	       number_seconds(seconds, (double)result.milliseconds / 1000),
	       *result.reason ? ": " : "", result.reason);
}

static int run_cases(const struct arguments *args, const struct suite *suite,
		     const char *out, struct wm_error *err)
{
	char path[PATH_MAX];
	struct telling telling = { suite, out, 0, 0 };
	struct engine engine = {
		.suite = suite,
		.path = path,
		.out = out,
		.ended = tell_case,
		.cookie = &telling,
		.jobs = args->jobs,
		.words = args->sbatch,
		.n_words = args->n_sbatch,
	};
	size_t *wanted;
	int ret = find_wanted(args, suite, out, &wanted, &engine.n, err);

	engine.wanted = wanted;
	telling.of = engine.n;
	if (!ret && !find_absolute(path, args->file))
		ret = wm_fail(err, WM_E_RANGE, 0, "the path is too long");
	if (!ret && engine.n)
		ret = (args->engine ? engine_slurm : engine_local)(&engine, err);
	free(wanted);
	/* Of jobs that run one case each, none has all results. */
	return ret || args->n_only ? ret : write_summaries(suite, out, err);
}

static int run(struct arguments *args, const struct suite *suite, char *out)
{
	struct stat there;
	struct wm_error err;

	/* Now, and not after hours. */
	if (args->against && access(args->against, R_OK | X_OK))
		return fail("%s: %s", args->against, strerror(errno));
	folders_make(out, 0777);
	if (mkdir(out, 0777) && errno != EEXIST)
		return fail("cannot make the folder %s: %s", out, strerror(errno));
	if (stat(out, &there) || !S_ISDIR(there.st_mode))
		return fail("%s is not a folder", out);
	if (access(out, W_OK | X_OK))
		return fail("cannot write into the folder %s: %s", out, strerror(errno));
	if (run_cases(args, suite, out, &err))
		return fail_on(args->file, &err);
	return report_run(args, suite);
}

/* ---- the command --------------------------------------------------------- */

static int run_suite(struct arguments *args)
{
	struct listing listing;
	struct suite suite;
	struct wm_error err;
	char out[PATH_MAX];
	int status;

	if (suite_read(&suite, args->file, &err)) {
		status = fail_on(args->file, &err);
	} else if (!find_absolute(out, args->output)) {
		status = fail("%s: the path is too long", args->output);
	} else if (args->action == ACTION_RUN) {
		status = run(args, &suite, out);
	} else {
		listing = (struct listing){ &suite, out };
		status = print(args, list_columns, LIST_COLUMNS, fill_list, &listing,
			       &err) ?
				 fail_on(args->file, &err) :
				 EXIT_OK;
	}
	suite_fini(&suite);
	return status;
}

int cmd_suite(int argc, char **argv)
{
	static const struct argp argp = { options, parse,
					  "run SUITE\nlist SUITE\nreport [DIR]", doc };
	struct arguments args = {
		.output = "suite.results",
		.view.rows = UINT64_MAX,
	};
	int status;

	command_parse(&argp, argc, argv, 0, &args);
	if (args.by == REPORT_FUNCTION && !args.against)
		return fail("functions are compared: name an older folder by --against");
	status = args.action == ACTION_REPORT ? run_report(&args) : run_suite(&args);
	free(args.only);
	free(args.sbatch);
	return status;
}
