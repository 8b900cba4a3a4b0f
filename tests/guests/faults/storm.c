// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: signals from timers at any time, in loops of one block, of few, and of calls;
// over handlers of faults, and while system calls wait. How many there are differs from
// run to run. (None under the name of a fault: QEMU 7.2 does not survive that for long.)

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "probes.h"

enum { ENOUGH = 30 };

static volatile sig_atomic_t alarms, leave;
static volatile unsigned long sum = 1;
static unsigned char *page;
static sigjmp_buf home;
static int ends[2];
static unsigned long scratch[2];

static void on_timer(int sig)
{
	alarms++;
	sum = sum * 31 + (unsigned)sig;
	if (leave)
		siglongjmp(home, 1);
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info, (void)context;
	for (volatile int i = 0; i < 50; i++) /* for a timer to strike here, sometimes */
		sum ^= sum << 3;
	mprotect(page, 4096, PROT_READ | PROT_WRITE);
}

static timer_t start_timer(int sig, long ns)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = sig };
	struct itimerspec every = { { 0, ns }, { 0, ns } };
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &every, NULL))
		_exit(1);
	return timer;
}

static void one_block(void)
{
	unsigned long n = 2000;

	__asm__ volatile("1: addi %0, %0, -1\n"
			 "bnez %0, 1b"
			 : "+r"(n));
}

static void two_blocks(void)
{
	unsigned long n = 2000;

	__asm__ volatile("1: addi %0, %0, -1\n"
			 "andi t0, %0, 1\n"
			 "beqz t0, 2f\n"
			 "nop\n"
			 "2: bnez %0, 1b"
			 : "+r"(n)
			 :
			 : "t0");
}

static void calls(void)
{
	for (unsigned i = 0; i < 500; i++)
		probe(i % PROBES, scratch, i);
}

static void faults(void)
{
	for (unsigned i = 0; i < 100; i++) {
		mprotect(page, 4096, PROT_NONE);
		probe(i % PROBES, page, i);
	}
}

/* One of these is entered again after each signal, the other gives up. */
static void system_calls(void)
{
	struct timespec little = { 0, 300000 };
	char byte;

	while (nanosleep(&little, &little) && errno == EINTR)
		;
	if (read(ends[0], &byte, 1) < 0 && errno != EINTR && errno != EAGAIN)
		_exit(1);
}

static void out_of_handlers(void)
{
	if (!sigsetjmp(home, 1)) {
		leave = 1;
		one_block();
	}
	leave = 0;
}

enum { WAIT = 1 << 20 }; /* for the handler of faults to end */

static void run(int sig, int flags, void (*work)(void))
{
	struct sigaction act = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	timer_t timer;

	if (flags & WAIT)
		sigaddset(&act.sa_mask, sig);
	sigaction(SIGSEGV, &act, NULL);
	act.sa_handler = on_timer;
	act.sa_flags = flags & ~WAIT;
	sigaction(sig, &act, NULL);
	alarms = 0;
	timer = start_timer(sig, 100000);
	while (alarms < ENOUGH)
		work();
	timer_delete(timer);
}

int main(void)
{
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || pipe2(ends, O_NONBLOCK))
		return 1;
	run(SIGALRM, 0, one_block);
	run(SIGALRM, SA_NODEFER, two_blocks);
	run(SIGALRM, SA_RESTART, calls);
	run(SIGPROF, 0, system_calls);
	run(SIGALRM, SA_NODEFER, faults);
	run(SIGUSR1, WAIT, faults);
	run(SIGALRM, SA_RESTART, system_calls);
	run(SIGALRM, 0, out_of_handlers);
	puts("storm");
	return 0;
}
