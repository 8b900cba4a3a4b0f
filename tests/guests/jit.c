// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: code written at run time and rewritten in place: the same address holds other
// instructions later, sometimes the old ones again, and blocks overlap.

#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define ADDI(imm) (0x00050513u | (uint32_t)(imm) << 20) /* addi a0, a0, imm */
#define XORI(imm) (0x00054513u | (uint32_t)(imm) << 20) /* xori a0, a0, imm */
#define SLLI(imm) (0x00051513u | (uint32_t)(imm) << 20) /* slli a0, a0, imm */
#define RET 0x00008067u

typedef long (*code_fn)(long);

static void write_code(uint32_t *at, uint32_t insn)
{
	memcpy(at, &insn, sizeof(insn));
}

int main(void)
{
	uint32_t *code = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long sum = 0;

	if (code == MAP_FAILED)
		return 1;
	for (int i = 0; i < 2048; i++)
		write_code(code + i, ADDI(1));
	write_code(code + 2047, RET);
	for (int round = 0; round < 300; round++) {
		uint32_t kinds[] = { ADDI(round % 7), XORI(round % 5 + 1), SLLI(1) };
		int at = 2000 + round % 40;

		write_code(code + at, kinds[round % 3]);
		__asm__ volatile("fence.i" ::: "memory");
		for (int from = 1990; from < 2040; from += 10)
			sum = sum * 31 + (unsigned long)((code_fn)(code + from))(round);
		if (round % 50 == 0) /* across the page end */
			sum += (unsigned long)((code_fn)code)(round);
	}
	printf("jit %016lx\n", sum);
	return 0;
}
