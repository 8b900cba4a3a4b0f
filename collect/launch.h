/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Becoming QEMU. */
#ifndef COLLECT_LAUNCH_H
#define COLLECT_LAUNCH_H

#include "collect/record.h"

/*
 * Executes QEMU with the plugin, which finds the shared memory at path `board`. With
 * `trace_path` QEMU writes its own trace there. Returns on failure only.
 */
int launch(const struct record_options *options, const char *board,
	   const char *trace_path, struct wm_error *err);

#endif
