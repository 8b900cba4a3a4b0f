/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traps of a QEMU that does not tell them: seen where they lead to. */
#ifndef PLUGIN_SYSTEM_VECTORS_H
#define PLUGIN_SYSTEM_VECTORS_H

#include <stdbool.h>
#include <stdint.h>

#include "plugin/qemu_api.h"

struct arch_trap;

/* Whether traps of this machine can be seen so. */
bool vectors_show_traps(void);
/*
 * To be called before the machine, which has `harts`, runs. trapped() is called for each trap, with
 * what callbacks_on_discontinuity() gives. trapped_below() is called, with the whole trap, for one
 * that another trap followed before its vector was entered. retranslate() throws away all
 * translated code.
 */
void vectors_init(unsigned harts,
		  void (*trapped)(unsigned vcpu, enum qemu_plugin_discon_type type,
				  uint64_t from, uint64_t to),
		  void (*trapped_below)(const struct arch_trap *trap),
		  void (*retranslate)(void));
/* At the start, and after each reset. */
void vectors_register(void);
/* Before all else that a block has callbacks for but whose turn it is. Under link_lock(). */
void vectors_instrument(struct qemu_plugin_tb *tb);

#endif
