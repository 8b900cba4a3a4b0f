// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/plain.h"

#include "out/text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool write_all(const char *text, size_t bytes)
{
	while (bytes) {
		ssize_t done = write(STDOUT_FILENO, text, bytes);

		if (done < 0 && errno != EINTR)
			return false;
		if (done > 0) {
			text += done;
			bytes -= (size_t)done;
		}
	}
	return true;
}

/* What stdio calls to write; 0 tells it of failure. *last is the byte written before. */
static ssize_t write_plain(void *last, const char *data, size_t bytes)
{
	char text[BUFSIZ + 1];

	for (size_t done = 0, n; done < bytes; done += n) {
		n = bytes - done < BUFSIZ ? bytes - done : BUFSIZ;
		text[0] = *(char *)last; /* a character may be in two pieces */
		memcpy(text + 1, data + done, n);
		text_make_plain(text, n + 1);
		if (!write_all(text + 1, n))
			return 0;
		*(char *)last = text[n];
	}
	return (ssize_t)bytes;
}

void plain_stdout(void)
{
	static const cookie_io_functions_t functions = { .write = write_plain };
	static char last;
	FILE *plain = fopencookie(&last, "w", functions);

	if (!plain)
		return; /* as it was, then */
	if (isatty(STDOUT_FILENO))
		setvbuf(plain, NULL, _IOLBF, 0);
	stdout = plain;
}
