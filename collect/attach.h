/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collecting for a plugin that was loaded by hand and started us. */
#ifndef COLLECT_ATTACH_H
#define COLLECT_ATTACH_H

#include <sys/types.h>

#include "base/error.h"

/*
 * Collects the arena behind `arena_fd` into `output` until process `guest` has ended.
 * Writes a byte to `ready_fd` and closes it as soon as the guest may go on.
 */
int attach_run(int arena_fd, int ready_fd, pid_t guest, const char *output,
	       struct wm_error *err);

#endif
