/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting for a trace that is still being recorded. */
#ifndef TRACE_SETTLE_H
#define TRACE_SETTLE_H

#include "waymark.h"

/*
 * Waits until `path` exists and nobody writes to it: the recorder holds an exclusive
 * flock() on its file until it is finished. Gives up after `seconds` (WM_E_IO).
 */
int trace_settle(const char *path, unsigned seconds, struct wm_error *err);
/*
 * Whether the name is still that of the open file: a flight recorder puts another one in its
 * place, and lets go of the first.
 */
bool trace_is_named(int fd, const char *path);

#endif
