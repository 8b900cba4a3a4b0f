/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of instructions of guests other than RISC-V: x86, ARM and AArch64. It comes
 * from the Capstone library, which QEMU uses, too.
 */
#ifndef TRACE_DISASSEMBLER_H
#define TRACE_DISASSEMBLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "waymark.h"

struct disassembler;

/* For a guest, by QEMU's name of its ISA. NULL: another ISA, or no memory. */
struct disassembler *disassembler_new(const char *isa);
void disassembler_free(struct disassembler *disassembler);

/*
 * The text of the block's instruction `index`. Returns its length like snprintf(), 0 when
 * it has none. Threads may call this at the same time.
 */
int disassembler_text(struct disassembler *disassembler, const struct wm_block *block,
		      uint32_t index, char *text, size_t size);

/*
 * Of a block of 32-bit ARM whose code could be of both instruction sets (ARM_EITHER): whether
 * instruction `index`, which QEMU prints as `text`, is Thumb's. Threads may call this at the
 * same time.
 */
bool disassembler_is_thumb(struct disassembler *disassembler,
			   const struct wm_block *block, uint32_t index,
			   const char *text);

#endif
