/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Watches the first process of a recording, of which the collector is not the parent:
 * reports how it ended, and delays what its parent sees until the recording is complete.
 */
#ifndef COLLECT_WARDEN_H
#define COLLECT_WARDEN_H

#include <sys/types.h>

#include "base/error.h"
#include "format/arena.h"

struct warden;

/* Whom a warden tells, on its own thread. */
struct warden_client {
	/* Once, when the process is no more: `status` as waitpid() gives it, -1: not known. */
	void (*ended)(void *cookie, int status);
	/*
	 * The process becomes a program that is not recorded. True: that ends the recording,
	 * and the program begins when that is complete. False: it begins at once.
	 */
	bool (*left)(void *cookie);
	void *cookie;
};

/* Begins to watch process `pid`, on a thread of its own; *client is copied. */
int warden_start(struct warden **warden, struct board *board, pid_t pid,
		 const struct warden_client *client, struct wm_error *err);
/*
 * The recording is complete: the parent of the process may see its end. Frees the warden.
 * A process that still runs is not watched any more once this one exits. NULL is taken.
 */
void warden_release(struct warden *warden);

#endif
