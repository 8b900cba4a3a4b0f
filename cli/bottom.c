// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The guest and the recorder write to one terminal, and neither knows of the other. So the
 * recorder takes the last row out of the scrolling region (DECSTBM, as apt does): what the
 * guest writes scrolls above it. The cursor is saved and restored around each change, and a
 * change is one write(), which the kernel does not interleave with others. So the guest
 * finds the cursor where it left it, also in the middle of a line.
 *
 * A program that turns line editing of the terminal off has a plan for the whole screen: the
 * row is given back before the next text would be shown, and taken again afterwards.
 */
#include "cli/bottom.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { ROWS_LEAST = 4, TEXT_MAX = 512 };

static void put(const char *codes, int length)
{
	/* A terminal that is gone needs no line. */
	ssize_t ignored = write(STDERR_FILENO, codes, (size_t)length);

	(void)ignored;
}

static bool is_shared(void)
{
	struct termios modes;

	return tcgetattr(STDERR_FILENO, &modes) == 0 && modes.c_lflag & ICANON;
}

/*
 * IND moves the cursor down and scrolls in the last row only; one row up again, it stands on
 * the same text, and not in the last row.
 */
static void take_row(struct bottom *bottom, unsigned rows)
{
	char codes[64];

	put(codes,
	    snprintf(codes, sizeof(codes), "\033D\033[A\0337\033[1;%ur\0338", rows - 1));
	bottom->rows = rows;
}

void bottom_show(struct bottom *bottom, const char *text)
{
	char codes[TEXT_MAX];
	struct winsize size;

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || size.ws_row < ROWS_LEAST ||
	    !is_shared()) {
		bottom_end(bottom);
		return;
	}
	if (bottom->rows != size.ws_row) {
		bottom_end(bottom);
		take_row(bottom, size.ws_row);
	}
	put(codes,
	    snprintf(codes, sizeof(codes), "\0337\033[%u;1H\033[m%.*s\033[K\0338",
		     bottom->rows, size.ws_col - 1 < 400 ? size.ws_col - 1 : 400, text));
}

void bottom_end(struct bottom *bottom)
{
	char codes[64];

	if (bottom->rows)
		put(codes, snprintf(codes, sizeof(codes),
				    "\0337\033[r\033[%u;1H\033[K\0338", bottom->rows));
	bottom->rows = 0;
}
