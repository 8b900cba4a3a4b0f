// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Three ways to the flow of an instruction: RISC-V's bits, AArch64's bits, and QEMU's text. Example:
 * 0x00008067 of a riscv64 trace is "ret", so is 0xd65f03c0 of an aarch64 one; of an x86_64 one the
 * text begins with "ret".
 */
#include "trace/insn_flow.h"

#include <string.h>

enum { TEXT_BYTES = 200 };

struct insn_flow insn_flow_init(const struct wm_trace *trace)
{
	static const struct {
		const char *isa;
		unsigned xlen;
		enum flow_machine machine;
	} known[] = {
		{ "riscv64", 64, 0 },		{ "riscv32", 32, 0 },
		{ "aarch64", 0, FLOW_AARCH64 }, { "arm", 0, FLOW_ARM },
		{ "x86_64", 0, FLOW_X86 },	{ "i386", 0, FLOW_X86 },
	};
	const char *isa = wm_trace_meta(trace, "guest-isa");

	for (size_t i = 0; isa && i < sizeof(known) / sizeof(*known); i++)
		if (!strcmp(isa, known[i].isa))
			return (struct insn_flow){ trace, true, known[i].xlen,
						   known[i].machine };
	return (struct insn_flow){ .trace = trace };
}

struct flow insn_flow(const struct insn_flow *isa, const struct insn_place *insn)
{
	char text[TEXT_BYTES];

	if (!isa->known)
		return (struct flow){ .kind = FLOW_ON };
	if (isa->xlen)
		return flow_riscv(insn_word(insn->code, insn->bytes), isa->xlen,
				  insn->address);
	if (isa->machine == FLOW_AARCH64)
		return flow_aarch64(insn_word(insn->code, insn->bytes), insn->address);
	wm_trace_disas(isa->trace, insn->id, insn->index, text, sizeof(text));
	return flow_text(isa->machine, text);
}
