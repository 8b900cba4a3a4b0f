/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of a suite as a page in HTML, which needs neither a script nor another file. */
#ifndef CLI_SUITE_PAGE_H
#define CLI_SUITE_PAGE_H

#include "cli/suite/overview.h"

/* Writes it to `path`, or "-" for stdout. WM_E_OUTPUT, WM_E_NOMEM. */
int page_write(const struct overview *overview, const char *path, struct wm_error *err);

#endif
