/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a hart executes, where not all of it is recorded (windows, filters, `ctl off`), and
 * where it passes markers. Without these harts.h records it, in less time.
 */
#ifndef PLUGIN_SYSTEM_PARTS_H
#define PLUGIN_SYSTEM_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "plugin/core/emulation.h"

/* `target` is QEMU's name of it; `retranslate` throws away all translated code. */
void parts_init(const char *target, void (*retranslate)(void));
/* Someone wants to change what is recorded: from now on all code can be left out. */
void parts_want(void);
/* Whether a block must be recorded by parts_record(). */
bool parts_are_needed(const struct qemu_plugin_tb *tb);
/* Adds the callbacks that record a block. Callers hold link_lock(). */
void parts_record(struct qemu_plugin_tb *tb, struct code_origin origin);

/*
 * The hart left the block that it entered last at the instruction at `pc`: takes those after
 * it back from what was counted. Takes the lock.
 */
void parts_left(unsigned hart, uint64_t pc);
/* The same of the instruction that is as far into its page as `address`. */
void parts_left_in_page(unsigned hart, uint64_t address);
/* The hart goes on with another thread. */
void parts_switched(unsigned hart);

#endif
