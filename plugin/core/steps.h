/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks that QEMU leaves in their middle without a signal. It does so at an instruction
 * that it must run alone: an x86 store into the block that contains it. It then enters a
 * block of that one instruction.
 */
#ifndef PLUGIN_CORE_STEPS_H
#define PLUGIN_CORE_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"
#include "plugin/core/tb_code.h"

/*
 * Ask this when a block of one instruction is translated: whether QEMU is about to run it
 * alone. `blocks` has all blocks so far.
 */
bool steps_is_one(const struct interner *blocks, const struct tb_code *one);
/*
 * If the block that is translated is such a one, reports at its entry, before it is
 * recorded, where the block before it was left. Callers hold link_lock().
 */
void steps_register(struct qemu_plugin_tb *tb);

#endif
