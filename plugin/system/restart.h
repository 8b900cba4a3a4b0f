/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine starts again: it was reset, or one kernel has started another one. */
#ifndef PLUGIN_SYSTEM_RESTART_H
#define PLUGIN_SYSTEM_RESTART_H

#include <stdbool.h>

#include "plugin/qemu_api.h"

/* Adds a callback to the block that the machine starts with. Under link_lock(). */
void restart_instrument(struct qemu_plugin_tb *tb);

/* The hart has started a kernel in the place of one. Under link_lock(). */
void restart_kernel(unsigned hart);

/*
 * Whether the machine has started again since the hart, which does not come to that block
 * itself, was asked about last. Under link_lock().
 */
bool restart_is_new(unsigned hart);

#endif
