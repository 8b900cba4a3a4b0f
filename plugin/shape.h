/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a translation block is made of, as it goes into the file. */
#ifndef PLUGIN_SHAPE_H
#define PLUGIN_SHAPE_H

#include "base/intern.h"
#include "format/blocks.h"
#include "plugin/modules.h"
#include "plugin/qemu_api.h"

/* Instructions side by side: their sizes, and behind these their code. */
struct shape {
	uint64_t address;
	uint32_t first; /* of them, in the translation block */
	uint32_t insns, bytes;
	struct maps_place place;
	uint8_t *code; /* sizes + insns */
	uint8_t sizes[BLOCK_INSNS_MAX + BLOCK_BYTES_MAX + sizeof(uint32_t)];
};

/* Before anything else: which guest it is, in QEMU's words. */
void shape_guest(const char *target_name);

/* How many instructions the block has. */
uint32_t shape_insns(const struct qemu_plugin_tb *tb);
/*
 * Its id among `blocks`, like intern(). The same from another file is another block: it
 * has other names.
 */
uint32_t shape_intern(struct shape *shape, struct interner *blocks, bool *fresh);
/* Where a block with such an id is, and the sizes of its instructions; how many it has. */
uint32_t shape_sizes(const struct interner *blocks, uint32_t id, uint64_t *address,
		     uint8_t sizes[BLOCK_INSNS_MAX]);
/* Whether readers make the text of all its instructions themselves (trace/disassembler.h). */
bool shape_is_plain(const struct shape *shape);
/* Instructions first..first + n of it. */
void shape_take(struct shape *shape, const struct qemu_plugin_tb *tb, uint32_t first,
		uint32_t n);

#endif
