/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instructions of a translation block, or of a piece of one, as they go into the
 * file.
 */
#ifndef PLUGIN_CORE_TB_CODE_H
#define PLUGIN_CORE_TB_CODE_H

#include "base/intern.h"
#include "format/blocks.h"
#include "plugin/core/emulation.h"
#include "plugin/qemu_api.h"

struct program;

/* Consecutive instructions: their sizes, followed by their bytes. */
struct tb_code {
	uint64_t address;
	uint32_t first; /* index in the translation block */
	uint32_t insns, bytes;
	struct code_origin origin;
	const struct program *program; /* NULL: no values are wanted */
	uint8_t *code;		       /* sizes + insns */
	uint8_t sizes[BLOCK_INSNS_MAX + BLOCK_BYTES_MAX + sizeof(uint32_t)];
};

/* Before anything else: QEMU's name of the guest, and whether it is a whole machine. */
void tb_code_init(const char *target_name, bool is_machine);

/* How many instructions the block has. */
uint32_t tb_insns(const struct qemu_plugin_tb *tb);
/*
 * Whether the last instruction of QEMU's list may not be in the block. tb_insns() goes by 64-bit
 * code; where code may be of another kind, only that instruction's own callback tells.
 */
bool tb_may_lack_last(const struct qemu_plugin_tb *tb);
/*
 * Its id among `blocks`, like intern(). The same code from another file is another block:
 * it has other symbols.
 */
uint32_t tb_code_intern(struct tb_code *tb_code, struct interner *blocks, bool *fresh);
/*
 * The address of the block with that id and its instructions' sizes; returns their
 * number.
 */
uint32_t tb_code_sizes(const struct interner *blocks, uint32_t id, uint64_t *address,
		       uint8_t sizes[BLOCK_INSNS_MAX]);
/* Gets back what was interned, at its address; program is NULL. */
void tb_code_copy(struct tb_code *tb_code, const struct interner *blocks, uint32_t id);
/* Whether readers can disassemble all its instructions (trace/disassembler.h). */
bool tb_code_has_plain_text(const struct tb_code *tb_code);
/* Copies instructions first..first + n of `tb`. */
void tb_code_take(struct tb_code *tb_code, const struct qemu_plugin_tb *tb,
		  uint32_t first, uint32_t n);

/*
 * Notes what is translated, and sends an event when the bytes at its address differ from
 * those of the last translation there (plugin/core/versions.c). Callers hold link_lock().
 */
void versions_note(const struct tb_code *tb_code);

#endif
