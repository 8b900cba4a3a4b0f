// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: threads that fault at the same time, each in pages of its own, with handlers
// that repair or jump away; and signals that threads send each other.

#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

#include "probes.h"

enum { THREADS = 4, ROUNDS = 60 };

struct worker {
	unsigned char *page;
	unsigned long sum;
	int leave;
	sigjmp_buf home;
};

static _Thread_local struct worker *self;

static void on_fault(int sig)
{
	(void)sig;
	if (self->leave)
		siglongjmp(self->home, 1);
	mprotect(self->page, 4096, PROT_READ | PROT_WRITE);
}

static void on_user(int sig)
{
	(void)sig;
}

static void *work(void *arg)
{
	struct worker *w = self = arg;

	w->page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (volatile unsigned i = 0; i < ROUNDS * PROBES; i++) {
		mprotect(w->page, 4096, PROT_NONE);
		w->leave = i / PROBES & 1;
		if (sigsetjmp(w->home, 1))
			w->sum = w->sum * 7;
		else
			w->sum = w->sum * 31 + probe(i % PROBES, w->page + 64, i);
	}
	return NULL;
}

int main(void)
{
	static struct worker workers[THREADS];
	pthread_t threads[THREADS];

	signal(SIGSEGV, on_fault);
	signal(SIGUSR1, on_user);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, &workers[i]);
	for (unsigned i = 0; i < 100; i++)
		pthread_kill(threads[i % THREADS], SIGUSR1);
	for (unsigned i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		printf("threads %016lx\n", workers[i].sum);
	}
	return 0;
}
