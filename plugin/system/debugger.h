/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks that a hart leaves because a debugger watches what an instruction accesses. */
#ifndef PLUGIN_SYSTEM_DEBUGGER_H
#define PLUGIN_SYSTEM_DEBUGGER_H

#include <stdint.h>

#include "plugin/qemu_api.h"

/*
 * To be called where QEMU serves a debugger. left(hart, pc) is called for each block that a hart
 * leaves in its middle; `pc` is the address of the first instruction that did not run.
 */
void debugger_init(void (*left)(unsigned hart, uint64_t pc));
/* Before a block is recorded. */
void debugger_instrument(struct qemu_plugin_tb *tb);
/* Somebody has told that the hart left its block. */
void debugger_told(unsigned hart);

#endif
