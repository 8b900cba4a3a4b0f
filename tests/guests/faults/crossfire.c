// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: a thread that faults all the time gets signals from another one all the time:
// many come while a fault is on its way to its handler, and their handler runs first.

#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>

#include "probes.h"

enum { SHOTS = 150 };

static unsigned char *page;
static _Atomic unsigned hits;
static volatile unsigned leave;
static sigjmp_buf home;

static void on_fault(int sig)
{
	(void)sig;
	if (leave)
		siglongjmp(home, 1);
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static void on_hit(int sig)
{
	(void)sig;
	atomic_fetch_add(&hits, 1);
}

/* One at a time, or they would be merged. */
static void *shoot(void *target)
{
	for (unsigned i = 0; i < SHOTS; i++) {
		pthread_kill(*(pthread_t *)target, SIGUSR1);
		while (atomic_load(&hits) <= i)
			sched_yield();
	}
	return NULL;
}

int main(void)
{
	pthread_t self = pthread_self(), shooter;
	static volatile unsigned i;

	page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return 1;
	signal(SIGSEGV, on_fault);
	signal(SIGUSR1, on_hit);
	if (pthread_create(&shooter, NULL, shoot, &self))
		return 1;
	for (i = 0; atomic_load(&hits) < SHOTS; i++) {
		mprotect(page, 4096, PROT_NONE);
		leave = i / PROBES % 2;
		if (!sigsetjmp(home, 1))
			probe(i % PROBES, page, i);
	}
	pthread_join(shooter, NULL);
	printf("crossfire %u\n", atomic_load(&hits));
	return 0;
}
