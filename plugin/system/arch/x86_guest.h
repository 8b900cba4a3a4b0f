/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A guest that an x86 hart runs (AMD's SVM), and what makes the hart leave it. */
#ifndef PLUGIN_SYSTEM_ARCH_X86_GUEST_H
#define PLUGIN_SYSTEM_ARCH_X86_GUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "plugin/qemu_api.h"
#include "plugin/system/arch/arch.h"

/*
 * To be called before the machine runs, if it is an x86's. left() is called each time that a hart
 * has left its guest, with all of the trap that led it out; before() is written_trapped()'s read().
 */
void x86_guest_init(void (*left)(const struct arch_trap *trap,
				 unsigned (*before)(const void *trap, unsigned number,
						    uint64_t words[2])));
/* Before all else that a block has callbacks for. */
void x86_guest_instrument(struct qemu_plugin_tb *tb);
/* To be registered at the instruction that runs a guest. */
void x86_guest_on_run(unsigned hart, void *unused);
/* Where that one is about to lead. In a callback with registers. */
void x86_guest_read_run(struct arch_return *ret);

#endif
