// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A thread is stopped by a signal whose handler does not return. It is the C library's own
 * signal 32: no program under QEMU can have it, and QEMU, whose masks the C library makes,
 * blocks it only while another signal waits for the end of a block. The library's functions
 * refuse it, so the kernel is called.
 */
#include "plugin/user/halt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "format/arena.h"

#define SIGNAL 32
#define WAIT_MS 100
#define SA_RESTORER 0x04000000 /* without it x86 delivers no signal; others do not mind */

/* As the kernel has it. */
struct kernel_action {
	void (*handler)(int);
	unsigned long flags;
#if !defined(__riscv) && !defined(__loongarch__)
	void (*restorer)(void); /* to return from the handler by */
#endif
	uint64_t mask;
};

static _Atomic int32_t tids[LANES_MAX]; /* of the thread on each vCPU; 0: none is known */
static _Atomic unsigned vcpus;		/* one more than the highest of these */
static _Atomic int32_t halter;	/* the thread that stops all others; 0: none yet */
static _Atomic unsigned halted; /* threads that have stopped */

void halt_thread(unsigned vcpu)
{
	unsigned seen = atomic_load(&vcpus);

	if (vcpu >= LANES_MAX)
		return;
	atomic_store(&tids[vcpu], (int32_t)gettid());
	while (seen <= vcpu && !atomic_compare_exchange_weak(&vcpus, &seen, vcpu + 1))
		;
}

void halt_child(unsigned vcpu)
{
	for (unsigned i = 0; i < atomic_load(&vcpus); i++)
		atomic_store(&tids[i], 0);
	/* Its parent may have been about to end. */
	atomic_store(&halter, 0);
	atomic_store(&halted, 0);
	halt_thread(vcpu);
}

void halt_thread_ends(unsigned vcpu)
{
	if (vcpu < LANES_MAX)
		atomic_store(&tids[vcpu], 0);
}

static void stay(int signal)
{
	(void)signal;
	atomic_fetch_add(&halted, 1);
	for (;;)
		pause();
}

void halt_others(void)
{
	const struct kernel_action action = {
		.handler = stay,
		.flags = SA_RESTORER,
	};
	const struct timespec moment = { .tv_nsec = 1000000 };
	int32_t self = (int32_t)gettid();
	unsigned sent = 0;

	/* A failed exchange writes to `none`. */
	for (int32_t none = 0; !atomic_compare_exchange_strong(&halter, &none, self);
	     none = 0)
		pause();
	if (syscall(SYS_rt_sigaction, SIGNAL, &action, NULL, sizeof(action.mask)))
		return;
	for (unsigned i = 0; i < atomic_load(&vcpus); i++) {
		int32_t tid = atomic_load(&tids[i]);

		sent += tid && tid != self && !syscall(SYS_tgkill, getpid(), tid, SIGNAL);
	}
	for (int i = 0; i < WAIT_MS && atomic_load(&halted) < sent; i++)
		nanosleep(&moment, NULL);
}
