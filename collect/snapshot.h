/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A finished trace of all that ran so far, beside a recording that goes on. Its end is cut
 * on the collector's thread; what may be much, the copying, is not done there.
 */
#ifndef COLLECT_SNAPSHOT_H
#define COLLECT_SNAPSHOT_H

#include "base/error.h"
#include "collect/collector.h"

struct snapshot {
	uint64_t insns, bytes; /* that it has */
};

/* Writes it to `path`, whole or not at all. Not on the collector's thread. */
int snapshot_write(struct snapshot *snapshot, struct collector *collector,
		   const char *path, struct wm_error *err);

#endif
