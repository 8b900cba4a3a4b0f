/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The whole of a terminal, by curses. Whatever ends the process in order, and signals
 * that ask for its end, give the terminal back as it was.
 */
#ifndef CLI_LIVE_SCREEN_H
#define CLI_LIVE_SCREEN_H

#include <stdbool.h>

#include "cli/live/frame.h"

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
void screen_draw(const struct frame *frame);
/* Waits for a key, at most this long. */
int screen_key(unsigned milliseconds);
/* Ends the process by the signal that came. */
void screen_obey(void);

#endif
