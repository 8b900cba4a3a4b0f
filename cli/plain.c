// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A stream without control characters: names in a trace, and what was typed, may contain
 * orders to the terminal, and nobody who prints them by stdio can forget to clean them.
 *
 * Some are two bytes in UTF-8 (U+0080 to U+009F), which two writes may separate: so the last
 * byte of the previous write is kept.
 */
#include "cli/plain.h"

#include "out/text.h"

#include <string.h>
#include <sys/types.h>

/* The write function of a stdio stream; 0 reports a failure. */
static ssize_t write_plain(void *cookie, const char *data, size_t bytes)
{
	struct plain *plain = cookie;
	char text[BUFSIZ + 1];

	for (size_t done = 0, n; done < bytes; done += n) {
		n = bytes - done < BUFSIZ ? bytes - done : BUFSIZ;
		text[0] = plain->last; /* a character may be in two pieces */
		memcpy(text + 1, data + done, n);
		text_make_plain(text, n + 1);
		if (!plain->write(text + 1, n))
			return 0;
		plain->last = text[n];
	}
	return (ssize_t)bytes;
}

FILE *plain_open(struct plain *plain, bool (*write)(const char *text, size_t bytes))
{
	static const cookie_io_functions_t functions = { .write = write_plain };

	*plain = (struct plain){ .write = write };
	return fopencookie(plain, "w", functions);
}
