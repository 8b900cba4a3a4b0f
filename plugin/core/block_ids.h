/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ids of blocks. A new one is sent to the collector. Callers hold link_lock(). */
#ifndef PLUGIN_CORE_BLOCK_IDS_H
#define PLUGIN_CORE_BLOCK_IDS_H

#include "format/arena.h"
#include "plugin/core/tb_code.h"

/*
 * The id of the instructions that `tb_code` took from `tb`. Without memory for a new id
 * it returns one that the collector refuses.
 */
uint32_t block_id_of(const struct qemu_plugin_tb *tb, struct tb_code *tb_code);
/*
 * The id of the same instructions at another address, from the file with that number of a
 * code_origin: QEMU runs one translation at several (plugin/system/harts.c). 0 without memory.
 * `id` must be a block's.
 */
uint32_t block_id_moved(uint32_t id, uint64_t address, uint32_t file);
/*
 * The address of that instruction of a block which is as far into its page as `address`,
 * if another one comes after it; else false.
 */
bool block_ids_inside(uint32_t id, uint64_t address, uint64_t *inside);
/*
 * The index of that instruction of a block which is as far into its page as the start of block
 * `other`; false: there is none.
 */
bool block_ids_index(uint32_t id, uint32_t other, uint32_t *index);
/* The program of a block, as program_of(). */
const struct program *block_ids_program(uint32_t id);
/* How many instructions a block has. */
uint32_t block_ids_insns(uint32_t id);
/* The same as block_ids_inside(), if that instruction is code[size] as well. */
bool block_ids_inside_is(uint32_t id, uint64_t address, const uint8_t *code, size_t size,
			 uint64_t *inside);
/*
 * How many of a block's instructions come after the one at `pc`; 0 also when none is there.
 */
uint32_t block_ids_behind(uint32_t id, uint64_t pc);
/* Whether the block begins at `pc`. */
bool block_ids_begins(uint32_t id, uint64_t pc);
/* The address of a block's last instruction. */
uint64_t block_ids_last_insn(uint32_t id);
/* A new id, of a block without instructions: see gaps.h. 0 without memory. */
uint32_t block_ids_add_gap(void);
/* A new id for words of values, all but the id given: see values.h. 0 without memory. */
uint32_t block_ids_add_firing(struct message_firing firing);
/* How many ids there are. */
uint32_t block_ids_count(void);
/* Whether there is code that begins at `address`. */
bool block_ids_have(uint64_t address);
/* The table that has all of them. */
const struct interner *block_ids_table(void);

#endif
