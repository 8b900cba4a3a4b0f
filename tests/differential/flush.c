// SPDX-License-Identifier: GPL-2.0-or-later
// More code than QEMU has room for translations of (128 MiB): on its way it throws all of
// them away and starts anew, so that the second round meets none of the first.

#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>

#define BLOCKS 6500
#define BLOCK 512 /* instructions, as many as QEMU puts into a block */

#define ADDI(imm) (0x00050513u | (uint32_t)(imm) << 20) /* addi a0, a0, imm */
#define REM 0x02b56533u /* rem a0, a0, a1: a lot of code on the host */
#define RET 0x00008067u

typedef long (*code_fn)(long, long);

int main(void)
{
	uint32_t *code = mmap(NULL, BLOCKS * BLOCK * sizeof(*code),
			      PROT_READ | PROT_WRITE | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned long sum = 0;

	if (code == MAP_FAILED)
		return 1;
	for (uint32_t i = 0; i < BLOCKS * BLOCK; i++)
		code[i] = i % 2 ? REM : ADDI(i % 1021);
	for (uint32_t i = 0; i < BLOCKS; i++)
		code[i * BLOCK + BLOCK - 1] = RET;
	__asm__ volatile("fence.i" ::: "memory");
	for (int round = 0; round < 2; round++)
		for (uint32_t i = 0; i < BLOCKS; i++) {
			code_fn run = (code_fn)(code + i * BLOCK);

			sum = sum * 31 + (unsigned long)run(round, 3);
		}
	printf("flush %016lx\n", sum);
	return 0;
}
