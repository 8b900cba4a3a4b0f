/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which hart runs when several take turns in one thread (-icount, thread=single). QEMU then
 * hands callbacks of translated code the hart for which that was translated.
 */
#ifndef PLUGIN_SYSTEM_TURNS_H
#define PLUGIN_SYSTEM_TURNS_H

#include <stdbool.h>

#include "plugin/qemu_api.h"

/* Before the machine runs: `harts` of them take turns. */
void turns_init(unsigned harts);
/* Must be called for each block before all else that gives it callbacks. */
void turns_instrument(struct qemu_plugin_tb *tb);

extern bool turns_are_taken;
extern unsigned turns_current;

/* The hart in whose code the callback runs that was handed `vcpu`. */
static inline unsigned turns_hart(unsigned vcpu)
{
	return __builtin_expect(turns_are_taken, false) ? turns_current : vcpu;
}

#endif
