/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values beside the path: the callbacks of accesses to memory, which store addresses and
 * data into the vCPU's ring of values. See format/values.h.
 */
#ifndef PLUGIN_CORE_VALUES_H
#define PLUGIN_CORE_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "plugin/core/emulation.h"
#include "plugin/core/slot.h"
#include "plugin/qemu_api.h"

struct tb_code;

/* What to record, enum values_wanted, of a guest `target`. */
void values_init(uint32_t wanted, const char *target, const struct emulation *emulation);
/* Whether anything is. */
bool values_any(void);
/*
 * Whether a block must be entered by values_enter(). Where only loads at sites are
 * recorded, blocks without any need not: one with sites is left behind its last one.
 */
bool values_need_entry(const struct tb_code *tb_code);

/*
 * Registers callbacks for the accesses of a block, or of a piece of one. False without
 * memory. Callers hold link_lock().
 */
bool values_register(const struct qemu_plugin_tb *tb, const struct tb_code *tb_code,
		     uint32_t id);

/* A thread begins, or ends; in a forked child there is only one. */
void values_thread_begins(void);
void values_thread_ends(void);
void values_begin_child(void);

/* The thread enters that block: its accesses are recorded from now on. */
static inline void values_enter(unsigned vcpu, uint32_t id)
{
	value_head(vcpu)->block = id;
}

/* The same of a machine, whose lane gets another id, `place`, for it. */
static inline void values_enter_at(unsigned vcpu, uint32_t id, uint32_t place)
{
	value_head(vcpu)->block = id;
	value_head(vcpu)->place = place;
}

#endif
