/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where signals hit. A fault leaves a block in its middle, and no callback of older QEMUs
 * tells where; the signal's frame on the guest's stack does, when its handler starts. So
 * the blocks at which handlers start are given one more callback.
 */
#ifndef PLUGIN_USER_SIGNALS_H
#define PLUGIN_USER_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

#include "plugin/qemu_api.h"
#include "plugin/user/abi.h"

/* False when this host or guest does not let us see where signals hit. */
bool signals_init(const struct abi *abi);
/*
 * The guest calls (rt_)sigaction(signal, act). Returns the address of a handler that was
 * not known before, or 0.
 */
uint64_t signals_watch(uint64_t signal, uint64_t act);
/* The guest calls (rt_)sigreturn(). */
void signals_returned(unsigned vcpu);
/* Whether a handler starts at `address`. */
bool signals_handled_at(uint64_t address);
/* To be called when the block at such an address is entered, before it is recorded. */
void signals_on_handler(unsigned vcpu, void *address);

#endif
