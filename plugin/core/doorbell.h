/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The collector, as those see it who wait for it. */
#ifndef PLUGIN_CORE_DOORBELL_H
#define PLUGIN_CORE_DOORBELL_H

#include <stdbool.h>

#include "format/arena.h"

#define COLLECTOR_POLL_MS \
	100 /* how long to wait before looking whether the collector lives */

void doorbell_init(struct board *shared);
/* Wakes the collector, if it sleeps. */
void doorbell_ring(void);
/* Whether the collector has ended, or is done: nobody is to wait for it any more. */
bool collector_is_gone(void);

#endif
