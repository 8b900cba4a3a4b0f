/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where events go besides the trace. To add one: events/to_NAME.c with a struct backend,
 * its declaration here, its row in backends[] of events/backends.c, its word in the
 * manual.
 *
 * Nothing here may stop a recording: what cannot be written is dropped, and close()
 * returns the error.
 */
#ifndef EVENTS_BACKEND_H
#define EVENTS_BACKEND_H

#include "base/error.h"
#include "events/record.h"
#include "kernel/kernel.h"

struct backend {
	const char *name;
	const char *takes; /* the argument after "name:", for the user; NULL: none */
	bool needs;	   /* the argument is required */
	/*
	 * Opens it before the guest starts. *state is the back end's; `argument` (NULL:
	 * none) must outlive it.
	 */
	int (*open)(void **state, const char *argument, struct wm_error *err);
	/* One event of a known kind. `kernel` names the guest's system calls. */
	void (*put)(void *state, const struct event_info *info,
		    const struct event_record *record, const struct kernel *kernel);
	/*
	 * Writes what is left and frees the state. Fails when anything was not written.
	 */
	int (*close)(void *state, struct wm_error *err);
};

extern const struct backend backend_log, backend_syslog, backend_ftrace, backend_ctf;

/* ---- all open ones: backends.c ------------------------------------------- */

struct backends;

/*
 * Opens those of specs[n], "NAME" or "NAME:ARGUMENT", which must outlive them; "trace"
 * and "usdt" need none. WM_E_RANGE when there is no such back end.
 */
int backends_open(struct backends **backends, const char *const *specs, unsigned n,
		  struct wm_error *err);
/* One event, to all. NULL: none are open. */
void backends_put(struct backends *backends, const struct event_record *record,
		  const struct kernel *kernel);
/* Whether there are any. */
bool backends_any(const struct backends *backends);
/* Closes all; returns the first failure. NULL is allowed. */
int backends_close(struct backends *backends, struct wm_error *err);

#endif
