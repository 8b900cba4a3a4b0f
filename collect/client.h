/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The other end of a collector's socket: who asks. */
#ifndef COLLECT_CLIENT_H
#define COLLECT_CLIENT_H

#include <sys/types.h>

#include "collect/requests.h"

/*
 * Sends a request to the recorder `pid` of user `uid` and reads its answer up to what
 * follows answer_open(): *rest lies in *answer, which is to be freed in any case. Waits for
 * `seconds` at most, 0: for as long as it takes. WM_E_RANGE: the recorder said no.
 */
int client_ask(uid_t uid, pid_t pid, enum request_kind kind, const char *argument,
	       unsigned seconds, struct buf *answer, struct span *rest,
	       struct wm_error *err);

#endif
