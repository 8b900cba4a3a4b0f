/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waking the collector, and finding out whether it still exists. */
#ifndef PLUGIN_CORE_DOORBELL_H
#define PLUGIN_CORE_DOORBELL_H

#include <stdbool.h>

#include "format/arena.h"

#define COLLECTOR_POLL_MS 100 /* waiting is interrupted to check on the collector */

void doorbell_init(struct board *shared);
/* Wakes the collector if it sleeps. */
void doorbell_ring(void);
/* Whether the collector has ended or has completed the file: stop waiting for it. */
bool collector_is_gone(void);

#endif
