/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting for a trace that is still being recorded. */
#ifndef TRACE_SETTLE_H
#define TRACE_SETTLE_H

#include "waymark.h"

/*
 * Waits until `path` exists and nobody writes to it, nor to a file that is to replace it: the
 * recorder holds an exclusive flock() on its file until it is finished. Gives up after `seconds`
 * (WM_E_IO).
 */
int trace_settle(const char *path, unsigned seconds, struct wm_error *err);
/*
 * Whether `path` still names the open file: a flight recorder replaces its file by
 * another one and unlocks the old one.
 */
bool trace_is_named(int fd, const char *path);

#endif
