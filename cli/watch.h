/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a command shows of a query while it is computed: warnings, and a line of progress. */
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
/* Takes the line of progress away; to be called before anything is printed. */
void watch_end(struct watch *watch);

/* A listener for those who show no progress: warnings go to stderr, each once. */
extern const struct listener watch_warnings;

#endif
