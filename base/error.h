/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Filling in the caller's struct wm_error. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include "waymark.h"

/*
 * Describes a failure in *err, when err is not NULL, and returns `code` (one of
 * enum wm_code), so that `return wm_fail(err, ...)` is the whole of an error path.
 */
__attribute__((format(printf, 4, 5), cold)) int
wm_fail(struct wm_error *err, int code, uint64_t offset, const char *format, ...);

/* The same for a failed system call: "<what>: <text of errno>", code WM_E_IO. */
__attribute__((format(printf, 2, 3), cold)) int wm_fail_errno(struct wm_error *err,
							      const char *what, ...);

/* "cannot write <what>: <text of errno>", code WM_E_OUTPUT. */
__attribute__((cold)) int wm_fail_write(struct wm_error *err, const char *what);

/* Out of memory, while doing `what`. */
__attribute__((cold)) int wm_fail_nomem(struct wm_error *err, const char *what);

#endif
