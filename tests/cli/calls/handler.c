// SPDX-License-Identifier: GPL-2.0-or-later
// A handler whose last call is a tail call of what main() calls, too.

#include <signal.h>

#define FAR __attribute__((noinline, noclone))

static volatile int sink;

FAR static void handle_last(int number)
{
	sink += number;
}

FAR static void handle(int number)
{
	sink++;
	handle_last(number);
}

int main(void)
{
	signal(SIGUSR1, handle);
	for (int i = 0; i < 20; i++) {
		raise(SIGUSR1);
		handle_last(i);
	}
	return 0;
}
