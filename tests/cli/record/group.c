// SPDX-License-Identifier: GPL-2.0-or-later
/* Signals its own process group: ignored SIGNAL | counted SIGNAL | default SIGNAL | session. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t count;

static void handle(int signal)
{
	(void)signal;
	count++;
}

static int become_leader(void)
{
	printf("setsid %d, errno %d\n", setsid() == getpid(), errno);
	printf("setpgid %d, errno %d\n", setpgid(0, 0), errno);
	return 5;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int number = argc > 2 ? atoi(argv[2]) : 0;

	if (!strcmp(what, "session"))
		return become_leader();
	if (!strcmp(what, "ignored"))
		signal(number, SIG_IGN);
	if (!strcmp(what, "counted"))
		signal(number, handle);
	for (int i = 0; i < 20; i++)
		kill(0, number);
	printf("%s %d: %d times\n", what, number, (int)count);
	return 3;
}
