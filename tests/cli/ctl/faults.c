// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * As steps.c, but what it does has faults in the middle of blocks, and signals between
 * them: what a flush in the middle must not lose.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static sigjmp_buf back;
static volatile unsigned long sum;

static void on_fault(int signal)
{
	(void)signal;
	siglongjmp(back, 1);
}

static void on_user(int signal)
{
	sum += (unsigned)signal;
}

__attribute__((noinline)) static void fault(volatile int *nowhere)
{
	sum += 3;
	if (!sigsetjmp(back, 1)) {
		sum ^= 5;
		sum += (unsigned)*nowhere;
		sum -= 7;
	}
}

int main(void)
{
	int c;

	signal(SIGSEGV, on_fault);
	signal(SIGUSR1, on_user);
	puts("ready");
	fflush(stdout);
	while ((c = getchar()) != EOF) {
		for (int i = 0; i < c * 10; i++) {
			fault(NULL);
			if (i % 16 == 0)
				raise(SIGUSR1);
		}
		printf("done %lu\n", sum);
		fflush(stdout);
	}
	return 7;
}
