/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values at places that the user named (struct order_value): registers and memory before an
 * instruction, and what functions return.
 */
#ifndef PLUGIN_CORE_PLACES_H
#define PLUGIN_CORE_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "plugin/core/emulation.h"
#include "plugin/qemu_api.h"

struct orders;
struct tb_code;

/* Before anything else. Until then nothing is recorded. */
void places_init(const struct orders *orders, const char *target,
		 const struct emulation *emulation);
/* Whether anything is wanted. */
bool places_any(void);
/* Whether what functions return is. */
bool places_await_returns(void);
/*
 * Registers callbacks for a block that is part of a translation, after those that store its
 * id. `may_run`: the block may be recorded. Without memory they are left out. Callers hold
 * link_lock().
 */
void places_register(const struct qemu_plugin_tb *tb, const struct tb_code *tb_code,
		     uint32_t id, bool may_run);

/*
 * The same of machines: hart `hart` is about to run the first instruction of a block, whose id it
 * has stored, at `address`, of file number `file` of a code_origin. In a callback with registers.
 */
void places_reach(unsigned hart, uint32_t block, uint64_t address, uint32_t file);
/*
 * Before that, where functions may return to: at the first instruction of a translation. Block
 * 0: it is not recorded, and calls that return there are over. In a callback with registers.
 */
void places_arrive(unsigned hart, uint32_t block, uint64_t address);

#endif
