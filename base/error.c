// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every function that can fail takes a struct wm_error of the caller's, or NULL, and
 * returns a code. These helpers fill it in and return the code, so that an error path is
 * one statement. They are marked cold: the compiler moves error paths out of the way.
 */
#include "base/error.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Whether a character of several bytes began before this one. */
static bool is_inside_utf8(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Of a text that is too long the middle is left out: its end has the reason. */
static void keep_ends(char *field, size_t size, const char *text)
{
	static const char left_out[] = "...";
	size_t head = size / 2, length = strlen(text), tail;

	if (length < size) {
		strcpy(field, text);
		return;
	}
	while (is_inside_utf8(text[head]))
		head--;
	tail = length - (size - head - sizeof(left_out));
	while (is_inside_utf8(text[tail]))
		tail++;
	snprintf(field, size, "%.*s%s%s", (int)head, text, left_out, text + tail);
}

/* A `reason` follows the sentence, after a colon; NULL: there is none. */
static void describe(struct wm_error *err, int code, uint64_t offset, const char *reason,
		     const char *format, va_list args)
{
	char text[PATH_MAX + sizeof(err->text)];
	int used;

	if (!err)
		return;
	err->code = code;
	err->offset = offset;
	used = vsnprintf(text, sizeof(text), format, args);
	if (reason && used >= 0 && (size_t)used < sizeof(text))
		snprintf(text + used, sizeof(text) - (size_t)used, ": %s", reason);
	keep_ends(err->text, sizeof(err->text), text);
}

int wm_fail(struct wm_error *err, int code, uint64_t offset, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	describe(err, code, offset, NULL, format, args);
	va_end(args);
	return code;
}

/* "cannot open x.wmk" becomes "cannot open x.wmk: No such file or directory". */
int wm_fail_errno(struct wm_error *err, const char *what, ...)
{
	const char *reason = strerror(errno);
	va_list args;

	va_start(args, what);
	describe(err, WM_E_IO, 0, reason, what, args);
	va_end(args);
	return WM_E_IO;
}

/* errno is an argument of the call, so it is read before anything can change it. */
int wm_fail_write(struct wm_error *err, const char *what)
{
	return wm_fail(err, WM_E_OUTPUT, 0, "cannot write %s: %s", what, strerror(errno));
}

int wm_fail_nomem(struct wm_error *err, const char *what)
{
	return wm_fail(err, WM_E_NOMEM, 0, "out of memory (%s)", what);
}
