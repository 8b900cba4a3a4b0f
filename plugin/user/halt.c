// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A thread is stopped by a signal whose handler does not return. It is the C library's own
 * signal 32: no program under QEMU can have it, and QEMU, whose masks the C library makes,
 * blocks it only while another signal waits for the end of a block. The library's functions
 * refuse it, so the kernel is called.
 *
 * First come the threads that have shown themselves to the plugin: to have the kernel list all
 * takes longer than they wait, when they wait for QEMU. Then come all that the kernel lists: one
 * that has just been created has not shown itself. It is listed, at the latest, when its creator
 * has stopped.
 */
#include "plugin/user/halt.h"

#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "format/arena.h"

#define SIGNAL 32
#define WAIT_MS 100
#define PASSES_MAX 8
#define LIST_BYTES 4096
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

/* The same of getdents64(2). */
struct kernel_entry {
	uint64_t inode, next;
	uint16_t bytes;
	uint8_t type;
	char name[];
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

void halt_thread_ends(unsigned vcpu)
{
	if (vcpu < LANES_MAX)
		atomic_store(&tids[vcpu], 0);
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

static void stay(int signal)
{
	(void)signal;
	atomic_fetch_add(&halted, 1);
	for (;;)
		pause();
}

static bool send_to(int32_t tid)
{
	return !syscall(SYS_tgkill, getpid(), tid, SIGNAL);
}

static void send_to_known(int32_t self)
{
	for (unsigned i = 0; i < atomic_load(&vcpus); i++) {
		int32_t tid = atomic_load(&tids[i]);

		if (tid && tid != self)
			send_to(tid);
	}
}

/*
 * Sends all other threads the signal, once more to those that have it: it stays pending there.
 * Returns how many they are. No memory is allocated: a stopped thread may hold that lock.
 */
static unsigned send_to_others(int32_t self, int32_t spared)
{
	int fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_Alignas(struct kernel_entry) char list[LIST_BYTES];
	unsigned sent = 0;
	long bytes;

	while ((bytes = syscall(SYS_getdents64, fd, list, sizeof(list))) > 0)
		for (char *at = list; at < list + bytes;
		     at += ((struct kernel_entry *)(void *)at)->bytes) {
			const char *name = at + offsetof(struct kernel_entry, name);
			int32_t tid = (int32_t)strtol(name, NULL, 10);

			sent += tid && tid != self && tid != spared && send_to(tid);
		}
	if (fd >= 0)
		close(fd);
	return sent;
}

static void wait_for(unsigned threads)
{
	const struct timespec moment = { .tv_nsec = 1000000 };

	for (int i = 0; i < WAIT_MS && atomic_load(&halted) < threads; i++)
		nanosleep(&moment, NULL);
}

void halt_others(int32_t spared)
{
	const struct kernel_action action = {
		.handler = stay,
		.flags = SA_RESTORER,
	};
	int32_t self = (int32_t)gettid();
	unsigned others = 0, before;

	/* A failed exchange writes to `none`. */
	for (int32_t none = 0; !atomic_compare_exchange_strong(&halter, &none, self);
	     none = 0)
		pause();
	if (syscall(SYS_rt_sigaction, SIGNAL, &action, NULL, sizeof(action.mask)))
		return;
	send_to_known(self);
	/* Until nobody is new. */
	for (int i = 0; i < PASSES_MAX; i++) {
		before = others;
		others = send_to_others(self, spared);
		if (others <= before)
			return;
		wait_for(others);
	}
}
