/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of instructions of other ISAs than RISC-V: x86, ARM and AArch64. It is that of
 * the Capstone library, which QEMU prints too.
 */
#ifndef TRACE_DISASSEMBLER_H
#define TRACE_DISASSEMBLER_H

#include <stddef.h>
#include <stdint.h>

#include "waymark.h"

struct disassembler;

/* For the guest that QEMU calls `isa`. NULL: not one of these, or without memory. */
struct disassembler *disassembler_new(const char *isa);
void disassembler_free(struct disassembler *disassembler);

/*
 * The text of the block's instruction `index`; its length like snprintf(), 0 when it has
 * none. Several threads may ask.
 */
int disassembler_text(struct disassembler *disassembler, const struct wm_block *block,
		      uint32_t index, char *text, size_t size);

#endif
