/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a translation block is made of, as it goes into the file. */
#ifndef PLUGIN_CORE_TB_CODE_H
#define PLUGIN_CORE_TB_CODE_H

#include "base/intern.h"
#include "format/blocks.h"
#include "plugin/core/emulation.h"
#include "plugin/qemu_api.h"

/* Instructions side by side: their sizes, and behind these their code. */
struct tb_code {
	uint64_t address;
	uint32_t first; /* of them, in the translation block */
	uint32_t insns, bytes;
	struct code_origin origin;
	uint8_t *code; /* sizes + insns */
	uint8_t sizes[BLOCK_INSNS_MAX + BLOCK_BYTES_MAX + sizeof(uint32_t)];
};

/* Before anything else: which guest it is, in QEMU's words. */
void tb_code_init(const char *target_name);

/* How many instructions the block has. */
uint32_t tb_insns(const struct qemu_plugin_tb *tb);
/*
 * Its id among `blocks`, like intern(). The same from another file is another block: it
 * has other names.
 */
uint32_t tb_code_intern(struct tb_code *tb_code, struct interner *blocks, bool *fresh);
/* Where a block with such an id is, and the sizes of its instructions; how many it has. */
uint32_t tb_code_sizes(const struct interner *blocks, uint32_t id, uint64_t *address,
		       uint8_t sizes[BLOCK_INSNS_MAX]);
/* Whether readers make the text of all its instructions themselves (trace/disassembler.h). */
bool tb_code_has_plain_text(const struct tb_code *tb_code);
/* Instructions first..first + n of it. */
void tb_code_take(struct tb_code *tb_code, const struct qemu_plugin_tb *tb,
		  uint32_t first, uint32_t n);

#endif
