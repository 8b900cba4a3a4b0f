/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What costs.c and method_costs.c share. */
#ifndef ANALYSIS_CALLS_COSTS_DATA_H
#define ANALYSIS_CALLS_COSTS_DATA_H

#include "analysis/calls/costs.h"

/* Fills in *costs, which is empty, of a subject of methods alone, in any order. */
int costs_gather_methods(struct costs *costs, const struct calls_subject *subject,
			 struct wm_error *err);

#endif
