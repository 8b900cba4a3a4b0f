// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark mem: the accesses of memory that a recording with --mem has, as tables of the
 * question "mem" (query/questions/mem.c), or the instructions of a thread with their
 * accesses in a format of other programs (export/mem_format.h).
 *
 * A table of text is kept in memory until the widths of its columns are known. A list may
 * have billions of rows, so as text it ends after TEXT_ROWS rows unless -n gives a
 * number. CSV and JSON are written row by row and have no limit.
 */
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/formats.h"
#include "cli/list/listed_thread.h"
#include "cli/list/mem_lines.h"
#include "query/questions/mem.h"
#include "query/threads.h"

static const char doc[] =
	"List the accesses of memory in FILE (waymark.wmk), which was recorded with --mem: "
	"what, where, by whom."
	"\vADDR is an address or the name of a variable, perhaps with an offset: 0x11f00, "
	"counter, table+0x40. LEN is in bytes. PLACE is an instruction's number in its "
	"thread, or as for --to. GROUP is function, line, object or page; of a managed program method or source. Cache lines are of 64 bytes, pages "
	"of 4,096. Text lists 10,000 accesses at most unless -n "
	"is given. ";

enum {
	OPTION_WATCH = 256 + 100,
	OPTION_LAST_WRITER,
	OPTION_WORKING_SET,
	OPTION_INTERVAL,
	OPTION_REUSE,
	OPTION_REGISTERS,
	OPTION_FORMAT,
};
#define TEXT_ROWS 10000

static const struct argp_option options[] = {
	{ "watch", OPTION_WATCH, "ADDR[,LEN]", 0, "Only accesses of these bytes", 0 },
	{ "last-writer", OPTION_LAST_WRITER, "ADDR[@[THREAD:]PLACE]", 0,
	  "The last store to an address before an instruction or a place", 0 },
	{ "by", 'b', "GROUP", 0,
	  "Sums for each function, source line, object, page or method, with strides; with --watch, of "
	  "what is watched",
	  0 },
	{ "working-set", OPTION_WORKING_SET, NULL, 0,
	  "Cache lines and pages touched in each interval", 0 },
	{ "interval", OPTION_INTERVAL, "N", 0,
	  "Working sets of intervals of N instructions (1M)", 0 },
	{ "reuse", OPTION_REUSE, NULL, 0,
	  "How many other cache lines are used between two uses of one", 0 },
	{ "registers", OPTION_REGISTERS, NULL, 0,
	  "Values of registers instead, and others that record --value or --commits took",
	  0 },
	{ "format", OPTION_FORMAT, "FORMAT", 0,
	  "text, csv or json (text); or a format below, of all instructions of a thread",
	  0 },
	{ 0 },
};

struct mem {
	const struct mem_format *format; /* NULL: a table */
	bool limited;			 /* to TEXT_ROWS, because -n was not given */
	bool full;			 /* the limit was reached */
};

/*
 * Whether all accesses are listed: no option selects another answer or a few of them. A
 * list of values of registers is as long as one of accesses.
 */
static bool is_list(const struct ask *ask)
{
	for (unsigned i = 0; i < ask->query.question->n_options; i++)
		if (query_given(&ask->query, i) && i != MEM_REGISTERS)
			return false;
	return true;
}

/* Conflicts and the limit are decided when all options are known: ARGP_KEY_SUCCESS. */
static error_t parse(struct ask *ask, int key, char *arg, struct argp_state *state)
{
	struct mem *mem = ask->cookie;

	if (key == OPTION_FORMAT) {
		mem->format = (const struct mem_format *)format_or_table_or_end(
			arg, FORMAT_MEM, TABLE_AS_JSON + 1, &ask->format, state);
		return 0;
	}
	/* Such a format has a fixed content: other options would have no effect. */
	if (key == ARGP_KEY_SUCCESS && mem->format &&
	    (!is_list(ask) || ask->query.function ||
	     query_given(&ask->query, MEM_REGISTERS)))
		argp_error(state,
			   "--format %s has all instructions: no other option of "
			   "mem goes with it",
			   mem->format->format.name);
	/* Such a list follows its thread from the begin to the end. */
	if (key == ARGP_KEY_SUCCESS)
		ask->alone = mem->format;
	if (key == ARGP_KEY_SUCCESS && is_list(ask) && !mem->format &&
	    ask->format == TABLE_AS_TEXT && ask->query.view.rows == UINT64_MAX) {
		ask->query.view.rows = TEXT_ROWS;
		mem->limited = true;
	}
	return ARGP_ERR_UNKNOWN;
}

/*
 * The question's rows. Whether the table became full is known only here; sorted, it takes all
 * rows, and prints the first.
 */
static int fill(void *cookie, struct table *table, struct wm_error *err)
{
	struct ask *ask = cookie;
	struct mem *mem = ask->cookie;
	int ret = ask->query.question->fill(&ask->query, table, err);

	mem->full = mem->limited && (ask->query.view.sort ? table->rows > TEXT_ROWS :
							    table_is_full(table));
	return ret;
}

/*
 * A format of other programs describes one thread: the first one that is selected and recorded. The
 * progress display ends before the first line is printed.
 */
static int print_lines(struct ask *ask, const struct mem_format *format,
		       struct wm_error *err)
{
	const struct query *query = &ask->query;
	const struct selection *selection = &query->selection;
	unsigned first = threads_first_recorded(query->source.trace, selection->streams,
						selection->n);
	struct mem_lines lines = {
		.format = format,
		.source = &query->source,
		.thread = selection->streams[first],
		.from = selection->from,
		.to = selection->to,
		.count = query->view.rows,
		.excerpts = selection_excerpts(selection, selection->streams[first]),
	};

	int ret;

	watch_end(&ask->watch);
	ret = mem_lines_print(
		&lines, share_options_is_on(&ask->shared) ? &ask->shared.share : NULL,
		err);
	if (!ret)
		remark_listed_thread(selection->n, lines.thread, "");
	return ret;
}

static int answer(struct ask *ask, struct wm_error *err)
{
	const struct mem *mem = ask->cookie;

	if (mem->format)
		return print_lines(ask, mem->format, err);
	return ask_print_rows(ask, fill, ask, err);
}

int cmd_mem(int argc, char **argv)
{
	const struct ask_command command = {
		.question = "mem",
		.doc = formats_help(doc, FORMAT_MEM),
		.args = "[FILE]",
		.takes = ASK_FUNCTION | ASK_TABLE | ASK_SHARE,
		.options = options,
		.parse = parse,
	};
	struct mem mem = { .limited = false };
	struct ask ask;
	int status;

	ask_parse(&ask, &command, &mem, argc, argv);
	status = ask_run(&ask, answer);
	/* After the table, where it is not scrolled away. */
	if (mem.full && status == EXIT_OK)
		remark("these are the first %d rows; -n says how many, and --format "
		       "csv has all",
		       TEXT_ROWS);
	ask_fini(&ask);
	return status;
}
