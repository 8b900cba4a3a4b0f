/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which routines may run while they run already, going by who was seen to call whom. */
#ifndef ANALYSIS_CFG_RECURSION_H
#define ANALYSIS_CFG_RECURSION_H

#include "analysis/cfg/routines.h"

/* Fills in recursive[routines->n]. False: no memory. */
bool recursion_find(bool *recursive, const struct routines *routines,
		    const struct cfg *cfg, const struct functions *functions);

#endif
