/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording under way, as those see it who are asked to do something with it while it
 * runs. All of this is for the collector's thread, between two drains: errands run there
 * (collector_ask()).
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
	bool reported; /* a plugin has: there is a file */
};

/* Instructions executed so far, by all that ever ran. */
uint64_t live_insns(const struct live *live);
/*
 * Writes all that ran so far, so that whoever opens the file finds it; but for the block
 * that each thread is in. What went wrong, now or before, is in err.
 */
int live_flush(const struct live *live, struct wm_error *err);
/*
 * Nothing is recorded any more: completes the file with what there is. The guest runs on,
 * and what it leaves in the memory is thrown away.
 */
int live_stop(const struct live *live, struct wm_error *err);

#endif
