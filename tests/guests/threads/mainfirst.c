// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: the first thread ends before the others; the last of them ends the process.

#include <pthread.h>
#include <stdio.h>

static void *work(void *arg)
{
	pthread_t *first = arg;
	volatile unsigned x = 1;

	pthread_join(*first, NULL);
	for (unsigned i = 0; i < 20000; i++)
		x = x * 31 + i;
	printf("mainfirst %08x\n", x);
	return NULL;
}

int main(void)
{
	static pthread_t self;
	pthread_t thread;

	self = pthread_self();
	pthread_create(&thread, NULL, work, &self);
	pthread_exit(NULL);
}
