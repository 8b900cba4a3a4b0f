// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds out how control leaves a block from the block's last instruction.
 *
 * A RISC-V call of a distant function takes two instructions, and only both together have
 * a target. Example:
 *
 *     0x1000: auipc ra, 0x1          ra = 0x1000 + 0x1000
 *     0x1004: jalr  ra, -8(ra)       target 0x2000 - 8 = 0x1ff8
 *
 * LuaJIT's compiled code leaves by such a pair that does not link: jalr zero, -8(ra). Its last
 * instruction alone would be a return.
 */
#include "analysis/leaving.h"

#include "base/error.h"

enum {
	OPCODE_LOAD = 0x03,
	OPCODE_ADDI = 0x13,
	OPCODE_AUIPC = 0x17,
	OPCODE_LUI = 0x37,
	OPCODE_JALR = 0x67,
	RA = 1,
	SP = 2,
	T0 = 5,
	T1 = 6
};

int leaving_init(struct leaving *leaving, const struct wm_trace *trace,
		 struct wm_error *err)
{
	const char *isa = wm_trace_meta(trace, "guest-isa");

	leaving->isa = insn_flow_init(trace);
	if (leaving->isa.known)
		return 0;
	return wm_fail(err, WM_E_RANGE, 0, "which instructions of %s call is not known",
		       isa ? isa : "an unknown guest");
}

/*
 * Sets the target of an auipc followed by a jalr through the same register. Neither
 * instruction has a compressed form that would fit, so both must have 4 bytes. The auipc
 * may be in an earlier block; then the call stays without a target.
 */
static void join_parts(struct flow *flow, const struct wm_block *block, uint64_t address)
{
	const uint8_t *sizes = block->sizes + block->insns;
	uint32_t high, low;

	if ((flow->kind != FLOW_CALL_INDIRECT && flow->kind != FLOW_RETURN) ||
	    block->insns < 2 || sizes[-1] != 4 || sizes[-2] != 4)
		return;
	low = insn_word(block->code + block->bytes - 4, 4);
	high = insn_word(block->code + block->bytes - 8, 4);
	/* Bits 11:7 are auipc's rd, bits 19:15 are jalr's rs1. */
	if ((low & 0x7f) != OPCODE_JALR || (high & 0x7f) != OPCODE_AUIPC ||
	    (high >> 7 & 31) != (low >> 15 & 31))
		return;
	if (flow->kind == FLOW_RETURN)
		flow->kind = FLOW_JUMP;
	flow->has_target = true;
	/* auipc adds its immediate to its own address; both immediates are signed. */
	flow->target = address - 4 + (uint64_t)(int64_t)(int32_t)(high & 0xfffff000) +
		       (uint64_t)(int64_t)((int32_t)low >> 20);
}

struct flow leaving_flow(const struct leaving *leaving, uint32_t id,
			 const struct wm_block *block)
{
	uint32_t size = block->insns ? block->sizes[block->insns - 1] : 0;
	uint32_t last = block->bytes - size;
	struct insn_place insn = { id, block->insns - 1, block->address + last,
				   block->code + last, size };
	struct flow flow;

	/* A gap has no instructions. */
	if (!size)
		return (struct flow){ .kind = FLOW_ON };
	flow = insn_flow(&leaving->isa, &insn);
	if (!leaving->isa.xlen)
		return flow;
	join_parts(&flow, block, block->address + last);
	if (leaving->isa.xlen == 32)
		flow.target = (uint32_t)flow.target;
	return flow;
}

bool leaving_by_scratch(const struct leaving *leaving, const struct wm_block *block)
{
	uint32_t size = block->insns ? block->sizes[block->insns - 1] : 0;
	uint32_t word = insn_word(block->code + block->bytes - size, size);

	if (!leaving->isa.xlen)
		return false;
	/* c.jr; jalr with any offset, and no link. */
	for (unsigned by = T0; by <= T1; by++)
		if (size == 2 ? word == (0x8002 | by << 7) :
				(word & 0xfffff) == (by << 15 | OPCODE_JALR))
			return true;
	return false;
}

bool leaving_loads_t0(const struct leaving *leaving, const struct wm_block *block)
{
	uint32_t size = block->insns ? block->sizes[block->insns - 1] : 0;
	uint32_t word = insn_word(block->code + block->bytes - size, size);
	const uint8_t *at = block->code;
	bool is_put = false;

	if (!leaving->isa.xlen || !size ||
	    (size == 2 ? word >> 7 & 31 : word >> 15 & 31) != T0)
		return false;
	for (uint32_t i = 0; i + 1 < block->insns; at += block->sizes[i++]) {
		word = block->sizes[i] == 4 ? insn_word(at, 4) : 0;
		if ((word >> 7 & 31) != T0)
			continue;
		if ((word & 0x7f) == OPCODE_LOAD)
			is_put = (word >> 15 & 31) != SP;
		else if ((word & 0x7f) == OPCODE_LUI || (word & 0x7f) == OPCODE_AUIPC)
			is_put = true;
	}
	return is_put;
}

enum retpoline leaving_retpoline(const struct leaving *leaving,
				 const struct wm_block *block)
{
	const uint8_t *code = block->code;

	if (!leaving->isa.known || leaving->isa.xlen ||
	    leaving->isa.machine != FLOW_X86 || block->insns != 2 || block->bytes < 5 ||
	    (code[0] & 0xfb) != 0x48 || code[1] != 0x89 || (code[2] & 0xc7) != 0x04 ||
	    code[3] != 0x24)
		return RETPOLINE_NONE;
	if (code[4] == 0xc3)
		return RETPOLINE_RETURNS;
	return code[4] == 0xe9 || code[4] == 0xeb ? RETPOLINE_JUMPS : RETPOLINE_NONE;
}

/* Whether two instructions put an address into ra: *address. */
static bool puts_link(uint32_t high, uint32_t low, uint64_t at, uint64_t *address)
{
	uint32_t of_addi = OPCODE_ADDI | RA << 7 | RA << 15;

	/* auipc ra; addi ra, ra: rd and rs1, and no other funct3. */
	if ((high & 0xfff) != (OPCODE_AUIPC | RA << 7) || (low & 0xfffff) != of_addi)
		return false;
	*address = at + (uint64_t)(int64_t)(int32_t)(high & 0xfffff000) +
		   (uint64_t)((int32_t)low >> 20);
	return true;
}

uint64_t leaving_link(const struct leaving *leaving, const struct wm_block *block)
{
	uint32_t first = block->insns < 4 ? 0 : block->insns - 4, at = 0;
	uint64_t address = 0;

	for (uint32_t i = 0; i < first; i++)
		at += block->sizes[i];
	for (uint32_t i = first; leaving->isa.xlen && i + 2 < block->insns; i++) {
		const uint8_t *code = block->code + at;

		if (block->sizes[i] == 4 && block->sizes[i + 1] == 4 &&
		    puts_link(insn_word(code, 4), insn_word(code + 4, 4),
			      block->address + at, &address))
			return address;
		at += block->sizes[i];
	}
	return 0;
}
