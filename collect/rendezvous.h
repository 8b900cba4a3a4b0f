/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a running recording can be reached: a folder of the user's own with a Unix socket
 * for each collector, named by its process id. It is $XDG_RUNTIME_DIR/waymark or, without
 * one, /tmp/waymark-UID.
 *
 * A folder counts only when it is really one, this user's, and nobody else may enter it.
 * Sockets are reached through the descriptor of the folder that was checked, so that it
 * cannot be exchanged after the check, and its path may have any length.
 */
#ifndef COLLECT_RENDEZVOUS_H
#define COLLECT_RENDEZVOUS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

struct rendezvous {
	int folder, socket; /* -1: none */
};

/*
 * Makes the folder when there is none, and a socket for this process in it, listening.
 * False when there can be none; then there is nothing to close.
 */
bool rendezvous_open(struct rendezvous *rendezvous);
/* Takes the socket away. */
void rendezvous_close(struct rendezvous *rendezvous);

/* ---- the other side ------------------------------------------------------ */

/*
 * The processes that have a socket in the folder that user `uid` has here, be it still to
 * be made; with `everywhere`, in any that the user may have, as without the variable or
 * in another session. Sockets without a process are removed. *pids is the caller's to
 * free. WM_E_NOMEM.
 */
int rendezvous_list(uid_t uid, bool everywhere, pid_t **pids, unsigned *n,
		    struct wm_error *err);
/* Connects to one of them: a descriptor, or a negative code. */
int rendezvous_connect(uid_t uid, pid_t pid, struct wm_error *err);

#endif
