// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: programs that execute each other, under one pid.
//
// usage: chain N SELF OTHER [PID]    says so, then executes OTHER with N - 1; at 0 it
//                                    ends with status 9

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char count[12], pid[12];
	int n = argc > 3 ? atoi(argv[1]) : -1;
	volatile unsigned x = (unsigned)n;

	if (n < 0)
		return 2;
	for (unsigned i = 0; i < 500u * (unsigned)n; i++)
		x = x * 31 + i;
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	snprintf(count, sizeof(count), "%d", n - 1);
	printf("chain %d %s %08x\n", n, argc > 4 && atoi(argv[4]) != getpid() ? "moved" : "here",
	       x);
	fflush(stdout);
	if (!n)
		return 9;
	execl(argv[3], argv[3], count, argv[3], argv[2], pid, (char *)NULL);
	perror(argv[3]);
	return 1;
}
