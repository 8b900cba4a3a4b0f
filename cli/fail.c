// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Messages on stderr. Each is formatted completely and written by one call, so that it
 * stays in one piece beside the output of a guest that uses the same stderr. Control
 * characters are replaced, because names of files and of symbols come from anywhere and
 * could otherwise steer the terminal.
 */
#include "cli/fail.h"

#include "base/buf.h"
#include "cli/command.h"
#include "cli/habits.h"
#include "cli/pager.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct buf waiting; /* lines that are to appear when the pager has ended */

/* A pager has the terminal: what is written meanwhile is lost in what it shows. */
static void say_later(const char *text)
{
	buf_put(&waiting, "waymark: ", strlen("waymark: "));
	buf_put(&waiting, text, strlen(text));
	buf_put_u8(&waiting, '\n');
}

void fail_say_waiting(void)
{
	if (!waiting.failed)
		fwrite(waiting.data, 1, waiting.len, stderr);
	buf_fini(&waiting);
}

/* Flushes stdout first, so a message appears after the output that precedes it. */
static void say(const char *format, va_list args)
{
	char text[4096];

	vsnprintf(text, sizeof(text), format, args);
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	fflush(stdout);
	if (pager_runs())
		say_later(text);
	else
		fprintf(stderr, "waymark: %s\n", text);
}

int fail(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
	return EXIT_ERROR;
}

/* What to do when there is no such trace because its user did not name one. */
static const char *advice_on(const char *path)
{
	if (!*path)
		return "; the name of the trace is empty";
	return !strcmp(path, "waymark.wmk") && access(path, F_OK) ?
		       "; `waymark record` makes it, another trace must be named" :
		       "";
}

/*
 * Adds the file and the offset to the error's sentence. A sentence that names the file
 * already, and errors of output, which are about another file, get no prefix.
 */
int fail_on(const char *path, const struct wm_error *err)
{
	char place[48] = "";
	bool named = err->code == WM_E_OUTPUT || strstr(err->text, path);

	if (err->offset)
		snprintf(place, sizeof(place), " (at byte %llu)",
			 (unsigned long long)err->offset);
	return fail("%s%s%s%s%s", named ? "" : path, named ? "" : ": ", err->text, place,
		    advice_on(path));
}

void remark(const char *format, ...)
{
	va_list args;

	if (habits.quiet)
		return;
	va_start(args, format);
	say(format, args);
	va_end(args);
}
