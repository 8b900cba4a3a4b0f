/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where control goes after an instruction of a trace, whatever its guest's ISA is. */
#ifndef TRACE_INSN_FLOW_H
#define TRACE_INSN_FLOW_H

#include "isa/flow.h"
#include "waymark.h"

struct insn_flow {
	const struct wm_trace *trace;
	bool known;    /* the ISA is one whose flow is known */
	unsigned xlen; /* 32 or 64; 0: no RISC-V */
	enum flow_machine machine;
};

/* `known` tells whether there is anything to ask. The trace must outlive it. */
struct insn_flow insn_flow_init(const struct wm_trace *trace);

/* An instruction: its block, which number it has there, and its bytes, of the block's code. */
struct insn_place {
	uint32_t id, index;
	uint64_t address;
	const uint8_t *code;
	uint32_t bytes;
};

/*
 * Its flow. RISC-V's and AArch64's instructions are decoded from their bits, because those tell a
 * call from a jump; for x86 and ARM QEMU's text is parsed, which is slower. FLOW_ON where the ISA
 * is not known.
 */
struct flow insn_flow(const struct insn_flow *isa, const struct insn_place *insn);

/* Up to four bytes of code as a little-endian number. */
static inline uint32_t insn_word(const uint8_t *code, uint32_t bytes)
{
	uint32_t word = 0;

	for (uint32_t i = 0; i < bytes && i < 4; i++)
		word |= (uint32_t)code[i] << 8 * i;
	return word;
}

#endif
