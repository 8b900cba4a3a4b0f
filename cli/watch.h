/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a command shows while a query is computed: warnings, and a line of progress. */
#ifndef CLI_WATCH_H
#define CLI_WATCH_H

#include "cli/progress.h"
#include "query/listener.h"

struct watch {
	struct listener listener; /* for queries, which the watch must outlive */
	struct progress progress;
	uint64_t begin_ns;
};

void watch_init(struct watch *watch);
/* Removes the line of progress. Call it before anything is printed. */
void watch_end(struct watch *watch);

/* A listener for commands that show no progress: warnings go to stderr, each one once. */
extern const struct listener watch_warnings;

#endif
