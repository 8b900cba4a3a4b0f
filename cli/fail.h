/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a command reports an error: one sentence on stderr, "waymark: ...". */
#ifndef CLI_FAIL_H
#define CLI_FAIL_H

#include "waymark.h"

/* Prints the sentence, with the line end, and returns EXIT_ERROR. */
__attribute__((format(printf, 1, 2))) int fail(const char *format, ...);

/*
 * The same with a library's sentence about the file `path`. The path comes first, unless the
 * sentence contains it or is about a file that could not be written (WM_E_OUTPUT).
 */
int fail_on(const char *path, const struct wm_error *err);

/* A remark that is no failure, in the same form. */
__attribute__((format(printf, 1, 2))) void remark(const char *format, ...);

/* For cli/pager.c: what was said while a pager had the terminal. */
void fail_say_waiting(void);

#endif
