// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the golden files are recordings of: two threads without a libc, so that there are
 * few blocks: recursion, a loop, calls through pointers, compressed code and not.
 */
enum { SYS_EXIT = 93, SYS_EXIT_GROUP = 94, SYS_FUTEX = 98, SYS_CLONE = 220 };
enum { FLAGS = 0x250f00 }; /* VM, FS, FILES, SIGHAND, THREAD, SYSVSEM, CHILD_CLEARTID */

static long stack[1024] __attribute__((aligned(16)));
/* The kernel clears it when the other thread has ended. */
static volatile int running = 1;
static volatile unsigned sum;

static long call(long number, long a, long b, long c, long d, long e)
{
	register long a7 asm("a7") = number;
	register long a0 asm("a0") = a;
	register long a1 asm("a1") = b;
	register long a2 asm("a2") = c;
	register long a3 asm("a3") = d;
	register long a4 asm("a4") = e;

	asm volatile("ecall"
		     : "+r"(a0)
		     : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4)
		     : "memory");
	return a0;
}

static __attribute__((noinline)) unsigned fibonacci(unsigned n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static __attribute__((noinline)) unsigned twice(unsigned x)
{
	return 2 * x + 1;
}

static __attribute__((noinline)) unsigned count_bits(unsigned x)
{
	unsigned n = 0;

	for (; x; x &= x - 1)
		n++;
	return n;
}

static unsigned (*volatile const ways[])(unsigned) = { fibonacci, twice, count_bits,
						       twice };

static __attribute__((noinline)) void other_thread(void)
{
	for (unsigned i = 0; i < 300; i++)
		sum += i % 7 ? i : 1;
	call(SYS_EXIT, 0, 0, 0, 0, 0);
}

__attribute__((used)) static void run(void)
{
	unsigned x = 1;

	for (unsigned i = 0; i < 60; i++) {
		x = x * 1664525 + 1013904223;
		sum += ways[x >> 30](x >> 20 & 7);
	}
	/* A thread that exit_group() ends may be in a block that only QEMU's log has yet. */
	while (running)
		call(SYS_FUTEX, (long)&running, 0 /* wait */, 1, 0, 0);
	call(SYS_EXIT_GROUP, sum & 63, 0, 0, 0, 0);
}

void _start(void)
{
	if (call(SYS_CLONE, FLAGS, (long)(stack + 1024), 0, 0, (long)&running) == 0)
		other_thread();
	run();
}
