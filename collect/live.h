/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A running recording, as errands see it. All of this is for the collector's thread,
 * between two drains: collector_ask() runs errands there.
 */
#ifndef COLLECT_LIVE_H
#define COLLECT_LIVE_H

#include "collect/collector.h"
#include "collect/images.h"

struct live {
	struct collector *collector;
	struct recording *recording;
	struct board *board;
	const struct images *images;
	bool reported; /* a plugin has started: there is a file */
};

/* Instructions recorded so far, unfinished chunks included. */
uint64_t live_insns(const struct live *live);
/* Instructions of the chunks that the file has: without those that --last dropped. */
uint64_t live_insns_in_file(const struct live *live);
/*
 * Writes everything that ran so far, except the block that each thread is in, so that a
 * reader of the file finds it. A failure, now or earlier, is in err.
 */
int live_flush(const struct live *live, struct wm_error *err);
/*
 * Stops recording: completes the file with what there is. The guest runs on, and what it
 * leaves in the shared memory is dropped.
 */
int live_stop(const struct live *live, struct wm_error *err);

#endif
