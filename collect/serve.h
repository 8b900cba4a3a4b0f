/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recorder's process around its collector, and the caller's that becomes QEMU. */
#ifndef COLLECT_SERVE_H
#define COLLECT_SERVE_H

#include <sys/types.h>

#include "collect/collector.h"

/*
 * Collects what process `guest` and those that come from it execute, completes the file
 * at `output`, reports, and frees the collector. Calls ready(cookie) as soon as the guest
 * may run. SIGINT and SIGTERM to this process end the recording. Fails only before
 * ready(): later failures are reported. This process is to exit then: a guest that still
 * runs sees by that that it is not recorded any more.
 */
int serve(struct collector *collector, const struct memory *memory, pid_t guest,
	  const char *output, const struct record_reports *reports,
	  void (*ready)(void *cookie), void *cookie, struct wm_error *err);

/*
 * The other process (launch.c): executes QEMU with the plugin, which finds the shared
 * memory at path `board`. With `trace_path` QEMU writes its own trace there. Returns on
 * failure only.
 */
int launch(const struct record_options *options, const char *board,
	   const char *trace_path, struct wm_error *err);

#endif
