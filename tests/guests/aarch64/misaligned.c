// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: a jump to an address that no instruction can have: QEMU enters a block there,
// without any code, that faults.

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

static sigjmp_buf home;

static void on_fault(int signal)
{
	siglongjmp(home, signal);
}

int main(void)
{
	struct sigaction act = { .sa_handler = on_fault };
	static volatile int sum, round;

	sigaction(SIGBUS, &act, NULL);
	for (round = 0; round < 20; round++) {
		int signal = sigsetjmp(home, 1);

		if (signal)
			sum += signal;
		else
			((void (*)(void))((char *)main + 2))();
	}
	printf("misaligned %d\n", sum);
	return 0;
}
