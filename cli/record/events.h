/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of record: which events there are, and where they go. */
#ifndef CLI_RECORD_EVENTS_H
#define CLI_RECORD_EVENTS_H

#include <argp.h>

#include "collect/eventlog.h"

struct record_events {
	struct event_options options;
	char **to;	   /* [options.n_to], owned */
	char **qemu_trace; /* [options.n_qemu_trace] patterns, owned */
};

/* A child of record's argp; its input is a struct record_events, which it initializes. */
extern const struct argp record_events_argp;

/*
 * Checks that the emulator at `qemu` can do this with its other options
 * (NULL-terminated). WM_E_RANGE when a pattern matches none of its events, or its log is
 * in use.
 */
int record_events_check(const struct record_events *events, const char *qemu,
			char *const *qemu_args, struct wm_error *err);
void record_events_fini(struct record_events *events);

#endif
