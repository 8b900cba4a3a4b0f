// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two threads that turn round and round as long as there is a file "spin" where they run;
 * otherwise they wait for their input to end.
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

static volatile int over;
static volatile unsigned long sums[2];

__attribute__((noinline)) static void spin_here(volatile unsigned long *sum)
{
	for (unsigned i = 0; i < 10000; i++)
		*sum = *sum * 5 + i;
}

static void *help(void *cookie)
{
	(void)cookie;
	prctl(PR_SET_NAME, "helper");
	while (!over)
		if (access("spin", F_OK) == 0)
			spin_here(&sums[0]);
		else
			usleep(10000);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, help, NULL);
	puts("ready");
	fflush(stdout);
	while (access("spin", F_OK) != 0)
		usleep(10000);
	while (access("spin", F_OK) == 0)
		spin_here(&sums[1]);
	while (getchar() != EOF)
		;
	over = 1;
	pthread_join(thread, NULL);
	return 7;
}
