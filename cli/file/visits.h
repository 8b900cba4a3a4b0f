/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which spaces each thread of a trace was in. */
#ifndef CLI_FILE_VISITS_H
#define CLI_FILE_VISITS_H

#include "waymark.h"

struct visits {
	uint32_t *spaces; /* of one thread after the other */
	size_t *ends;	  /* [threads] where those of each end in spaces[] */
};

/* WM_E_NOMEM; then there is nothing to free. */
int visits_find(struct visits *visits, const struct wm_trace *trace,
		struct wm_error *err);
void visits_fini(struct visits *visits);

/*
 * The spaces of a thread, in the order in which it first entered them; returns how many.
 */
size_t visits_of(const struct visits *visits, unsigned thread, const uint32_t **spaces);

#endif
