/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a hart executes: QEMU's translations, each at the address at which the hart enters
 * it.
 */
#ifndef PLUGIN_SYSTEM_HARTS_H
#define PLUGIN_SYSTEM_HARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plugin/core/emulation.h"

/* Whether this host's translated code shows where a hart is. */
bool harts_are_seen(void);
/*
 * Before the machine runs: whether harts may run at the same time, and whether QEMU enters one
 * translation at several addresses.
 */
void harts_init(bool are_parallel, bool code_moves);
/*
 * Where a code segment's base is in QEMU's CPU state, NULL: in that of some hart, the one that was
 * seen first; NULL: not known, or no segments.
 */
const uint8_t *harts_base(const uint8_t *state);
/* Adds the callback that records a block. Callers hold link_lock(). */
void harts_record(struct qemu_plugin_tb *tb, struct code_origin origin);

/* The id of the block, or gap, that a hart entered last; 0: none yet. */
uint32_t harts_last(unsigned hart);

/* A block's address and its id. */
struct place {
	uint64_t address;
	uint32_t id, file; /* of a code_origin: 0 where harts_record() records it */
	bool recorded;	   /* no filter leaves it out */
};

/* The places of one translation. Never freed: translated code has its address. */
struct spot;

/* The spot of a block that has been given its id. Callers hold link_lock(). */
struct spot *harts_spot(uint32_t id, uint64_t address, uint32_t file);
/* Where it was translated. */
const struct place *harts_own_place(const struct spot *spot);
/* The place of its code at `address`, from file number `file`, without the lock. */
const struct place *harts_place(struct spot *spot, uint64_t address, uint32_t file);
/* The address at which a hart, whose state is QEMU's CPU state, enters it. */
uint64_t harts_entered(const struct spot *spot, const uint8_t *state);
/* The program counter of a hart that enters a block; false: where that is is not known yet. */
bool harts_counter(const uint8_t *state, uint64_t *pc);
/* Which block is about to be recorded. `piece` has been taken of `tb`; callers hold link_lock(). */
struct tb_code;
struct spot *harts_name(struct qemu_plugin_tb *tb, struct tb_code *piece, bool may_run);
/*
 * Adds the callback that ends what the instruction before instruction `first` does, before any
 * that is called for what begins there. For the first one of a block too.
 */
void harts_settle(struct qemu_plugin_tb *tb, uint32_t first);
/* How many instructions of a block can run. */
uint32_t harts_count_insns(const struct qemu_plugin_tb *tb);
/* Whether instruction `i` must be in no piece with those before it. */
bool harts_cut_before(const struct qemu_plugin_tb *tb, uint32_t i);
/* The same of those behind it. */
bool harts_cut_behind(const struct qemu_plugin_tb *tb, uint32_t i);

#endif
