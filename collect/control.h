/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Serves requests of this user's other processes to a running collector, over a socket.
 * Where it is: collect/rendezvous.h. The requests: collect/requests.h. Requests
 * run one after the other. A client that is slow to send its request, or to take its
 * answer, is disconnected.
 */
#ifndef COLLECT_CONTROL_H
#define COLLECT_CONTROL_H

#include "collect/collector.h"
#include "collect/requests.h"

struct control;

/*
 * Starts serving requests, on a thread of its own. `output` is the path of the file. NULL
 * when there can be no socket; the recording goes on without it.
 */
struct control *control_start(struct collector *collector, const char *output);
/* Ends it, and frees it; NULL is allowed. Call it before collector_finish(). */
void control_stop(struct control *control);

/* ---- for control.c: commands.c ------------------------------------------- */

/*
 * Runs a request and makes the answer. `file` is the recording's file as an absolute
 * path, `asker` the process that asks. Not on the collector's thread: it may wait for
 * that.
 */
void command_run(struct collector *collector, const char *file, uint32_t asker,
		 const struct request *request, struct buf *answer);

/* ---- for commands.c: snapshot.c ------------------------------------------ */

struct snapshot {
	uint64_t insns, bytes; /* in its file */
};

/*
 * Writes a finished trace of all that ran so far to `path`, whole or not at all; the
 * recording goes on. Not on the collector's thread, which only marks where the copy ends:
 * this one copies.
 */
int snapshot_write(struct snapshot *snapshot, struct collector *collector,
		   const char *path, struct wm_error *err);

#endif
