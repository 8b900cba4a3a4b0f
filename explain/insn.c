// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Describes one instruction: where it is, its code, where it leads, and its class.
 *
 * RISC-V's classes come from the table of instructions. Their public numbers are fixed in
 * waymark.h, so the table's own order may change. Of other guests only what follows from
 * the flow is known.
 *
 * Example: 0x00a58593 is `addi a1, a1, 10`: class WM_INSN_INTEGER, extension "I", no
 * target. On x86-64, `add $10, %rdi` has class WM_INSN_UNKNOWN, and `call f` WM_INSN_CALL
 * with a target.
 *
 * Invariant: the target is 0 unless has_target is set.
 */
#include <string.h>

#include "analysis/leaving.h"
#include "base/sized.h"
#include "isa/riscv.h"

/* A public number and the table's class. */
static const uint8_t classes[RISCV_CLASSES] = {
#define CLASS(id, name) [RISCV_##id] = WM_INSN_##id,
#include "isa/riscv_class.def"
};

const char *wm_insn_class_name(uint32_t insn_class)
{
	/*
	 * The table is short and a name is rarely asked for, so there is no second table.
	 */
	for (unsigned i = 0; insn_class && i < RISCV_CLASSES; i++)
		if (classes[i] == insn_class)
			return riscv_class_name((enum riscv_class)i);
	return "unknown";
}

static uint32_t class_of_flow(enum flow_kind flow)
{
	switch (flow) {
	case FLOW_BRANCH:
		return WM_INSN_BRANCH;
	case FLOW_JUMP:
		return WM_INSN_JUMP;
	case FLOW_CALL:
		return WM_INSN_CALL;
	case FLOW_CALL_INDIRECT:
		return WM_INSN_CALL_INDIRECT;
	case FLOW_RETURN:
		return WM_INSN_RETURN;
	case FLOW_INDIRECT:
		return WM_INSN_JUMP_INDIRECT;
	default:
		return WM_INSN_UNKNOWN;
	}
}

static const char *extension_of(const struct riscv_insn *is, uint32_t word, unsigned xlen)
{
	enum riscv_extension shorter = RISCV_EXTENSIONS;

	/* The two lowest bits of a 32-bit instruction are set; this one has 16 bits. */
	if ((word & 3) != 3)
		shorter = riscv_compressed((uint16_t)word, xlen);
	if (shorter != RISCV_EXTENSIONS)
		return riscv_extension_name(shorter);
	return is ? riscv_extension_name((enum riscv_extension)is->extension) : NULL;
}

static void describe_riscv(struct wm_insn *insn, unsigned xlen)
{
	const struct riscv_insn *is;
	uint32_t word = 0;

	memcpy(&word, insn->code, insn->bytes < 4 ? insn->bytes : 4);
	is = riscv_decode(word, xlen);
	insn->extension = extension_of(is, word, xlen);
	/* An unknown word may still have a flow; the class from that stays. */
	if (!is)
		return;
	insn->insn_class = classes[is->class];
	insn->precision = riscv_precision(is);
}

int wm_trace_insn_sized(const struct wm_trace *trace, uint32_t id, uint32_t index,
			struct wm_insn *out, size_t bytes)
{
	struct wm_insn insn = { .insn_class = WM_INSN_UNKNOWN };
	struct wm_block block;
	struct leaving leaving;
	struct flow flow;
	int ret = wm_trace_block(trace, id, &block);

	if (!ret && index >= block.insns)
		ret = WM_E_RANGE;
	if (ret)
		return ret;
	/* Up to this instruction, so that it is the last one. */
	block.insns = index + 1;
	block.bytes = 0;
	for (uint32_t i = 0; i <= index; i++)
		block.bytes += block.sizes[i];
	insn.bytes = block.sizes[index];
	insn.code = block.code + block.bytes - insn.bytes;
	insn.address = block.address + block.bytes - insn.bytes;
	/* A guest whose calls are not known has a code and an address, and no class. */
	if (leaving_init(&leaving, trace, NULL) == 0) {
		flow = leaving_flow(&leaving, id, &block);
		insn.flow = flow.kind;
		insn.has_target = flow.has_target;
		insn.target = flow.has_target ? flow.target : 0;
		insn.insn_class = class_of_flow(flow.kind);
		if (leaving.isa.xlen)
			describe_riscv(&insn, leaving.isa.xlen);
	}
	SIZED_PUT(out, bytes, &insn);
	return 0;
}
