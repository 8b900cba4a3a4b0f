// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Three ways to the flow of an instruction: RISC-V's bits, AArch64's bits, and QEMU's text. Example:
 * 0x00008067 of a riscv64 trace is "ret", so is 0xd65f03c0 of an aarch64 one; of an x86_64 one the
 * text begins with "ret".
 */
#include "trace/insn_flow.h"

#include <string.h>

#include "trace/trace.h"

enum { TEXT_BYTES = 200 };

struct insn_flow insn_flow_init(const struct wm_trace *trace)
{
	const char *isa = wm_trace_meta(trace, "guest-isa");
	struct insn_flow flow = { trace, trace->xlen, trace->xlen, 0 };

	if (isa && flow_machine(isa, &flow.machine))
		flow.known = true;
	return flow;
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
