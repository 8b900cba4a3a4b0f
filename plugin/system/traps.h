/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a hart leaves a block in its middle: traps, and what QEMU must run alone. */
#ifndef PLUGIN_SYSTEM_TRAPS_H
#define PLUGIN_SYSTEM_TRAPS_H

#include <stdbool.h>

#include "plugin/qemu_api.h"

/* Whether this QEMU says where traps interrupt the code. */
bool traps_are_seen(void);
/* At the start, and after each qemu_plugin_reset(). */
void traps_register(qemu_plugin_id_t id);
/* Before a block is recorded. Callers hold link_lock(). */
void traps_instrument(struct qemu_plugin_tb *tb);

#endif
