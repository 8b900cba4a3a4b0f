// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two threads: the first one sleeps until it is given a byte on descriptor 0, and then sleeps
 * again, without any other system call; the second one works for each byte that it is given on
 * descriptor 3, says so, and ends the program with its input.
 */
#include <pthread.h>
#include <unistd.h>

static volatile unsigned long sum;

__attribute__((noinline)) static void noticed(void)
{
	sum++;
}

__attribute__((noinline)) static void worked(void)
{
	sum++;
}

static void *work(void *unused)
{
	char byte;

	(void)unused;
	while (read(3, &byte, 1) == 1) {
		worked();
		write(1, "w\n", 2);
	}
	_exit(0);
}

int main(void)
{
	pthread_t thread;
	char byte;

	pthread_create(&thread, NULL, work, NULL);
	while (read(0, &byte, 1) == 1)
		noticed();
	pause();
}
