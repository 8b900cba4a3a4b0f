// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: a stack that overflows, in the prologue of a function; the handler runs on
// another stack, and shares that with the handlers that interrupt it.

#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

static sigjmp_buf home;
static volatile unsigned overflows, sum = 1;
static char stack[1 << 16];

__attribute__((noinline, noclone))
static unsigned recurse(unsigned n)
{
	volatile char frame[1 << 16];

	frame[n % sizeof(frame)] = (char)n;
	if (n == 1000000)
		return n;
	return recurse(n + 1) + (unsigned)frame[n % sizeof(frame)];
}

static int is_here(const void *at)
{
	return (const char *)at >= stack && (const char *)at < stack + sizeof(stack);
}

static void on_overflow(int sig)
{
	sum = sum * 31 + (unsigned)is_here(&sig);
	overflows++;
	siglongjmp(home, 1);
}

static void on_user(int sig)
{
	sum = sum * 17 + (unsigned)(is_here(&sig) + sig);
	raise(SIGUSR2);
}

static void on_user2(int sig)
{
	sum = sum * 13 + (unsigned)(is_here(&sig) + sig);
}

int main(void)
{
	stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction act = { .sa_handler = on_overflow, .sa_flags = SA_ONSTACK };

	sigaltstack(&other, NULL);
	sigaction(SIGSEGV, &act, NULL);
	act.sa_handler = on_user2;
	sigaction(SIGUSR2, &act, NULL);
	act.sa_handler = on_user;
	sigaction(SIGUSR1, &act, NULL);
	for (volatile unsigned i = 0; i < 20; i++) {
		if (sigsetjmp(home, 1))
			continue;
		if (i % 3)
			recurse(i);
		else
			raise(SIGUSR1);
	}
	printf("altstack %08x %u\n", sum, overflows);
	return 0;
}
