// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: SIGBUS: a mapping goes on where its file has ended. The handler lets the file
// grow, skips the instruction, or jumps away.

#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "probes.h"

static sigjmp_buf home;
static volatile unsigned how, faults;
static int fd;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	unsigned long *pc = &((ucontext_t *)context)->uc_mcontext.__gregs[REG_PC];
	uint16_t half;

	(void)info;
	faults += sig == SIGBUS;
	if (how == 0)
		siglongjmp(home, 1);
	if (how == 1 && ftruncate(fd, 3 * 4096) == 0)
		return;
	memcpy(&half, (void *)*pc, sizeof(half));
	*pc += (half & 3) == 3 ? 4 : 2;
}

int main(void)
{
	struct sigaction act = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	static volatile unsigned long sum = 1;
	unsigned char *file;

	fd = memfd_create("file", 0);
	file = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd < 0 || file == MAP_FAILED)
		return 1;
	sigaction(SIGBUS, &act, NULL);
	for (volatile unsigned i = 0; i < 30 * PROBES; i++) {
		unsigned which = i % PROBES;

		if (ftruncate(fd, 4096))
			return 1;
		how = i % 3;
		if (how == 2 && probes[which] == amo_lr)
			continue; /* what its loop does then depends on the registers */
		if (sigsetjmp(home, 1))
			sum = sum * 7;
		else
			sum += how == 2 ? (probe(which, file + 8192, i), i)
					: probe(which, file + 8192 - 4 * (i % 2), i);
	}
	printf("bus %016lx %u\n", sum, faults);
	return 0;
}
