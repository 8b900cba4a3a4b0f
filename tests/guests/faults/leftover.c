// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: a load lies across the end of a page, so it is a block of its own, and an atomic
// instruction is done by a helper because the process has had a second thread. QEMU 7.2
// leaves the load's memory callback in force, and the helper calls it.

#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

extern unsigned long load_across(const unsigned long *at);

__asm__(".text\n"
	".option push\n"
	".option rvc\n"
	".option norelax\n"
	".balign 4096\n"
	".fill 2046, 2, 0x0001\n"
	"load_across:\n"
	"c.nop\n"
	".option norvc\n"
	"ld a0, 0(a0)\n" /* page offset 4094 */
	".option rvc\n"
	"c.addi a0, 1\n"
	"c.jr ra\n"
	".option pop\n"
	".type load_across, @function\n"
	".size load_across, . - load_across\n");

static unsigned long cells[8];
static _Atomic unsigned long word;

__attribute__((noinline)) void add_atomically(unsigned long x)
{
	atomic_fetch_add(&word, x);
}

static long other_tid;

static void *nothing(void *arg)
{
	other_tid = syscall(SYS_gettid);
	return arg;
}

// QEMU tells that a thread has ended before it frees the thread's vCPU, and crashes if all code is
// thrown away meanwhile, by tests with windows: so wait until the host's thread is gone.
static void wait_for_other(void)
{
	while (!syscall(SYS_tgkill, getpid(), other_tid, 0))
		sched_yield();
}

int main(void)
{
	unsigned long sum = 0;
	pthread_t other;

	if (pthread_create(&other, NULL, nothing, NULL) || pthread_join(other, NULL))
		return 1;
	wait_for_other();
	for (unsigned long i = 0; i < 2000; i++) {
		cells[i % 8] += i;
		sum = sum * 31 + load_across(&cells[i % 5]);
		add_atomically(sum);
	}
	printf("leftover %016lx %016lx\n", sum, atomic_load(&word));
	return 0;
}
