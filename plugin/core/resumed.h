/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks that a fault left, while the handler's frame could not be written: a stack has
 * overflowed, or the handler's own stack is not there. No handler starts, and nothing tells
 * of the fault: QEMU goes on at the instruction, which faults again and ends the process.
 */
#ifndef PLUGIN_CORE_RESUMED_H
#define PLUGIN_CORE_RESUMED_H

#include "plugin/qemu_api.h"

/* Before anything else: QEMU's name of the guest. */
void resumed_init(const char *target);
/*
 * If QEMU may be about to go on in the middle of a block, reports at the entry of the block that
 * is translated, before it is recorded, where the block before it was left. Callers hold
 * link_lock().
 */
void resumed_register(struct qemu_plugin_tb *tb);

#endif
