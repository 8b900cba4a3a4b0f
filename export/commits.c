// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lines of Spike's --log-commits: core, privilege, address, instruction; then the
 * register written and its value, and memory that was loaded from (an address) or stored to
 * (an address and the data, as many digits as there were bytes).
 *
 *	core   0: 0 0x0000000000010596 (0xcda7a907) f18 0xffffffff3f800000 mem 0x000000000005626c
 *	core   0: 0 0x0000000000011b7e (0xec06) mem 0x000000004000082d 0x0000000000010644
 *
 * With record --commits a trace has the integer and floating-point registers that were
 * written; CSRs, such as fflags, are left out, and vectors. Without, it has those that loads
 * write, which a reader must know: a line without a register may be of an instruction that
 * writes one.
 */
#include "export/mem_format.h"

#include <inttypes.h>

static void print_data(FILE *out, const struct wm_access *access)
{
	fputs(" 0x", out);
	if (access->size > 8)
		fprintf(out, "%016" PRIx64 "%016" PRIx64, access->data[1],
			access->data[0]);
	else
		fprintf(out, "%0*" PRIx64, 2 * access->size, access->data[0]);
}

static void print_accesses(FILE *out, const struct mem_insn *insn)
{
	/* QEMU does it by a compare-and-swap, which loads. */
	bool only_stores = riscv_is_store_conditional((uint32_t)insn->opcode);

	for (size_t i = 0; i < insn->n; i++) {
		const struct wm_access *access = &insn->accesses[i];

		if (only_stores && access->kind != WM_ACCESS_STORE)
			continue;
		fprintf(out, " mem 0x%0*" PRIx64, (int)insn->xlen / 4, access->address);
		if (access->kind == WM_ACCESS_STORE)
			print_data(out, access);
	}
}

static void print(FILE *out, const struct mem_insn *insn)
{
	int digits = (int)insn->xlen / 4;
	struct mem_register written;

	fprintf(out, "core %3u: 0 0x%0*" PRIx64 " (0x%0*" PRIx64 ")", insn->vcpu, digits,
		insn->address, 2 * (int)insn->bytes, insn->opcode);
	for (size_t i = 0; mem_written(insn, i, &written); i++)
		fprintf(out, " %c%-2u 0x%0*" PRIx64, written.file == RISCV_F ? 'f' : 'x',
			written.number, written.file == RISCV_F ? 16 : digits,
			written.value);
	print_accesses(out, insn);
	putc('\n', out);
}

const struct mem_format mem_commits = {
	.format = { "commits", FORMAT_MEM, "log", "Spike's --log-commits" },
	.riscv_only = true,
	.needs_data = true,
	.print = print,
};
