/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The whole of a terminal, by curses. Whatever ends the process in order, and signals
 * that ask for its end, give the terminal back as it was.
 */
#ifndef CLI_SCREEN_H
#define CLI_SCREEN_H

#include <stdbool.h>

#include "waymark.h"

enum screen_style {
	STYLE_PLAIN,
	STYLE_TITLE,  /* the first line */
	STYLE_HEADER, /* of a table */
	STYLE_HOT,    /* what stands out in a table */
	STYLE_DIM,
	STYLE_BAR, /* the last line */
};

/* What screen_key() returns besides characters. */
enum screen_key {
	SCREEN_NOTHING = 0x10000, /* the time is over, or the size has changed */
	SCREEN_UP,
	SCREEN_DOWN,
	SCREEN_PAGE_UP,
	SCREEN_PAGE_DOWN,
	SCREEN_HOME,
	SCREEN_END,
	SCREEN_SIGNAL, /* one that asks for the end came: close, then screen_obey() */
};

/* Takes the terminal over; WM_E_IO when it cannot. */
int screen_open(struct wm_error *err);
void screen_close(void);
/* Whether characters beyond ASCII can be shown. */
bool screen_utf8(void);
void screen_size(unsigned *rows, unsigned *columns);
/* Empties the screen, then puts texts on it, then shows it. */
void screen_begin(void);
void screen_put(unsigned row, unsigned column, enum screen_style style, const char *text);
void screen_end(void);
/* Waits for a key, at most this long. */
int screen_key(unsigned milliseconds);
/* Whether a signal came that asks for the end: work that takes long is to stop. */
bool screen_signalled(void);
/* Ends the process by the signal that came. */
void screen_obey(void);

#endif
