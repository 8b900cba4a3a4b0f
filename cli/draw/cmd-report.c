// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark report: all analyses of a trace as one HTML page. The page is made in memory
 * and put in place in one step, so that a failure in one analysis leaves no partial page.
 * Its size is bounded, because each part of it reduces its data (report/).
 *
 * Whether the file can be written is tested before the analyses, which may take minutes:
 * a folder that does not exist is an error at once.
 *
 * Example: `report run.wmk -o run.html` replaces run.html when the whole page is in
 * memory; after ^C an older run.html is still there.
 */
#include "report/report.h"

#include <signal.h>
#include <stdlib.h>

#include "base/error.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/fresh_file.h"
#include "query/sources.h"
#include "trace/period.h"

static const char doc[] =
	"Make a page to look at of FILE (waymark.wmk): summary, functions with their source, "
	"timeline, hot lines and loops, memory, hot blocks, instruction mix, phases, flame graph, "
	"calls, system calls, markers and coverage, in one HTML file that needs no network."
	"\vOUT (waymark.html) is replaced when it is there; - is standard output.";

enum { OPTION_NO_INLINE = 256 };

static const struct argp_option options[] = {
	{ "output", 'o', "OUT", 0, "Write the page there (waymark.html)", 0 },
	{ "html", 'o', NULL, OPTION_ALIAS, NULL, 0 },
	{ "no-inline", OPTION_NO_INLINE, NULL, 0,
	  "Count inlined functions in those that they were inlined into", 0 },
	{ 0 },
};

struct arguments {
	const char *out;
	bool no_inline;
};

/* Everything else is the selection's. */
static error_t parse(struct ask *ask, int key, char *arg, struct argp_state *state)
{
	struct arguments *args = ask->cookie;

	(void)state;
	switch (key) {
	case 'o':
		args->out = arg;
		return 0;
	case OPTION_NO_INLINE:
		args->no_inline = true;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* The recording's length in seconds; negative when the clock was not recorded. */
static double seconds_of(const struct wm_trace *trace)
{
	struct period period = period_of(trace);

	return period.begin_ns < period.end_ns ?
		       (double)(period.end_ns - period.begin_ns) / 1e9 :
		       -1;
}

/* report/ must not include query/, so it gets lines of source by this callback. */
static const char *source_line(void *cookie, const char *path, uint32_t number)
{
	return sources_line(cookie, path, number);
}

/* The parts of the report share one query, and so one selection and one set of names. */
static int make(const struct query *query, bool no_inline, FILE *out,
		struct wm_error *err)
{
	struct sources sources = SOURCES_INIT;
	struct report_ask ask = {
		.trace = query->source.trace,
		.selection = &query->selection,
		.symbols = query->source.symbols,
		.functions = query->functions,
		.lines = query->lines,
		.source_line = source_line,
		.cookie = &sources,
		.seconds = seconds_of(query->source.trace),
		.no_inline = no_inline,
	};
	int ret;

	functions_unfold(query->functions, no_inline ? NULL : query->lines);
	ret = report_write(&ask, out, err);
	sources_fini(&sources);
	return ret;
}

/* Makes the page in memory. The caller frees *page, also after an error. */
static int make_page(struct ask *ask, char **page, size_t *bytes, struct wm_error *err)
{
	const struct arguments *args = ask->cookie;
	FILE *out = open_memstream(page, bytes);
	int ret;

	if (!out)
		return wm_fail_nomem(err, "a report");
	/* From here on the terminal shows the progress. */
	watch_init(&ask->watch);
	ret = query_open(&ask->query, err);
	if (!ret) {
		ret = make(&ask->query, args->no_inline, out, err);
		query_close(&ask->query);
	}
	watch_end(&ask->watch);
	/* open_memstream() reports missing memory when it is closed. */
	if (fclose(out) && !ret)
		ret = wm_fail_nomem(err, "a report");
	return ret;
}

/* Replaces an older page in one step. */
static int put_file(const char *path, const char *page, size_t bytes,
		    struct wm_error *err)
{
	struct fresh_file file;
	int ret = fresh_file_open(&file, path, err);

	if (ret)
		return ret;
	/* A failed write is reported by fresh_file_keep(). */
	fwrite(page, 1, bytes, file.out);
	return fresh_file_keep(&file, err);
}

/* The exit status. */
static int report(struct ask *ask, const char *path)
{
	struct wm_error err;
	char *page = NULL;
	size_t bytes = 0;
	int ret;

	if (!report_is_built())
		return fail(
			"this waymark was built without the chart library that reports "
			"need: build it again where tools/fetch-uplot.sh can fetch it");
	signal(SIGXFSZ, SIG_IGN); /* then write() fails with EFBIG, which is reported */
	/* The file is opened again after the analyses: an interrupted report leaves nothing behind. */
	if (fresh_file_try(path, &err))
		return fail("%s", err.text);
	ret = make_page(ask, &page, &bytes, &err);
	/* The page is incomplete and is not written. */
	if (ret) {
		free(page);
		return fail_on(ask->query.scope.file, &err);
	}
	ret = put_file(path, page, bytes, &err);
	free(page);
	return ret ? fail("%s", err.text) : EXIT_OK;
}

int cmd_report(int argc, char **argv)
{
	static const struct ask_command command = {
		.doc = doc,
		.args = "[FILE]",
		.options = options,
		.parse = parse,
	};
	/* The default of -o. */
	struct arguments args = { .out = "waymark.html" };
	struct ask ask;
	int status;

	ask_parse(&ask, &command, &args, argc, argv);
	status = report(&ask, args.out);
	ask_fini(&ask);
	return status;
}
