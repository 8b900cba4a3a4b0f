/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Selects events by their names. */
#ifndef QUERY_FILTER_H
#define QUERY_FILTER_H

#include "kernel/kernel.h"
#include "waymark.h"

enum { FILTER_MOST = 64 };

struct filter {
	char *patterns[FILTER_MOST]; /* [n], the caller's to free with filter_fini() */
	unsigned n;
};

/*
 * Adds patterns (of fnmatch, in any case), separated by commas, for names of system calls,
 * signals, kinds of events and causes of traps. WM_E_RANGE for one that no name fits.
 */
int filter_add(struct filter *filter, const char *patterns, struct wm_error *err);
/* The same of names of system calls alone. */
int filter_add_calls(struct filter *filter, const char *patterns, struct wm_error *err);
void filter_fini(struct filter *filter);

/* An empty filter lets everything through. */
bool filter_passes(const struct filter *filter, const struct kernel *kernel,
		   const struct wm_event *event);

#endif
