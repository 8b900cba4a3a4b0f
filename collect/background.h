/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process that its starter does not notice: neither its child nor in its session. */
#ifndef COLLECT_BACKGROUND_H
#define COLLECT_BACKGROUND_H

#include "base/error.h"

/*
 * Forks such a process, with stdin and stdout from and to nowhere. Returns 0 in it, 1 in the
 * caller, or a code of enum wm_code. The caller must not have other threads.
 */
int background_fork(struct wm_error *err);

#endif
