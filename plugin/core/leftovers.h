/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * QEMU 7.2 keeps a pointer to the memory callbacks of the instruction that runs, for the
 * accesses of its own helpers. It does not take the pointer back after the last instruction of
 * a block, and frees what it points to with all translated code: a helper's next access then
 * calls whatever is in that memory. Newer versions take it back whenever a vCPU leaves code.
 */
#ifndef PLUGIN_CORE_LEFTOVERS_H
#define PLUGIN_CORE_LEFTOVERS_H

#include <stdbool.h>

/* Whether this QEMU may leave callbacks in force. */
bool leftovers_possible(void);
/* There is a vCPU with this index. */
void leftovers_vcpu(unsigned vcpu);
/* All translated code is thrown away: no vCPU keeps a pointer to its callbacks. */
void leftovers_forget(void);

#endif
