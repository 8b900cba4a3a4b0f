/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a hart executes: QEMU's translations, each at the address at which the hart enters
 * it.
 */
#ifndef PLUGIN_SYSTEM_HARTS_H
#define PLUGIN_SYSTEM_HARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "plugin/core/emulation.h"

/* Whether this host's translated code shows where a hart is. */
bool harts_are_seen(void);
/* Before the machine runs: whether harts may run at the same time. */
void harts_init(bool are_parallel);
/* Adds the callback that records a block. Callers hold link_lock(). */
void harts_record(struct qemu_plugin_tb *tb, struct code_origin origin);

#endif
