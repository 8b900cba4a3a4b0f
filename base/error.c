// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every function that can fail takes a struct wm_error of the caller's, or NULL, and
 * returns a code. These helpers fill it in and return the code, so that an error path is
 * one statement. They are marked cold: the compiler moves error paths out of the way.
 */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { REASON_BYTES = 128 }; /* texts of errno have some 50 */

/*
 * A text that is too long is cut to its field. A `reason`, unless it is NULL, follows a colon and
 * is kept whole: of a sentence with a long name the end is left out then.
 */
static void describe(struct wm_error *err, int code, uint64_t offset, const char *reason,
		     const char *format, va_list args)
{
	static const char left_out[] = "...";
	char end[REASON_BYTES] = "";
	size_t room;
	int whole;

	if (!err)
		return;
	err->code = code;
	err->offset = offset;
	if (reason)
		snprintf(end, sizeof(end), ": %s", reason);
	room = sizeof(err->text) - strlen(end);
	whole = vsnprintf(err->text, room, format, args);
	if (reason && whole >= (int)room)
		strcpy(err->text + room - sizeof(left_out), left_out);
	strcat(err->text, end);
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

static void describe_write(struct wm_error *err, const char *reason, const char *format,
			   ...)
{
	va_list args;

	va_start(args, format);
	describe(err, WM_E_OUTPUT, 0, reason, format, args);
	va_end(args);
}

int wm_fail_write(struct wm_error *err, const char *what)
{
	describe_write(err, strerror(errno), "cannot write %s", what);
	return WM_E_OUTPUT;
}

int wm_fail_nomem(struct wm_error *err, const char *what)
{
	return wm_fail(err, WM_E_NOMEM, 0, "out of memory (%s)", what);
}
