// SPDX-License-Identifier: GPL-2.0-or-later
/* Stopping the other threads of a process that ends. They never go on. */
#ifndef PLUGIN_USER_HALT_H
#define PLUGIN_USER_HALT_H

#include <stdint.h>

/* The calling thread runs this vCPU. In a forked child: no other one does. */
void halt_thread(unsigned vcpu);
void halt_child(unsigned vcpu);
/* The thread of this vCPU ends by itself. */
void halt_thread_ends(unsigned vcpu);
/*
 * Stops all other threads but `spared`, 0 for none: wherever they are, QEMU's locks in their
 * hands. What is called afterwards must take none, nor memory. Waits until they have stopped,
 * less than a second at most. Does not return if another thread has called it before.
 */
void halt_others(int32_t spared);

#endif
