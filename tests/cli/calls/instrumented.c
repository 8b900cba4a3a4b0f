// SPDX-License-Identifier: GPL-2.0-or-later
// Calls of every kind that C has, all at once and on several threads: recursion, pointers,
// callbacks from the library, longjmp over frames and out of handlers, nested signals.

#define _GNU_SOURCE
#include "witness.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>

#define FAR __attribute__((noinline, noclone))

static volatile int sink;

FAR static int leaf(int x)
{
	return x * 3 + sink;
}

FAR static int twice(int x)
{
	return leaf(x) + leaf(x + 1);
}

FAR static int dive(int depth)
{
	if (depth == 0)
		return twice(1);
	return dive(depth - 1) + (depth & 1 ? leaf(depth) : 0);
}

FAR static int even(int n);

FAR static int odd(int n)
{
	return n == 0 ? 0 : even(n - 1) + 1;
}

FAR static int even(int n)
{
	return n == 0 ? leaf(0) : odd(n - 1) + 2;
}

FAR static int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

/* ---- pointers and callbacks ---------------------------------------------- */

static int (*volatile table[])(int) = { leaf, twice, dive, even, fibonacci };

FAR static int by_pointer(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += table[i % 5](i % 7);
	return sum;
}

FAR static int compare(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b + leaf(0) - leaf(0);
}

FAR static int sort(void)
{
	int numbers[20];

	for (int i = 0; i < 20; i++)
		numbers[i] = i * 7 % 20;
	qsort(numbers, 20, sizeof(*numbers), compare);
	return numbers[3];
}

/* ---- longjmp ------------------------------------------------------------- */

struct home {
	jmp_buf jump;
	unsigned depth;
};

FAR static void climb(struct home *home, int left)
{
	leaf(left);
	if (left == 0)
		longjmp(home->jump, 1);
	climb(home, left - 1);
	sink++;
}

FAR static int far(int levels)
{
	struct home home = { .depth = witness_depth };

	if (setjmp(home.jump)) {
		witness_depth = home.depth;
		return twice(levels);
	}
	climb(&home, levels);
	return 0;
}

FAR static int nested_far(int levels)
{
	struct home home = { .depth = witness_depth };
	volatile int rounds = 0;

	if (setjmp(home.jump))
		witness_depth = home.depth;
	if (rounds++ < levels) {
		far(2);
		climb(&home, rounds);
	}
	return leaf(levels);
}

/* ---- signals ------------------------------------------------------------- */

static __thread sigjmp_buf out;
static __thread unsigned out_depth;

FAR static void inner_handler(int number)
{
	leaf(number);
}

FAR static void outer_handler(int number)
{
	twice(number);
	raise(SIGUSR2);
	leaf(number);
}

FAR static void leaving_handler(int number)
{
	leaf(number);
	siglongjmp(out, 1);
}

FAR static void fault_handler(int number)
{
	twice(number);
	siglongjmp(out, 2);
}

FAR static int fault(volatile int *nothing)
{
	leaf(1);
	return *nothing;
}

FAR static int signals(int rounds)
{
	out_depth = witness_depth;
	for (volatile int i = 0; i < rounds; i++) {
		raise(SIGUSR1);
		if (sigsetjmp(out, 1))
			witness_depth = out_depth;
		else
			raise(SIGTERM);
		if (sigsetjmp(out, 1))
			witness_depth = out_depth;
		else
			fault(NULL);
	}
	return leaf(rounds);
}

static void set_handler(int number, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler };

	sigaction(number, &action, NULL);
}

/* ---- all of it ----------------------------------------------------------- */

FAR static void *worker(void *cookie)
{
	int number = *(int *)cookie;

	sink += dive(number * 3);
	sink += by_pointer(number * 10);
	sink += far(number);
	sink += signals(number);
	return NULL;
}

FAR static void at_exit(void)
{
	twice(0);
}

FAR __attribute__((constructor)) static void before_main(void)
{
	leaf(5);
}

int main(void)
{
	int numbers[3] = { 1, 2, 3 };
	pthread_t threads[3];

	atexit(at_exit);
	set_handler(SIGUSR1, outer_handler);
	set_handler(SIGUSR2, inner_handler);
	set_handler(SIGTERM, leaving_handler);
	set_handler(SIGSEGV, fault_handler);
	sink += dive(40) + even(9) + fibonacci(10) + by_pointer(25) + sort();
	sink += far(5) + nested_far(4) + signals(3);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, worker, &numbers[i]);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
