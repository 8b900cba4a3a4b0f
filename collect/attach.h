/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collecting for a plugin that was loaded by hand and started us. */
#ifndef COLLECT_ATTACH_H
#define COLLECT_ATTACH_H

#include <sys/types.h>

#include "collect/record.h"

/*
 * Collects in the memory behind `arena_fd` into `output` until process `guest` has ended, a QEMU of
 * that version (NULL: not known). Writes a byte to `ready_fd` and closes it as soon as the
 * guest may go on. This process is to exit then, as serve() says.
 */
int attach_run(int arena_fd, int ready_fd, pid_t guest, const char *qemu_version,
	       const char *output, const struct record_reports *reports,
	       struct wm_error *err);

#endif
