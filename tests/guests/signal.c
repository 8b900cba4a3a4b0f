// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: signals the program sends itself: handlers that nest, run on another stack,
// and leave by siglongjmp; each enters and leaves through code no call leads to.

#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static sigjmp_buf home;
static volatile unsigned sum = 1, depth;
static char stack[65536];

static void on_first(int sig)
{
	sum = sum * 31 + (unsigned)sig;
	if (++depth < 4)
		raise(SIGUSR2);
	depth--;
	sum ^= depth;
}

static void on_second(int sig)
{
	sum = sum * 17 + (unsigned)sig;
	if (++depth < 4)
		raise(SIGUSR1);
	depth--;
}

static void on_third(int sig)
{
	(void)sig;
	siglongjmp(home, (int)(sum & 63) + 1);
}

int main(void)
{
	stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction act = { .sa_handler = on_first, .sa_flags = SA_NODEFER };

	sigaltstack(&other, NULL);
	sigaction(SIGUSR1, &act, NULL);
	act.sa_handler = on_second;
	act.sa_flags = SA_NODEFER | SA_ONSTACK;
	sigaction(SIGUSR2, &act, NULL);
	act.sa_handler = on_third;
	sigaction(SIGTERM, &act, NULL);
	for (volatile int i = 0; i < 200; i++) {
		int back = sigsetjmp(home, 1);

		if (back)
			sum += (unsigned)back;
		else
			raise(i % 5 == 0 ? SIGTERM : i & 1 ? SIGUSR1 : SIGUSR2);
	}
	printf("signal %08x\n", sum);
	return 0;
}
