/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a hart leaves a block in its middle: traps, and what QEMU must run alone. */
#ifndef PLUGIN_SYSTEM_TRAPS_H
#define PLUGIN_SYSTEM_TRAPS_H

#include <stdbool.h>

#include "plugin/qemu_api.h"

/* Whether it is seen where traps interrupt the code. After arch_init(). */
bool traps_are_seen(void);
/*
 * Before the machine, which has `harts`, runs. `debugged`: QEMU serves a debugger; `retranslate`
 * throws away all translated code.
 */
void traps_init(unsigned harts, bool debugged, void (*retranslate)(void));
/* At the start, and after each reset. */
void traps_register(void);
/* Before a block is recorded. Callers hold link_lock(). */
void traps_instrument(struct qemu_plugin_tb *tb);
/*
 * The hart's thread is recorded again: an event says the mode that it is in, if the last event
 * had another one.
 */
void traps_resume(unsigned hart);
/* The machine has started again, and the hart with it. */
void traps_restart(unsigned hart);
/* After that: what happens when it has come to some of its instructions. */
void traps_watch(struct qemu_plugin_tb *tb);

#endif
