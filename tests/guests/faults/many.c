// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: 300 functions that handle SIGSEGV one after another, each for a load that cuts
// its block.

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

#include "probes.h"

static sigjmp_buf back;

#define HANDLER(n)                        \
	static void handle##n(int signal) \
	{                                 \
		siglongjmp(back, signal); \
	}
#define ALL(what, n)                                                                 \
	what(n##0) what(n##1) what(n##2) what(n##3) what(n##4) what(n##5) what(n##6) \
		what(n##7) what(n##8) what(n##9)
#define HUNDRED(what, n)                                                                \
	ALL(what, n##0)                                                                 \
	ALL(what, n##1) ALL(what, n##2) ALL(what, n##3) ALL(what, n##4) ALL(what, n##5) \
		ALL(what, n##6) ALL(what, n##7) ALL(what, n##8) ALL(what, n##9)
#define NAME(n) handle##n,

HUNDRED(HANDLER, 1)
HUNDRED(HANDLER, 2)
HUNDRED(HANDLER, 3)

static void (*const handlers[])(int) = { HUNDRED(NAME, 1) HUNDRED(NAME, 2)
						 HUNDRED(NAME, 3) };

int main(void)
{
	probe_fn load = (probe_fn)load_middle;
	volatile unsigned caught = 0;

	for (volatile unsigned i = 0; i < sizeof(handlers) / sizeof(*handlers); i++) {
		struct sigaction act = { .sa_handler = handlers[i],
					 .sa_flags = SA_NODEFER };

		sigaction(SIGSEGV, &act, NULL);
		if (!sigsetjmp(back, 0))
			load((void *)8, i);
		else
			caught++;
	}
	printf("many %u\n", caught);
	return 0;
}
