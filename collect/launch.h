/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starting QEMU, and waiting for it as its parent without being in its way. */
#ifndef COLLECT_LAUNCH_H
#define COLLECT_LAUNCH_H

#include <sys/types.h>

#include "collect/record.h"
#include "format/arena.h"

/*
 * Starts QEMU with the plugin, which finds the shared memory by `board`. From here to
 * launch_wait(), SIGINT and SIGQUIT are the guest's alone (a terminal sends them to it
 * too), SIGTERM and SIGHUP are passed on to it, and a file that grows beyond `ulimit -f`
 * is an error like a full disk. With `trace_path` QEMU writes its own trace there.
 */
int launch(const struct record_options *options, const struct board *board,
	   const char *trace_path, pid_t *child, struct wm_error *err);
/* Waits for its end; returns its status as waitpid() gives it, -1 when it got lost. */
int launch_wait(pid_t child);

#endif
