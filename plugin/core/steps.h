/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks that QEMU leaves in their middle without a signal. It does so when it has come to
 * an instruction that it must run alone: an x86 store into the very block it is in, or an
 * atomic operation that the host cannot do at that address while other threads run. What
 * it enters next is a block of that instruction and nothing else.
 */
#ifndef PLUGIN_CORE_STEPS_H
#define PLUGIN_CORE_STEPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/intern.h"

/*
 * To be asked when a block of one instruction, at `address`, is translated: whether QEMU
 * is about to run it so. `blocks` has what was entered so far.
 */
bool steps_is_one(const struct interner *blocks, uint64_t address);
/* To be called when such a block is entered, before it is recorded. */
void steps_on_entry(unsigned vcpu, void *address);

#endif
