// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Builds the lines of one frame from the latest status and sample. Every line fits the
 * terminal: in a row the function's name is cut first, and on a narrow terminal the last
 * columns are missing. Names come from the guest, so control characters are removed
 * (cut()).
 *
 * From top to bottom: title, figures, history, threads, list of functions, and on a
 * terminal a last line for keys. The list gets the rows that are left: of 24 rows, 23 are
 * for content, 5 of these come before the threads, and most_scroll is how far the list
 * can be scrolled.
 *
 * Invariant: frame->n never exceeds view->rows or FRAME_ROWS_MAX; new_line() is the only
 * function that increases it.
 */
#include "cli/live/frame.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "out/number.h"
#include "out/text.h"

#define THREADS_SHOWN 4 /* above the functions */

/* ---- lines --------------------------------------------------------------- */

/*
 * The bytes of the first `columns` characters. Continuation bytes of UTF-8 (10xxxxxx)
 * belong to the character before. Wide characters count as one column.
 */
static size_t fitting(const char *text, unsigned columns)
{
	size_t bytes = 0;

	while (text[bytes]) {
		if (((unsigned char)text[bytes] & 0xc0) != 0x80 && columns-- == 0)
			break;
		bytes++;
	}
	return bytes;
}

/* Counts the bytes that begin a character. */
static unsigned columns_of(const char *text)
{
	unsigned columns = 0;

	for (; *text; text++)
		columns += ((unsigned char)*text & 0xc0) != 0x80;
	return columns;
}

/*
 * Adds an empty line; NULL when the frame is full, which callers ignore: the rest is not
 * shown.
 */
static struct frame_line *new_line(struct frame *frame, const struct frame_view *view,
				   enum screen_style style)
{
	struct frame_line *line = &frame->lines[frame->n];

	if (frame->n >= view->rows || frame->n >= FRAME_ROWS_MAX)
		return NULL;
	frame->n++;
	line->style = style;
	line->text[0] = '\0';
	return line;
}

/* Control characters go first, because their replacement keeps the length. */
static void cut(struct frame_line *line, const struct frame_view *view)
{
	text_make_line(line->text);
	line->text[fitting(line->text, view->columns)] = '\0';
}

__attribute__((format(printf, 4, 5))) static void put_line(struct frame *frame,
							   const struct frame_view *view,
							   enum screen_style style,
							   const char *format, ...)
{
	struct frame_line *line = new_line(frame, view, style);
	va_list args;

	if (!line)
		return;
	va_start(args, format);
	vsnprintf(line->text, sizeof(line->text), format, args);
	va_end(args);
	cut(line, view);
}

/* A line with one text at each end; the left one is cut when they do not fit together. */
static void put_ends(struct frame *frame, const struct frame_view *view,
		     enum screen_style style, const char *left, const char *right)
{
	/* One blank at least separates the two. */
	unsigned used = columns_of(right) + 1;
	unsigned room = view->columns > used ? view->columns - used : 0;
	int bytes = (int)fitting(left, room);
	int blanks = (int)(room > columns_of(left) ? room - columns_of(left) : 0);

	put_line(frame, view, style, "%.*s%*s %s", bytes, left, blanks, "", right);
}

/* ---- figures ------------------------------------------------------------- */

/* Three significant digits: "347 M", "1.20 k". Limits are where rounding adds a digit. */
static const char *scaled(char text[NUMBER_TEXT], double value)
{
	static const char *const units[] = { "", " k", " M", " G", " T" };
	unsigned unit = 0;

	/* From 999.5 on the text would be "1000". */
	while (value >= 999.5 && unit + 1 < sizeof(units) / sizeof(*units)) {
		value /= 1000;
		unit++;
	}
	snprintf(text, NUMBER_TEXT, "%.*f%s",
		 !unit || value >= 99.95 ? 0 :
		 value >= 9.995		 ? 1 :
					   2,
		 value, units[unit]);
	return text;
}

/*
 * The latest rates as bars, the newest at the right, scaled to the highest. A rate above
 * 0 has at least the lowest bar, so that "slow" differs from "stopped".
 */
static void put_history(struct frame *frame, const struct frame_view *view,
			const struct pulse *pulse)
{
	static const char *const fine[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const coarse[] = {
		" ", ".", ".", ":", "-", "=", "+", "*", "#"
	};
	struct frame_line *line = new_line(frame, view, STYLE_PLAIN);
	/* One blank on each side. */
	unsigned most = view->columns > 2 ? view->columns - 2 : 0;
	unsigned n = pulse->n_history < most ? pulse->n_history : most;
	double top = 0;
	char *to;

	if (!line)
		return;
	/* The scale is that of the rates that are shown. */
	for (unsigned i = 0; i < n; i++)
		top = pulse->history[i] > top ? pulse->history[i] : top;
	to = line->text + sprintf(line->text, " ");
	/* history[0] is the newest. */
	for (unsigned i = n; i-- > 0;) {
		double share = top > 0 ? pulse->history[i] / top : 0;
		unsigned level = (unsigned)(share * 8 + 0.5);

		level = !level && pulse->history[i] > 0 ? 1 : level;
		to = stpcpy(to, (view->utf8 ? fine : coarse)[level]);
	}
	cut(line, view);
}

static void put_title(struct frame *frame, const struct frame_view *view,
		      const struct pulse *pulse)
{
	const char *file = pulse->status.file, *slash = strrchr(file, '/');
	char left[FRAME_LINE_BYTES], time[NUMBER_TEXT], right[2 * NUMBER_TEXT];

	snprintf(left, sizeof(left), " waymark top   %.*s   %s%s", FRAME_COLUMNS_MAX,
		 slash ? slash + 1 : file, recorder_state(&pulse->status),
		 view->paused ? "   (display paused)" : "");
	snprintf(right, sizeof(right), "%s ",
		 number_seconds(time, (double)pulse->status.elapsed_ns / 1e9));
	put_ends(frame, view, STYLE_TITLE, left, right);
}

static void put_rates(struct frame *frame, const struct frame_view *view,
		      const struct pulse *pulse)
{
	const struct status *status = &pulse->status;
	char insns[NUMBER_TEXT], blocks[NUMBER_TEXT], bytes[NUMBER_TEXT];
	char growth[NUMBER_TEXT];

	put_line(frame, view, STYLE_PLAIN,
		 " %8s instructions/s  %8s blocks/s   %" PRIu32 " process%s, %" PRIu32
		 " thread%s",
		 scaled(insns, pulse->insns), scaled(blocks, pulse->blocks),
		 status->all_processes, status->all_processes == 1 ? "" : "es",
		 status->all_threads, status->all_threads == 1 ? "" : "s");
	put_line(frame, view, STYLE_PLAIN, " %8s instructions in %s, growing by %s/s",
		 scaled(insns, (double)status->insns), number_bytes(bytes, status->bytes),
		 number_bytes(growth, (uint64_t)pulse->bytes));
}

/* Bits per instruction of the whole file and of the last interval. */
static void put_density(struct frame *frame, const struct frame_view *view,
			const struct pulse *pulse)
{
	const struct status *status = &pulse->status;
	char all[NUMBER_TEXT], now[NUMBER_TEXT], windows[48] = "";

	/* Mentioned only when there are windows or filters. */
	if (status->windows)
		snprintf(windows, sizeof(windows), "   %" PRIu32 " window%s",
			 status->windows, status->windows == 1 ? "" : "s");
	put_line(frame, view, STYLE_PLAIN, " %8s bits per instruction, %s lately%s%s",
		 number_ratio(all, status->bytes, status->insns),
		 number_ratio(now, (uint64_t)pulse->bytes, (uint64_t)pulse->insns),
		 windows, status->filtered ? "   filtered" : "");
}

/* ---- tables -------------------------------------------------------------- */

/* 0 of nothing. */
static double percent(double part, double of)
{
	return of > 0 ? part * 100 / of : 0;
}

/*
 * Shares are of the instructions of all threads in the last interval. A thread that did
 * not run is dimmed.
 */
static void put_threads(struct frame *frame, const struct frame_view *view,
			const struct pulse *pulse, unsigned from, unsigned n)
{
	char rate[NUMBER_TEXT], insns[NUMBER_TEXT];
	double all = 0;

	for (uint32_t i = 0; i < pulse->status.n_threads; i++)
		all += pulse->threads[i].rate;
	put_line(frame, view, STYLE_HEADER, " %7s %12s %16s %8s %8s  %s", "share",
		 "per second", "instructions", "tid", "process", "thread");
	/* Threads are sorted: the fastest first. */
	for (unsigned i = from; i < pulse->status.n_threads && i - from < n; i++) {
		const struct pulse_thread *thread = &pulse->threads[i];

		put_line(frame, view, thread->rate > 0 ? STYLE_PLAIN : STYLE_DIM,
			 " %6.2f%% %12s %16s %8" PRIu32 " %8" PRIu32 "  %s",
			 percent(thread->rate, all), scaled(rate, thread->rate),
			 scaled(insns, (double)thread->insns), thread->tid,
			 thread->process, thread->name);
	}
}

/* Functions from 10 % on stand out. */
static void put_function(struct frame *frame, const struct frame_view *view,
			 const struct pulse *pulse, const struct hot_row *row)
{
	double share = percent((double)row->insns, (double)pulse->sample.insns);
	char left[FRAME_LINE_BYTES], insns[NUMBER_TEXT];

	snprintf(left, sizeof(left), " %6.2f%% %12s  %.*s", share,
		 scaled(insns, (double)row->insns), FRAME_COLUMNS_MAX, row->name);
	put_ends(frame, view, share >= 10 ? STYLE_HOT : STYLE_PLAIN, left, row->module);
}

static int by_name(const void *a, const void *b)
{
	const struct hot_row *one = a, *other = b;

	return strcmp(one->name, other->name);
}

/* Within a file the hottest function comes first. */
static int by_module(const void *a, const void *b)
{
	const struct hot_row *one = a, *other = b;
	int order = strcmp(one->module, other->module);

	if (order)
		return order;
	return one->insns < other->insns ? 1 : one->insns > other->insns ? -1 : 0;
}

/* hotlist_update() has sorted the rows by instructions; other orders sort them here. */
static void put_functions(struct frame *frame, const struct frame_view *view,
			  const struct pulse *pulse, struct hotlist *hot)
{
	static const char *const sorts[SORTS] = { "function", "function (by name)",
						  "function (by file)" };
	char left[80];

	/* A list that is in its order is not sorted again. */
	if (view->sort != SORT_SHARE && hot->n)
		qsort(hot->rows, hot->n, sizeof(*hot->rows),
		      view->sort == SORT_NAME ? by_name : by_module);
	snprintf(left, sizeof(left), " %7s %12s  %s", "share", "instructions",
		 sorts[view->sort]);
	put_ends(frame, view, STYLE_HEADER, left, "file");
	for (unsigned i = view->scroll; i < hot->n && frame->n < view->rows; i++)
		put_function(frame, view, pulse, &hot->rows[i]);
	/* An empty list must not look like an error. */
	if (!hot->n)
		put_line(frame, view, STYLE_DIM, "         nothing ran");
}

static void put_help(struct frame *frame, const struct frame_view *view)
{
	static const char *const help[] = {
		"  q          quit; the recording goes on",
		"  p          pause the display, and go on",
		"  space      look again now",
		"  s          sort functions by share, by name, by file",
		"  t          functions, or all threads",
		"  f          flush: write all up to now into the file",
		"  arrows     scroll; also page up and down, home",
		"  ?          this, and back",
		"",
		"  Shares are of the instructions that ran since the last look, in all threads.",
		"  An instruction counts for the function that its block begins in.",
	};

	put_line(frame, view, STYLE_HEADER, " keys");
	for (unsigned i = 0; i < sizeof(help) / sizeof(*help); i++)
		put_line(frame, view, STYLE_PLAIN, "%s", help[i]);
}

/* One row always stays visible: most_scroll is the index of the last one. */
static void put_list(struct frame *frame, const struct frame_view *view,
		     const struct pulse *pulse, struct hotlist *hot)
{
	unsigned n = pulse->status.n_threads, all = hot->n;

	if (view->list == FRAME_HELP) {
		put_help(frame, view);
		frame->most_scroll = 0;
		return;
	}
	if (view->list == FRAME_THREADS) {
		put_threads(frame, view, pulse, view->scroll, view->rows);
		all = n;
	} else {
		put_threads(frame, view, pulse, 0, THREADS_SHOWN);
		if (n > THREADS_SHOWN)
			put_line(frame, view, STYLE_DIM, "         and %u more",
				 n - THREADS_SHOWN);
		put_line(frame, view, STYLE_PLAIN, "%s", "");
		put_functions(frame, view, pulse, hot);
	}
	frame->most_scroll = all ? all - 1 : 0;
}

/* `view` has one row less than the terminal, so the bar needs a view with that row. */
static void put_bar(struct frame *frame, const struct frame_view *view)
{
	struct frame_view whole = *view;

	whole.rows = view->rows + 1;
	/* Empty lines push the bar to the bottom. */
	while (frame->n < view->rows)
		put_line(frame, view, STYLE_PLAIN, "%s", "");
	put_ends(frame, &whole, STYLE_BAR,
		 view->message ?
			 view->message :
			 " q quit  p pause  s sort  t threads  f flush  arrows scroll",
		 "? help ");
}

void frame_make(struct frame *frame, const struct frame_view *view,
		const struct pulse *pulse, struct hotlist *hot)
{
	struct frame_view upper = *view;

	/* The last line is reserved for the bar. */
	upper.rows -= view->keys && view->rows;
	frame->n = 0;
	put_title(frame, &upper, pulse);
	put_rates(frame, &upper, pulse);
	put_density(frame, &upper, pulse);
	put_history(frame, &upper, pulse);
	put_list(frame, &upper, pulse, hot);
	if (view->keys)
		put_bar(frame, &upper);
}
