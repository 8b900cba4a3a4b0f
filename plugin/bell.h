/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The collector, as those see it who wait for it. */
#ifndef PLUGIN_BELL_H
#define PLUGIN_BELL_H

#include <stdbool.h>

#include "format/arena.h"

#define BELL_LOOK_MS 100 /* how long to wait before looking whether the collector lives */

void bell_init(struct board *shared);
/* Wakes the collector, if it sleeps. */
void bell_ring(void);
/* Whether the collector has ended, or is done: nobody is to wait for it any more. */
bool bell_is_dead(void);

#endif
