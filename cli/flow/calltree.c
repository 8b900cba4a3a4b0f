// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints the rows of query/questions/calltree.h as nested text or JSON, through a sink
 * for each. In text, the line of a call that begins is held back until the next row,
 * because a call in which nothing else is shown takes a single line:
 *
 *	entry main, entry f, exit f, exit main	->	main() {
 *							  f();
 *							} (main)
 *
 * Invariant: while `waiting` is set, `name` and `remark` are those of the call that is held
 * back, and every row prints or completes it first.
 */
#include "cli/flow/calltree.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/utf8.h"
#include "cli/habits.h"
#include "cli/pager.h"
#include "out/json.h"
#include "out/number.h"
#include "out/shorten.h"
#include "out/text.h"
#include "query/questions/calltree.h"
#include "query/threads.h"

enum { INDENT = 2, LEVELS_MOST = 256, INSNS_WIDTH = 15 };
/* Names keep as much, however deep the calls are. */
enum { NAME_LEAST = 24 };

/* `sink` comes first: the callbacks get a pointer to it and cast. */
struct printer {
	struct table_sink sink;
	struct ask *ask;
	struct json json;
	bool headed;	    /* some thread has a heading, */
	uint64_t thread;    /* this one is the last */
	bool waiting;	    /* the last call that began is not printed yet */
	const char *remark; /* on that call */
	char room[100];	    /* for one that is no constant */
	uint64_t position;  /* where it begins */
	struct buf name;    /* of the function at hand, without control characters */
	struct buf line;    /* that is being put together */
	size_t columns;	    /* of the terminal; 0: names are whole */
};

static const char *name_of(const struct printer *printer)
{
	return (const char *)printer->name.data;
}

/* ---- text ---------------------------------------------------------------- */

/*
 * Of several threads each one with a call gets a heading. Rows come in the order of the
 * selection.
 */
static void put_thread(struct printer *printer, uint64_t thread)
{
	const struct query *query = &printer->ask->query;
	struct wm_stream stream;

	if (printer->headed && printer->thread == thread)
		return;
	if (query->selection.n > 1 &&
	    !wm_trace_stream(query->source.trace, (unsigned)thread, &stream)) {
		printf("%sthread %u, ", printer->headed ? "\n" : "", (unsigned)thread);
		text_end_line(stdout, thread_name(query->source.trace, &stream));
	}
	printer->headed = true;
	printer->thread = thread;
}

/*
 * Lines are put together in printer->line: there is one for each call, and a call of stdio for
 * each part of it would take half of the time.
 */
static void put(struct printer *printer, const char *text)
{
	buf_put(&printer->line, text, strlen(text));
}

static void put_blanks(struct printer *printer, size_t n)
{
	static const char blanks[] = "                                ";
	const size_t most = sizeof(blanks) - 1;

	for (; n > most; n -= most)
		buf_put(&printer->line, blanks, most);
	buf_put(&printer->line, blanks, n);
}

static void put_column(struct printer *printer, const char *number)
{
	size_t length = strlen(number);

	put_blanks(printer, length < INSNS_WIDTH ? INSNS_WIDTH - length : 0);
	put(printer, number);
}

static void end_line(struct printer *printer)
{
	put(printer, "\n");
	fwrite(printer->line.data, 1, printer->line.len, stdout);
	printer->line.len = 0;
}

/*
 * A column for the position, one for instructions, which is empty on lines that begin a
 * call, then the indentation. It ends somewhere, and then lines have their level: recursion
 * 100,000 deep would be 20 GB of blanks.
 */
static void put_start(struct printer *printer, uint64_t position, const char *insns,
		      uint64_t level)
{
	uint64_t shown = level < LEVELS_MOST ? level : LEVELS_MOST;
	char text[NUMBER_TEXT];

	put_column(printer, number_grouped(text, position));
	put_column(printer, insns);
	put_blanks(printer, 2 + shown * INDENT);
	if (level == shown)
		return;
	put(printer, "[");
	put(printer, number_grouped(text, level));
	put(printer, "] ");
}

/* Demangled C++ names end with their parameters; C names have none. */
static const char *parentheses(const char *name)
{
	size_t length = strlen(name);

	return length && name[length - 1] == ')' ? "" : "()";
}

/*
 * The remark on a call of a certain kind; NULL for a plain call. Constants are returned, or a
 * copy, because cells are valid during the call of the sink only.
 */
static const char *remark_of(struct printer *printer, const struct table_cell *cells)
{
	const char *kind = cells[CALLTREE_KIND].text;

	if (!strcmp(kind, "irq")) {
		snprintf(printer->room, sizeof(printer->room), "%s",
			 cells[CALLTREE_DETAIL].text);
		return printer->room;
	}

	if (!strcmp(kind, "trap"))
		/* A name of a cause is a constant of the table of events. */
		return cells[CALLTREE_DETAIL].filled ? cells[CALLTREE_DETAIL].text :
						       "trap";
	if (!strcmp(kind, "syscall"))
		/* So is that of a system call. */
		return cells[CALLTREE_DETAIL].filled ? cells[CALLTREE_DETAIL].text :
						       "system call";
	return !strcmp(kind, "tail")	? "tail call" :
	       !strcmp(kind, "jump")	? "by a jump" :
	       !strcmp(kind, "signal")	? "signal handler" :
	       !strcmp(kind, "inline")	? "inlined" :
	       !strcmp(kind, "resumed") ? "resumed" :
					  NULL;
}

/* The name at the end of the line, before `behind` more columns. */
static void put_fitting(struct printer *printer, size_t behind)
{
	const char *name = name_of(printer);
	size_t others = printer->line.len + behind, left = NAME_LEAST;
	char *brief = NULL;

	if (printer->columns > others + left)
		left = printer->columns - others;
	if (printer->columns && utf8_columns(name) > left)
		brief = shorten(name, left);
	put(printer, brief ? brief : name);
	free(brief);
}

static void put_name(struct printer *printer, const char *remark, const char *end)
{
	static const char begin_remark[] = "  /* ", end_remark[] = " */";
	const char *brackets = parentheses(name_of(printer));
	size_t behind = strlen(brackets) + strlen(end);

	if (remark)
		behind += strlen(begin_remark) + strlen(remark) + strlen(end_remark);
	put_fitting(printer, behind);
	put(printer, brackets);
	put(printer, end);
	if (remark) {
		put(printer, begin_remark);
		put(printer, remark);
		put(printer, end_remark);
	}
	end_line(printer);
}

/* Another row follows inside the call: its line becomes one that opens a brace. */
static void put_waiting(struct printer *printer, uint64_t level)
{
	if (!printer->waiting)
		return;
	put_start(printer, printer->position, "", level);
	put_name(printer, printer->remark, " {");
	printer->waiting = false;
}

/* The line that closes the brace. */
static void put_end(struct printer *printer, const char *remark)
{
	put(printer, "} /* ");
	put_fitting(printer,
		    strlen(*remark ? ", " : "") + strlen(remark) + strlen(" */"));
	put(printer, *remark ? ", " : "");
	put(printer, remark);
	put(printer, " */");
	end_line(printer);
}

/*
 * A call that is still held back ends on the line that begins it. "open" means that the
 * trace ends inside the call, "cut" that -n did.
 */
static void put_exit(struct printer *printer, const struct table_cell *cells)
{
	const char *event = cells[CALLTREE_EVENT].text;
	const char *remark = !strcmp(event, "open") ? "still in it" :
			     !strcmp(event, "cut")  ? "cut by -n" :
						      "";
	char number[NUMBER_TEXT], end[32] = ";";

	number_grouped(number, cells[CALLTREE_INSNS].count);
	/* A call that takes a line has the position of its beginning, as others have. */
	put_start(printer,
		  printer->waiting ? printer->position : cells[CALLTREE_INSN].count,
		  number, cells[CALLTREE_DEPTH].count);
	if (printer->waiting && *remark)
		snprintf(end, sizeof(end), "; /* %s */", remark);
	if (printer->waiting)
		put_name(printer, remark_of(printer, cells), end);
	else
		put_end(printer, remark);
	printer->waiting = false;
}

/* The cell is gone when the held back line is printed, so the name is copied. */
static int set_name(struct printer *printer, const char *name, struct wm_error *err)
{
	printer->name.len = 0;
	buf_put(&printer->name, name, strlen(name) + 1);
	if (printer->name.failed || printer->line.failed)
		return wm_fail_nomem(err, "names");
	text_make_line((char *)printer->name.data);
	return 0;
}

/* WM_END stops the question: nobody reads the rest when stdout is closed. */
static int text_row(struct table_sink *sink, const struct table_cell *cells,
		    struct wm_error *err)
{
	struct printer *printer = (struct printer *)sink;
	bool begins = !strcmp(cells[CALLTREE_EVENT].text, "entry");
	int ret;

	put_thread(printer, cells[CALLTREE_THREAD].count);
	/*
	 * The call that is held back is one level further out than the one that begins.
	 */
	if (begins)
		put_waiting(printer, cells[CALLTREE_DEPTH].count - 1);
	ret = set_name(printer, cells[CALLTREE_FUNCTION].text, err);
	if (ret)
		return ret;
	if (begins) {
		printer->waiting = true;
		printer->remark = remark_of(printer, cells);
		printer->position = cells[CALLTREE_INSN].count;
	} else {
		put_exit(printer, cells);
	}
	return ferror_unlocked(stdout) ? WM_END : 0;
}

static void begin_printing(const struct printer *printer)
{
	watch_end(&printer->ask->watch);
	pager_start();
}

static int begin_text(struct table_sink *sink, const struct table_column *columns,
		      unsigned n, struct wm_error *err)
{
	(void)columns;
	(void)n;
	(void)err;
	begin_printing((struct printer *)sink);
	printf("%*s%*s  %s\n", INSNS_WIDTH, "position", INSNS_WIDTH, "insns", "call");
	return 0;
}

static int end_text(struct table_sink *sink, struct wm_error *err)
{
	(void)sink;
	(void)err;
	return 0;
}

/* ---- JSON ---------------------------------------------------------------- */

/* Not indented, one call a line: readers of streams can work by lines. */
static int begin_json(struct table_sink *sink, const struct table_column *columns,
		      unsigned n, struct wm_error *err)
{
	struct printer *printer = (struct printer *)sink;

	(void)columns;
	(void)n;
	(void)err;
	begin_printing(printer);
	json_init(&printer->json, stdout, false);
	json_object(&printer->json, NULL);
	json_array(&printer->json, "calls");
	return 0;
}

static int json_row(struct table_sink *sink, const struct table_cell *cells,
		    struct wm_error *err)
{
	struct json *json = &((struct printer *)sink)->json;

	(void)err;
	json_object(json, NULL);
	json_uint(json, "thread", cells[CALLTREE_THREAD].count);
	json_string(json, "event", cells[CALLTREE_EVENT].text);
	json_uint(json, "insn", cells[CALLTREE_INSN].count);
	json_uint(json, "depth", cells[CALLTREE_DEPTH].count);
	json_string(json, "kind", cells[CALLTREE_KIND].text);
	json_string(json, "function", cells[CALLTREE_FUNCTION].text);
	if (cells[CALLTREE_DETAIL].filled)
		json_string(json, "detail", cells[CALLTREE_DETAIL].text);
	if (cells[CALLTREE_INSNS].filled)
		json_uint(json, "insns", cells[CALLTREE_INSNS].count);
	json_close(json);
	return ferror_unlocked(stdout) ? WM_END : 0;
}

static int end_json(struct table_sink *sink, struct wm_error *err)
{
	struct printer *printer = (struct printer *)sink;

	(void)err;
	json_close(&printer->json);
	json_close(&printer->json);
	return 0;
}

int calltree_print(struct ask *ask, struct wm_error *err)
{
	static const struct table_sink text = { begin_text, text_row, end_text };
	static const struct table_sink json = { begin_json, json_row, end_json };
	struct printer printer = {
		.sink = ask->format == TABLE_AS_JSON ? json : text,
		.ask = ask,
		.name = BUF_INIT,
		.line = BUF_INIT,
		.columns = ask->format == TABLE_AS_JSON ? 0 : terminal_room(),
	};
	int ret = query_ask(&ask->query, &printer.sink, err);

	buf_fini(&printer.name);
	buf_fini(&printer.line);
	return ret;
}
