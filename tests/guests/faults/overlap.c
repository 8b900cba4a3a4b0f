// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: one block begins inside another, at an instruction of its own or in the middle
// of a long one, whose second half is an instruction, too; and they fault there.

#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>

extern unsigned long whole(void *at, unsigned long x);

__asm__(".text\n"
	".option push\n"
	".option norelax\n"
	".balign 8\n"
	".type whole, @function\n"
	"whole:\n"
	".option rvc\n"
	"c.addi a1, 1\n"	/* 0 */
	".word 0x00010613\n"	/* 2: addi a2, sp, 0; at 4: c.addi x0, 0 */
	"c.addi a1, 2\n"	/* 6 */
	".4byte 0x610c0613\n"	/* 8: addi a2, s8, 0x610; at 10: c.ld a1, 0(a0) */
	"c.addi a1, 3\n"	/* 12 */
	"c.ld a2, 8(a0)\n"	/* 14 */
	"c.addi a1, 4\n"	/* 16 */
	"c.mv a0, a1\n"		/* 18 */
	"c.jr ra\n"		/* 20 */
	".option pop\n");

static unsigned char *page;
static volatile unsigned faults, skips;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info;
	faults++;
	if (skips)
		((ucontext_t *)context)->uc_mcontext.__gregs[REG_PC] += 2;
	else
		mprotect(page, 4096, PROT_READ);
}

int main(void)
{
	static const unsigned char entries[] = { 0, 2, 4, 6, 8, 10, 12, 14, 16, 18 };
	struct sigaction act = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	unsigned long sum = 1;

	sigaction(SIGSEGV, &act, NULL);
	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return 1;
	for (unsigned i = 0; i < 1200; i++) {
		unsigned long entry = (unsigned long)whole + entries[i % sizeof(entries)];

		skips = i / 60 % 2;
		mprotect(page, 4096, i / 30 % 2 ? PROT_NONE : PROT_READ);
		sum = sum * 31 + ((unsigned long (*)(void *, unsigned long))entry)(page, i);
	}
	printf("overlap %016lx %u\n", sum, faults);
	return 0;
}
