// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Draws the panes. Instructions are shown in the order in which they ran, not in that of
 * the file: above the position is what led to it, below it what follows, also across
 * calls and returns. The source is that of the selected frame.
 *
 *	position
 *	source         | instructions		one above the other on a narrow terminal
 *	stack
 *	message or keys
 *
 * A source file is read when it is first shown. Lines and names can hold any bytes: those
 * that a terminal would interpret are replaced (text_make_plain()).
 *
 * Every row is cut to its area and filled with spaces to its full width, so panes cannot
 * overwrite each other.
 */
#include "cli/browse/panes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "cli/browse/browser_methods.h"
#include "cli/screen.h"
#include "out/number.h"
#include "out/shorten.h"
#include "out/text.h"

/*
 * SIDE_BY_SIDE: below this width a pane would be too narrow for a line of source.
 * STACK_ROWS includes the header.
 */
enum {
	SIDE_BY_SIDE = 96, /* columns */
	ROW_BYTES = 1600,
	STACK_ROWS = 6,
	MNEMONIC_COLUMNS = 8,
	HELP_COLUMNS = 40,  /* of one column of keys */
	TITLE_COLUMNS = 60, /* for a title with all of the position */
};

struct area {
	unsigned row, column, rows, columns;
};

/* ---- text in an area ------------------------------------------------------- */

/*
 * Writes row `at` of the area, cut to its width and filled up, so that a style covers all
 * of it. The text gets half of row[], and the other half is for the spaces. Rows below the
 * area are dropped, so callers need not count.
 */
static void put(const struct area *area, unsigned at, enum screen_style style,
		const char *text)
{
	char row[ROW_BYTES];
	size_t columns, fitting;

	snprintf(row, sizeof(row) / 2, "%s", text);
	text_make_plain(row, strlen(row));
	fitting = utf8_fitting(row, area->columns);
	row[fitting] = '\0';
	columns = utf8_columns(row);
	for (; columns < area->columns && fitting + 1 < sizeof(row); columns++)
		row[fitting++] = ' ';
	row[fitting] = '\0';
	if (at < area->rows)
		screen_put(area->row + at, area->column, style, row);
}

/* A name in at most `columns`; one that is too long keeps its offset. Returns text. */
static const char *fit_name(char text[BROWSER_TEXT], const char *name, unsigned columns)
{
	char *fitting = utf8_columns(name) > columns ? shorten(name, columns) : NULL;

	/* The caller's text may be the name. */
	if (fitting)
		snprintf(text, BROWSER_TEXT, "%s", fitting);
	else if (text != name)
		snprintf(text, BROWSER_TEXT, "%s", name);
	free(fitting);
	return text;
}

/* ---- source ---------------------------------------------------------------- */

/* Centres the line of the frame. Row 0 is the header, so row 1 shows line `first`. */
static void draw_source(struct sources *sources, const struct browser *browser,
			const struct area *area)
{
	const struct frame *frame = &browser->frames.all[browser->selected];
	uint32_t line = frame->line.number;
	const char *path = browser_frame_path(browser, frame);
	char text[ROW_BYTES];
	uint32_t first;
	size_t length;

	put(area, 0, STYLE_HEADER, path ? "" : "source: not known of this code");
	if (!path)
		return;
	/* The end of a path says more than its begin. */
	length = strlen(path);
	snprintf(text, sizeof(text), "%s%.700s", length > area->columns ? "..." : "",
		 length > area->columns ? path + length - area->columns + 3 : path);
	put(area, 0, STYLE_HEADER, text);
	if (!sources_line(sources, path, 1)) {
		put(area, 1, STYLE_DIM, "the file is not here");
		return;
	}
	first = line > area->rows / 2 ? line - area->rows / 2 : 1;
	for (unsigned row = 1; row < area->rows; row++) {
		uint32_t number = first + row - 1;
		const char *code = sources_line(sources, path, number);

		if (!code)
			break;
		snprintf(text, sizeof(text), "%c%5" PRIu32 "  %.700s",
			 number == line ? '>' : ' ', number, code);
		put(area, row, number == line ? STYLE_BAR : STYLE_PLAIN, text);
	}
}

/* ---- instructions ---------------------------------------------------------- */

static void draw_insn(const struct browser *browser, const struct area *area,
		      unsigned row, bool is_here)
{
	const struct walk *walk = &browser->walk;
	char insn[NUMBER_TEXT], place[BROWSER_TEXT], wide[160] = "", text[ROW_BYTES];
	unsigned columns = area->columns > 70 ? 24 : area->columns > 45 ? 18 : 12;
	int digits = (int)strlen(number_grouped(insn, tape_end(walk->tape)));
	char *code;

	wm_trace_disas(walk->trace, walk->block.id, walk->index, wide, sizeof(wide));
	code = text_disas_new(wide, MNEMONIC_COLUMNS);
	browser_place(browser, walk->block.id, walk->block.space, walk_address(walk),
		      place);
	fit_name(place, place, columns);
	snprintf(text, sizeof(text), "%c%*s  %s%*s  %s", is_here ? '>' : ' ', digits,
		 number_grouped(insn, walk_insn(walk)), place,
		 (int)(columns - utf8_columns(place)), "", code ? code : "");
	free(code);
	put(area, row, is_here ? STYLE_BAR : STYLE_PLAIN, text);
}

/*
 * Goes back by half of the rows, draws while going forwards, and returns to the position.
 * At the begin of a thread fewer rows are above the position. The end of the thread is no
 * error.
 */
static int draw_insns(struct browser *browser, const struct area *area,
		      struct wm_error *err)
{
	struct walk *walk = &browser->walk;
	uint64_t at = walk_insn(walk);
	int ret = 0;

	put(area, 0, STYLE_HEADER, "instructions as they ran");
	for (unsigned i = 0; !ret && i < (area->rows - 1) / 2; i++)
		ret = walk_step(walk, WALK_INSN, true, err);
	ret = ret > 0 ? 0 : ret;
	for (unsigned row = 1; !ret && row < area->rows; row++) {
		draw_insn(browser, area, row, walk_insn(walk) == at);
		ret = walk_step(walk, WALK_INSN, false, err);
	}
	return ret < 0 ? ret : walk_seek(walk, at, err);
}

/* ---- bytecodes --------------------------------------------------------------- */

static void draw_bytecode(const struct browser *browser, const struct area *area,
			  unsigned row, const struct bytecode_at *at, bool is_here)
{
	char insn[NUMBER_TEXT], place[BROWSER_TEXT] = "", code[BROWSER_TEXT],
				text[ROW_BYTES];
	unsigned columns = area->columns > 70 ? 30 : area->columns > 45 ? 22 : 14;
	int digits = (int)strlen(number_grouped(insn, tape_end(browser->walk.tape)));

	snprintf(code, sizeof(code), "what follows is not known");
	if (at->unit) {
		browser_methods_place(at->unit, at->offset, place);
		fit_name(place, place, columns);
		bytecode_text(&browser->methods.names, at->unit, at->offset, code,
			      sizeof(code));
	}
	snprintf(text, sizeof(text), "%c%*s  %s%*s %c%s", is_here ? '>' : ' ', digits,
		 number_grouped(insn, at->insn), place,
		 (int)(columns - utf8_columns(place)), "", at->mark, code);
	put(area, row, is_here ? STYLE_BAR : STYLE_PLAIN, text);
}

/* The position is in the middle, or higher at the begin of the thread. */
static void draw_bytecodes(const struct browser *browser, const struct area *area)
{
	const struct bytewalk_view *view = &browser->methods.view;
	size_t above = (area->rows - 1) / 2;
	size_t first = view->here > above ? view->here - above : 0;

	put(area, 0, STYLE_HEADER, "bytecodes as they ran (v: instructions)");
	for (unsigned row = 1; row < area->rows && first < view->n_rows; row++, first++)
		draw_bytecode(browser, area, row, &view->rows[first],
			      first == view->here);
}

/* ---- stack ----------------------------------------------------------------- */

/*
 * `first` scrolls the list: the header takes one row, so rows - 1 frames fit, and the
 * selected one is always among them.
 */
static void draw_stack(const struct browser *browser, const struct area *area)
{
	size_t first = browser->selected + 2 > area->rows ?
			       browser->selected + 2 - area->rows :
			       0;
	char text[ROW_BYTES], place[BROWSER_TEXT], insn[NUMBER_TEXT];
	unsigned row = 1, wide = area->columns > 70 ? 40 : 20;

	put(area, 0, STYLE_HEADER,
	    browser->frames.whole ? "stack" :
				    "stack, as far as it was looked for (R: all of it)");
	for (size_t i = first; i < browser->frames.n && row < area->rows; i++, row++) {
		const struct frame *frame = &browser->frames.all[i];
		const char *path = browser_frame_path(browser, frame);
		const char *slash = path ? strrchr(path, '/') : NULL;

		browser_frame_place(browser, frame, place);
		fit_name(place, place, wide);
		number_grouped(insn, frame->at.insn);
		snprintf(text, sizeof(text), "%c#%-3zu %s%*s %s%s%.0" PRIu32 "  %s%s",
			 i == browser->selected ? '>' : ' ', i, place,
			 (int)(wide - utf8_columns(place)), "",
			 path ? (slash ? slash + 1 : path) : "", path ? ":" : "",
			 frame->line.number, frame->inlined ? "inlined" : "at ",
			 frame->inlined ? "" : insn);
		put(area, row, i == browser->selected ? STYLE_HOT : STYLE_PLAIN, text);
	}
}

/* ---- all ------------------------------------------------------------------- */

/*
 * In as many columns as there is room for, and as many pages: h shows the next one. A page
 * behind the last is no more text, so the help ends.
 */
static void draw_help(struct browser *browser, const struct area *area)
{
	static const char *const lines[] = {
		"Capitals go back in time.",
		"s S  step to another line",
		"n N  next line, over calls",
		"i I  one instruction (also arrow keys)",
		"o O  one instruction, over calls",
		"f F  finish: where it returns; the call",
		"u d  select the frame above, below",
		"     Return goes to its position",
		"g G  go to the next, the previous:",
		"     1000  main  sort.c:17  0x10566",
		"     marker:7  syscall:write  signal",
		"/ ?  search instructions and functions",
		"> <  the same place again",
		"ma   set mark a;  'a  go there",
		"^ $  first and last instruction",
		"t T  next and previous thread",
		"R    read the whole stack",
		"v    bytecodes, or their instructions",
		"h    these keys",
		"q    quit",
		"Any key ends a search that takes long.",
	};
	enum { LINES = sizeof(lines) / sizeof(*lines) };
	unsigned columns = area->columns / HELP_COLUMNS ? area->columns / HELP_COLUMNS :
							  1;
	unsigned rows = area->rows > 1 ? area->rows - 1 : 1;
	unsigned page = browser->help - 1, per_page = rows * columns;

	if (page * per_page >= LINES) {
		browser->help = 0;
		return;
	}
	/* Fewer rows where one page has room to spare, so that columns are read first. */
	if (per_page >= LINES)
		rows = (LINES + columns - 1) / columns;
	put(area, 0, STYLE_HEADER,
	    (page + 1) * per_page < LINES ? "keys (h: more of them)" :
					    "keys (h: back to the trace)");
	for (unsigned i = 0; i < per_page && page * per_page + i < LINES; i++) {
		struct area column = *area;

		column.column += i / rows * HELP_COLUMNS;
		column.columns -= i / rows * HELP_COLUMNS;
		put(&column, i % rows + 1, STYLE_PLAIN, lines[page * per_page + i]);
	}
}

/* Where no source is known, the instructions get its rows. */
static int draw_code(struct sources *sources, struct browser *browser,
		     const struct area *area, struct wm_error *err)
{
	struct area left = *area, right = *area;
	bool known = browser->frames.all[browser->selected].line.number > 0;

	if (area->columns >= SIDE_BY_SIDE) {
		left.columns = area->columns / 2 - 1;
		right.column = area->columns / 2;
		right.columns -= right.column;
	} else {
		left.rows = known ? area->rows / 2 : 1;
		right.row += left.rows;
		right.rows -= left.rows;
	}
	draw_source(sources, browser, &left);
	if (!browser_methods_shown(browser))
		return draw_insns(browser, &right, err);
	draw_bytecodes(browser, &right);
	return 0;
}

/* Where there is little room the place comes first, and the number of the instruction last. */
static void put_title(const struct browser *browser, const struct area *line)
{
	char text[2 * BROWSER_TEXT], title[3 * BROWSER_TEXT];
	const char *place = strstr(browser_position(browser, text), "  0x");
	char insn[NUMBER_TEXT];

	place = place ? strstr(place + 2, "  ") : NULL;
	if (line->columns < TITLE_COLUMNS && place)
		snprintf(title, sizeof(title), "%s  at %s", place + 1,
			 number_grouped(insn, walk_insn(&browser->walk)));
	else
		snprintf(title, sizeof(title), " thread %u  %s", browser->stream, text);
	put(line, 0, STYLE_TITLE, title);
}

/* The keys that a row has room for. Other ones wait behind h. */
static const char *keys_row(const struct browser *browser, unsigned columns)
{
	static const char *const of_methods =
		" h help  q quit  s step  n next  f finish  i bytecode  v instructions  g go to"
		"  / search  (capitals: back)";
	static const char *const rows[] = {
		" h help  q quit  s step  n next  f finish  i instruction  g go to  / search"
		"  (capitals: back)",
		" h help  q quit  s step  n next  f finish  g go to  / search  (capitals: back)",
		" h help  q quit  s step  n next  (capitals: back)",
		" h help  q quit  s step  n next",
		" h help  q quit",
	};
	enum { ROWS = sizeof(rows) / sizeof(*rows) };
	unsigned i = 0;

	if (browser_methods_shown(browser) && strlen(of_methods) <= columns)
		return of_methods;
	while (i + 1 < ROWS && strlen(rows[i]) > columns)
		i++;
	return rows[i];
}

/*
 * The rows are divided from the outside in: one for the title and one for the keys, then
 * the stack, which shrinks and then vanishes on a low terminal; the code gets the rest.
 */
int panes_draw(struct sources *sources, struct browser *browser, const char *prompt,
	       struct wm_error *err)
{
	unsigned rows, columns, stack;
	struct area line, code, frames;
	int ret = 0;

	screen_size(&rows, &columns);
	stack = rows > 20 ? STACK_ROWS : rows > 10 ? 3 : 0;
	line = (struct area){ 0, 0, rows, columns };
	code = (struct area){ 1, 0, rows > stack + 2 ? rows - stack - 2 : 0, columns };
	frames = (struct area){ 1 + code.rows, 0, stack, columns };
	screen_begin();
	put_title(browser, &line);
	if (browser->help) {
		struct area all = { 1, 0, rows > 2 ? rows - 2 : 0, columns };

		draw_help(browser, &all);
	}
	if (!browser->help && code.rows > 3)
		ret = draw_code(sources, browser, &code, err);
	if (!browser->help && stack)
		draw_stack(browser, &frames);
	put(&line, rows - 1, prompt ? STYLE_PLAIN : STYLE_DIM,
	    prompt	      ? prompt :
	    *browser->message ? browser->message :
				keys_row(browser, columns));
	screen_end();
	return ret;
}
