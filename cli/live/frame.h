/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What `waymark top` shows, as lines of text with a style each: for a terminal of any
 * size, or to be printed.
 */
#ifndef CLI_LIVE_FRAME_H
#define CLI_LIVE_FRAME_H

#include "cli/live/hotlist.h"
#include "cli/live/pulse.h"
#include "cli/screen.h"

#define FRAME_COLUMNS_MAX 400
#define FRAME_ROWS_MAX 300
#define FRAME_LINE_BYTES (FRAME_COLUMNS_MAX * 4 + 1) /* UTF-8 */

enum frame_list { FRAME_FUNCTIONS, FRAME_THREADS, FRAME_HELP, FRAME_LISTS };
enum frame_sort { SORT_SHARE, SORT_NAME, SORT_MODULE, SORTS };

struct frame_line {
	enum screen_style style;
	char text[FRAME_LINE_BYTES];
};

/* What to show, and how. */
struct frame_view {
	unsigned rows, columns;
	bool utf8;   /* the terminal shows UTF-8 */
	bool keys;   /* the last line lists keys */
	bool paused; /* the title says so */
	enum frame_list list;
	enum frame_sort sort;
	unsigned scroll;     /* lines of the list above the first one shown */
	const char *message; /* for the last line; NULL: none */
};

struct frame {
	unsigned n;
	struct frame_line lines[FRAME_ROWS_MAX];
	unsigned most_scroll; /* the largest useful view->scroll */
};

/* Builds the frame. Sorts the list's rows by view->sort. */
void frame_make(struct frame *frame, const struct frame_view *view,
		const struct pulse *pulse, struct hotlist *hot);

#endif
