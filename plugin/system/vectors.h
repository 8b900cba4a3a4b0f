/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Traps of a QEMU that does not tell them: seen where they lead to. */
#ifndef PLUGIN_SYSTEM_VECTORS_H
#define PLUGIN_SYSTEM_VECTORS_H

#include <stdbool.h>
#include <stdint.h>

#include "plugin/qemu_api.h"

/* Whether traps of this machine can be seen so. */
bool vectors_show_traps(void);
struct arch_trap;

/*
 * Before the machine, which has `harts`, runs: what is called for each trap, with what callbacks_on_discontinuity()
 * gives; for one that another trap followed before its vector was entered, with all of it; and how
 * all translated code is thrown away.
 */
void vectors_init(unsigned harts,
		  void (*trapped)(unsigned vcpu, enum qemu_plugin_discon_type type,
				  uint64_t from, uint64_t to),
		  void (*trapped_below)(const struct arch_trap *trap),
		  void (*retranslate)(void));
/* At the start, and after each callbacks_reset(). */
void vectors_register(void);
/* Before all else that a block has callbacks for but whose turn it is. Under link_lock(). */
void vectors_instrument(struct qemu_plugin_tb *tb);

#endif
