/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rule of interpreters that fetch each bytecode once, when they execute it: every fetch
 * is one. Some execute two with one fetch; the second is inferred.
 */
#ifndef MANAGED_PLAIN_H
#define MANAGED_PLAIN_H

#include "managed/walk.h"

/* What the rule remembers of a thread: all zeros at first. */
struct plain {
	const struct unit *unit; /* of the bytecode before; NULL: none */
	uint32_t offset;
};

/* `step` was fetched: hands it, and what was executed before it without a fetch, to take(). */
int plain_fetched(struct plain *plain, const struct walk_step *step,
		  int (*take)(void *cookie, const struct walk_step *step,
			      struct wm_error *err),
		  void *cookie, struct wm_error *err);

#endif
