// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: there is no instruction: jumps to nowhere, to a page without access, to one
// that must not be executed; code that runs on over the end of its page, and an
// instruction that lies across it. Nothing begins there, and the block before is whole.

#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum way { JUMP, BACK, REPAIR, WAYS };

static sigjmp_buf home;
static volatile enum way way;
static volatile unsigned faults;
static unsigned char *pages;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	unsigned long *regs = ((ucontext_t *)context)->uc_mcontext.__gregs;
	unsigned char *at = (unsigned char *)((unsigned long)info->si_addr & -4096ul);

	(void)sig;
	faults++;
	if (way == REPAIR && at >= pages && at < pages + 3 * 4096)
		mprotect(at, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
	else if (way == JUMP)
		siglongjmp(home, 1);
	else
		regs[REG_PC] = regs[1];
}

/* Two pages of code: c.addi a0,1 to within the second page, one instruction across. */
static void write_code(void)
{
	uint16_t add = 0x0505, ret = 0x8082;
	uint32_t cross = 0x00350513; /* addi a0, a0, 3 */

	for (unsigned off = 0; off < 2 * 4096; off += 2)
		memcpy(pages + off, &add, 2);
	memcpy(pages + 4096 - 2, &cross, 4);
	memcpy(pages + 4096 + 20, &ret, 2);
	memcpy(pages + 2 * 4096 - 2, &add, 2);
	memcpy(pages + 2 * 4096, (uint16_t[]){ add, ret }, 4);
	__asm__ volatile("fence.i" ::: "memory");
}

int main(void)
{
	struct sigaction act = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	static volatile unsigned long sum = 1;

	pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return 1;
	sigaction(SIGSEGV, &act, NULL);
	write_code();
	/* Nowhere, odd places, and where the way leads into the second or third page. */
	void *const places[] = { NULL,		   (void *)4094,     (void *)(1ul << 62),
				 pages + 4096 - 2, pages + 4096 - 8, pages + 4096,
				 pages + 4096 + 2, pages + 8192 - 8, pages + 8192 };

	for (volatile unsigned i = 0; i < 20 * 9 * WAYS; i++) {
		way = i / 9 % WAYS;
		mprotect(pages + 4096 * (1 + i % 2), 4096,
			 i / (9 * WAYS) % 2 ? PROT_NONE : PROT_READ | PROT_WRITE);
		if (sigsetjmp(home, 1))
			sum = sum * 7;
		else if (way != REPAIR || i % 9 > 2)
			sum = sum * 31 + ((unsigned long (*)(unsigned long))places[i % 9])(i);
		mprotect(pages, 3 * 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
	}
	printf("fetch %016lx %u\n", sum, faults);
	return 0;
}
