// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each message is put together first and written at once, so that it stays whole beside
 * what a guest writes to the same stderr, and control characters in it (file names come
 * from anywhere) cannot play with the terminal.
 */
#include "cli/fail.h"

#include "cli/command.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void say(const char *format, va_list args)
{
	char text[4096];

	vsnprintf(text, sizeof(text), format, args);
	for (char *c = text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	fflush(stdout);
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

int fail_on(const char *path, const struct wm_error *err)
{
	char place[48] = "";
	bool named = err->code == WM_E_OUTPUT || strstr(err->text, path);

	if (err->offset)
		snprintf(place, sizeof(place), " (at byte %llu)",
			 (unsigned long long)err->offset);
	return fail("%s%s%s%s", named ? "" : path, named ? "" : ": ", err->text, place);
}

void remark(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(format, args);
	va_end(args);
}
