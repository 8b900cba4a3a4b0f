/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recordings that run now, and finding the one that the user names. */
#ifndef CLI_LIVE_RECORDINGS_H
#define CLI_LIVE_RECORDINGS_H

#include <sys/types.h>

#include "collect/requests.h"

/* A recorder that was found. */
struct recorder {
	uid_t uid;
	pid_t pid;
	struct status status; /* as it was then */
};

/*
 * Finds the recording that `target` names: the process id of its recorder or of a process
 * that is recorded, or its file; NULL: the only one that this user has here. False, with a
 * message on stderr, when no recording or more than one fits. recorder_fini() frees it.
 */
bool recorder_find(struct recorder *recorder, const char *target);
void recorder_fini(struct recorder *recorder);

/* Asks it for something, as client_ask() does. */
int recorder_ask(const struct recorder *recorder, enum request_kind kind,
		 const char *argument, unsigned seconds, struct buf *answer,
		 struct span *rest, struct wm_error *err);

/* "recording", ... */
const char *recorder_state(const struct status *status);
/* A thread's own name, or that of its program's file. The status's. */
const char *recorder_thread_name(const struct status *status,
				 const struct status_thread *thread);

#endif
