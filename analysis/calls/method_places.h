/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where in the source the methods of a managed program begin. */
#ifndef ANALYSIS_CALLS_METHOD_PLACES_H
#define ANALYSIS_CALLS_METHOD_PLACES_H

#include "analysis/calls/subject.h"

/*
 * Fills in places[entities + 1], by entity; zeros of what is no method, or not known. The caller
 * frees it. WM_E_NOMEM.
 */
int method_places(struct srcline **places, const struct calls_subject *subject,
		  const struct sites *sites, struct wm_error *err);

#endif
