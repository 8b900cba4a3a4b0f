// SPDX-License-Identifier: GPL-2.0-or-later
// A stack overflows, so the fault's handler has none either: the program ends by SIGSEGV.

#include <signal.h>
#include <unistd.h>

static volatile int x = 1;

static void handle(int sig)
{
	x += sig;
	_exit(3);
}

__attribute__((noinline, noclone))
static int overflow(int n)
{
	volatile char frame[4096];

	frame[0] = (char)n;
	return x ? overflow(n + 1) + frame[0] : 0;
}

int main(void)
{
	return signal(SIGSEGV, handle) == SIG_ERR ? 1 : overflow(0);
}
