// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: handlers that return somewhere else: after the instruction, to a later place
// in the same block, back to the block's beginning, to the caller, or to another function.

#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum way { SKIP, LATER, BEGIN, CALLER, AWAY, WAYS };

/* A block with two accesses; the labels are where handlers go. */
extern unsigned long twice(void *at, unsigned long x);
extern const char twice_later[], away[];

__asm__(".text\n"
	".option push\n"
	".option norelax\n"
	".balign 8\n"
	".type twice, @function\n"
	"twice:\n"
	"addi a1, a1, 3\n"
	"ld a2, 0(a0)\n"
	"addi a1, a1, 5\n"
	"slli a1, a1, 1\n"
	"twice_later:\n"
	"addi a1, a1, 7\n"
	"sw a1, 8(a0)\n"
	"addi a1, a1, 9\n"
	"mv a0, a1\n"
	"ret\n"
	".type away, @function\n"
	"away:\n"
	"li a0, 77\n"
	"ret\n"
	".option pop\n");

static volatile enum way way;
static volatile unsigned faults, again;
static unsigned char *page;

static unsigned long length_at(unsigned long pc)
{
	uint16_t half;

	memcpy(&half, (void *)pc, sizeof(half));
	return (half & 3) == 3 ? 4 : 2;
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	unsigned long *regs = ((ucontext_t *)context)->uc_mcontext.__gregs;
	unsigned long pc = regs[REG_PC];

	(void)sig, (void)info;
	faults++;
	switch (way) {
	case SKIP:
		regs[REG_PC] = pc + length_at(pc);
		break;
	case LATER: /* from the store it is the way back, which ends in the same fault */
		regs[REG_PC] = again++ ? pc + length_at(pc) : (unsigned long)twice_later;
		break;
	case BEGIN:
		if (++again == 3)
			mprotect(page, 4096, PROT_READ | PROT_WRITE);
		regs[REG_PC] = (unsigned long)twice;
		break;
	case CALLER:
		regs[REG_PC] = regs[1];
		regs[10] = 55;
		break;
	default:
		regs[REG_PC] = (unsigned long)away;
		break;
	}
}

int main(void)
{
	struct sigaction act = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	unsigned long sum = 1;

	sigaction(SIGSEGV, &act, NULL);
	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return 1;
	for (unsigned i = 0; i < 100 * WAYS; i++) {
		way = i % WAYS;
		again = 0;
		mprotect(page, 4096, i % 3 ? PROT_NONE : PROT_READ);
		sum = sum * 31 + twice(page + 16, i);
	}
	printf("redirect %016lx %u\n", sum, faults);
	return 0;
}
