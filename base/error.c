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

static void describe(struct wm_error *err, int code, uint64_t offset, const char *format,
		     va_list args)
{
	if (!err)
		return;
	/* The text is cut to its field; a cut message is better than none. */
	err->code = code;
	err->offset = offset;
	vsnprintf(err->text, sizeof(err->text), format, args);
}

int wm_fail(struct wm_error *err, int code, uint64_t offset, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	describe(err, code, offset, format, args);
	va_end(args);
	return code;
}

int wm_fail_errno(struct wm_error *err, const char *what, ...)
{
	/* Before vsnprintf(), which may change errno. */
	int saved = errno;
	va_list args;

	va_start(args, what);
	describe(err, WM_E_IO, 0, what, args);
	va_end(args);
	/* "cannot open x.wmk" becomes "cannot open x.wmk: No such file or directory". */
	if (err) {
		size_t used = strlen(err->text);

		snprintf(err->text + used, sizeof(err->text) - used, ": %s",
			 strerror(saved));
	}
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
