// SPDX-License-Identifier: GPL-2.0-or-later
// A compiler in small: writes two functions at run time, the second one's code twice, at the
// same place, calls them, and writes a map as of perf(1) to the file that it is given.

#define _GNU_SOURCE
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define ADDI(imm) (0x00050513u | (uint32_t)(imm) << 20) /* addi a0, a0, imm */
#define BNEZ_BACK 0xfe051ee3u				/* bnez a0, -4 */
#define RET 0x00008067u

typedef long (*code_fn)(long);

static FILE *map;

/* A loop that counts a0 down by `step`; its name goes into the map. */
static code_fn generate(uint32_t *at, int step, const char *name)
{
	uint32_t code[] = { ADDI(-step & 0xfff), BNEZ_BACK, RET };

	memcpy(at, code, sizeof(code));
	__asm__ volatile("fence.i" ::: "memory");
	fprintf(map, "%" PRIxPTR " %zx %s\n", (uintptr_t)at, sizeof(code), name);
	return (code_fn)(uintptr_t)at;
}

int main(int argc, char **argv)
{
	uint32_t *code = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
			      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long left;

	map = fopen(argc > 1 ? argv[1] : "perf.map", "w");
	if (code == MAP_FAILED || !map)
		return 1;
	left = generate(code, 1, "JS:*count (by one)")(1000);
	left += generate(code + 64, 2, "old name")(200);
	left += generate(code + 64, 4, "new::name")(400);
	return fclose(map) || left != 0;
}
