/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of all functions of a program, in one line each. */
#ifndef ANALYSIS_CALLS_ENTITY_NAMES_H
#define ANALYSIS_CALLS_ENTITY_NAMES_H

#include "analysis/calls/sites.h"

struct entity_names {
	char **all; /* [n + 1] by entity; all[0] is "[unknown]", or the "[runtime]" of methods */
	uint32_t n;
};

/* The caller frees them with entity_names_fini(), also after a failure. WM_E_NOMEM. */
int entity_names_init(struct entity_names *names, const struct sites *sites,
		      struct wm_error *err);
void entity_names_fini(struct entity_names *names);

#endif
