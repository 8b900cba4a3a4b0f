/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ids of code: what is new is told to the collector. Callers hold link_lock(). */
#ifndef PLUGIN_NAMING_H
#define PLUGIN_NAMING_H

#include "plugin/shape.h"

/* Before anything else: QEMU's name of the guest, and its own version. */
void naming_init(const char *target_name, const char *qemu_version);
/*
 * The id of what `shape` took from `tb`. Without memory for a new one it is one that the
 * collector refuses.
 */
uint32_t naming_of(const struct qemu_plugin_tb *tb, struct shape *shape);
/* The id that stands for whatever runs unrecorded: told of when it is first asked for. */
uint32_t naming_gap(void);
/* How many ids there are. */
uint32_t naming_count(void);
/* Whether there is code that begins at `address`. */
bool naming_has(uint64_t address);
/* All of them. */
const struct interner *naming_blocks(void);

#endif
