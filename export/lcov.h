/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lcov's tracefiles ("info"), which genhtml and many others read: geninfo(1), "TRACEFILE
 * FORMAT".
 */
#ifndef EXPORT_LCOV_H
#define EXPORT_LCOV_H

#include <stdio.h>

#include "analysis/cover/cover.h"

/* Writes a finished cover. WM_E_NOMEM; what the stream says is the caller's to check. */
int lcov_write(FILE *out, const struct cover *cover, struct wm_error *err);

#endif
