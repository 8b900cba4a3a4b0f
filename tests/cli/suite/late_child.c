/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Preloaded: a forked process that asks for a signal at its parent's end does so when the parent
 * has ended. It is the child, or the child's child, as HELD is 1 or 2. The file "held" then has its
 * process id and that of its parent.
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int held, depth;

__attribute__((constructor)) static void begin(void)
{
	held = getenv("HELD") ? atoi(getenv("HELD")) : 0;
}

static void hold(pid_t parent)
{
	struct timespec rest = { .tv_nsec = 10000000 };
	FILE *file = fopen("held.new", "w");

	fprintf(file, "%d %d\n", getpid(), parent);
	fclose(file);
	rename("held.new", "held");
	while (getppid() == parent)
		nanosleep(&rest, NULL);
}

int prctl(int option, ...)
{
	unsigned long words[4];
	va_list list;

	va_start(list, option);
	for (int i = 0; i < 4; i++)
		words[i] = va_arg(list, unsigned long);
	va_end(list);
	if (option == PR_SET_PDEATHSIG && ++depth == held)
		hold(getppid());
	return (int)syscall(SYS_prctl, option, words[0], words[1], words[2], words[3]);
}
