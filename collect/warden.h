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

/*
 * Begins to watch process `pid`, on a thread of its own. That thread calls
 * ended(cookie, status) once, when the process is no more: `status` is as waitpid() gives
 * it, or -1 when it could not be learnt.
 */
int warden_start(struct warden **warden, struct board *board, pid_t pid,
		 void (*ended)(void *cookie, int status), void *cookie,
		 struct wm_error *err);
/*
 * The recording is complete: the parent of the process may see its end. Frees the warden.
 * A process that still runs is not watched any more once this one exits. NULL is taken.
 */
void warden_release(struct warden *warden);

#endif
