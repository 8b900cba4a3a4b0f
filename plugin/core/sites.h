/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads that the guest itself has told to record: NOTE_SITES, or the function of NOTE_EVALUATOR; or
 * NOTE_STEPS instead, if what follows from the path is left out.
 * Callers hold link_lock().
 */
#ifndef PLUGIN_CORE_SITES_H
#define PLUGIN_CORE_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * Adds those of a note's data. Blocks that are translated from now on have them. What is
 * malformed, or has no memory, adds nothing.
 */
void sites_take(struct span data);
/* The same of NOTE_STEPS: from now on NOTE_SITES are not to be taken. */
void sites_take_steps(struct span data);
/* Whether the guest has told NOTE_STEPS. */
bool sites_step(void);
bool sites_has(uint64_t address);
/* Whether the address is among them, or so close that it can be the same interpreter's. */
bool sites_near(uint64_t address);

#endif
