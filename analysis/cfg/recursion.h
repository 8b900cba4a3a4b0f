/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which routines and loops may be entered while they run, going by who was seen to call whom. */
#ifndef ANALYSIS_CFG_RECURSION_H
#define ANALYSIS_CFG_RECURSION_H

#include "analysis/cfg/loops.h"

/*
 * Fills in nested[loops->n]: loops of recursive routines during which other routines run, by a
 * call or as the handler of a signal. False: no memory.
 */
bool recursion_find_loops(bool *nested, const struct loops *loops, const struct cfg *cfg,
			  const struct functions *functions);

#endif
