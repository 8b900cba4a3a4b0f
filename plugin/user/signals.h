/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where signals interrupt the guest. A fault leaves a block in its middle, and older
 * QEMUs have no callback for that. The signal's frame on the guest's stack has the
 * address, when the handler starts. So blocks at which handlers start get an additional
 * callback.
 */
#ifndef PLUGIN_USER_SIGNALS_H
#define PLUGIN_USER_SIGNALS_H

#include <stdbool.h>
#include <stdint.h>

#include "plugin/qemu_api.h"
#include "plugin/user/abi.h"

/* False when frames cannot be read on this host, or are not known for this guest. */
bool signals_init(const struct abi *abi);
/*
 * The guest calls (rt_)sigaction(signal, act). Returns the address of a handler that is
 * new, or 0.
 */
uint64_t signals_watch(uint64_t signal, uint64_t act);
/* The guest calls (rt_)sigreturn(). */
void signals_returned(unsigned vcpu);
/* Frees what is kept for the calling thread. */
void signals_thread_ends(void);
/* Whether a signal of a fault, such as SIGSEGV, has a handler, or has had one. */
bool signals_faults_are_handled(void);
/* Whether a handler starts at `address`. */
bool signals_handled_at(uint64_t address);
/* Call this when the block at such an address is entered, before it is recorded. */
void signals_on_handler(unsigned vcpu, void *address);

#endif
