// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The lines of Spike's --log-commits: core, privilege (of virtual modes, too, 1 and 0),
 * address, instruction; then the
 * register written and its value, and memory that was loaded from (an address) or stored to
 * (an address and the data, as many digits as there were bytes).
 *
 *	core   0: 0 0x0000000000010596 (0xcda7a907) f18 0xffffffff3f800000 mem 0x000000000005626c
 *	core   0: 0 0x0000000000011b7e (0xec06) mem 0x000000004000082d 0x0000000000010644
 *
 * With record --commits a trace has the integer and floating-point registers that were
 * written, and CSRs that have changed, of which Spike also has those that have not; vectors
 * are left out. Without, it has those that loads write, which a reader must know: a line
 * without a register may be of an instruction that writes one.
 */
#include "export/mem_format.h"

#include <inttypes.h>
#include <limits.h>

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

/* Spike sorts by this: the register's own number, then its kind. */
static unsigned key_of(const struct mem_register *written)
{
	if (written->number >= REGISTERS_FIRST_CSR)
		return register_csr(written->number) << 4 | 4;
	return written->number % 32 << 4 | (written->number >= REGISTERS_FIRST_FP);
}

static void print_register(FILE *out, const struct mem_register *written, int digits)
{
	if (written->number >= REGISTERS_FIRST_CSR)
		fprintf(out, " c%u_%s", register_csr(written->number),
			register_name("riscv64", written->number));
	else
		fprintf(out, " %c%-2u", written->number >= REGISTERS_FIRST_FP ? 'f' : 'x',
			written->number % 32);
	if (written->number / 32 == REGISTERS_FIRST_FP / 32)
		digits = 16;
	fprintf(out, " 0x%0*" PRIx64, digits, written->data[0]);
}

/* Those with keys from `from` on: the first of them is printed. Its key; or UINT_MAX. */
static unsigned print_next(FILE *out, const struct mem_insn *insn, unsigned from)
{
	struct mem_register written, first = { .number = 0 };
	unsigned least = UINT_MAX;

	for (size_t i = 0; mem_written(insn, i, &written); i++)
		if (!mem_is_vector(&written) && key_of(&written) >= from &&
		    key_of(&written) < least) {
			least = key_of(&written);
			first = written;
		}
	if (least != UINT_MAX)
		print_register(out, &first, (int)insn->xlen / 4);
	return least;
}

static void print(FILE *out, const struct mem_insn *insn)
{
	int digits = (int)insn->xlen / 4;
	unsigned key = 0;

	fprintf(out, "core %3u: %u 0x%0*" PRIx64 " (0x%0*" PRIx64 ")", insn->vcpu,
		insn->mode, digits, insn->address, 2 * (int)insn->bytes, insn->opcode);
	while ((key = print_next(out, insn, key)) != UINT_MAX)
		key++;
	print_accesses(out, insn);
	putc('\n', out);
}

const struct mem_format mem_commits = {
	.format = { "commits", FORMAT_MEM, "log", "Spike's --log-commits",
		    "--mem-values or --commits" },
	.wants_mode = true,
	.riscv_only = true,
	.needs_data = true,
	.print = print,
};
