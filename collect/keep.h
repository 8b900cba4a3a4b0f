/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a recording is kept at all: the conditions, and whether one was met. */
#ifndef COLLECT_KEEP_H
#define COLLECT_KEEP_H

#include <stdbool.h>
#include <stdint.h>

enum { KEEP_MARKERS_MAX = 32 };

/* Any of them suffices; when nothing is named, every recording is kept. */
struct keep_rules {
	bool crash;	  /* the first process is ended by a signal */
	bool nonzero;	  /* or so, or its exit status is not 0 */
	uint64_t signals; /* bit n - 1: signal n comes to a handler, or ends it */
	unsigned markers; /* how many there are */
	uint64_t marker[KEEP_MARKERS_MAX]; /* a marker with this id is met */
};

struct keep {
	struct keep_rules rules;
	bool wanted; /* a condition was met: the file is kept */
};

void keep_init(struct keep *keep, const struct keep_rules *rules);
/* Bit n: the conditions depend on events of kind n. */
uint64_t keep_kinds(const struct keep_rules *rules);
/* An event of any thread, with its fields. */
void keep_event(struct keep *keep, uint32_t kind, const uint64_t *fields);
/* The first process has ended; status as waitpid() gives it, -1: not known. */
void keep_end(struct keep *keep, int status);

#endif
