/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values of the guest's registers, by their numbers (isa/registers.h). */
#ifndef PLUGIN_CORE_REGISTERS_H
#define PLUGIN_CORE_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "plugin/qemu_api.h"

struct named_register;

/* Whether QEMU gives registers within a block, and not at its start alone. */
#define REGISTERS_ANYWHERE (QEMU_PLUGIN_API >= 2)

/* Before anything else: QEMU's name of the guest. */
void registers_init(const char *target_name);
/* A vCPU's own thread runs. Callers hold link_lock(). */
void registers_learn(void);
/* In each such callback, before parts of registers are read: they may have changed. */
void registers_changed(void);
/*
 * Reads one in a callback with registers, in which QEMU's CPU state is at `state`: how many
 * words it has, 1 or 2; 0: it cannot be read.
 */
unsigned registers_read(const void *state, unsigned number, uint64_t words[2]);

/*
 * Any register by QEMU's name of it, a string that stays; NULL: there are too many. Callers hold
 * link_lock().
 */
const struct named_register *registers_find(const char *name);
/*
 * Sets *value to its low 64 bits, in a callback with registers, and returns how many bytes it has;
 * 0: it cannot be read, or this hart has none of that name.
 */
unsigned registers_read_at(const struct named_register *of, uint64_t *value);

/*
 * A machine's hart begins, on its own thread. Harts of one machine may have different registers.
 * Callers hold link_lock().
 */
void registers_hart_begins(unsigned hart);
/* The thread, which runs several harts, goes on with that one, or with one that is not known. */
void registers_turn_to(unsigned hart);
/* The thread's hart is not known: asks QEMU which registers it has. Callers hold link_lock(). */
void registers_look(void);

#endif
