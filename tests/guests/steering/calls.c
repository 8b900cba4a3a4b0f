// SPDX-License-Identifier: GPL-2.0-or-later
// Code to record in part: f() is called 1,000 times, g() from every tenth of these, and at
// one time or another there are markers, system calls, a child, threads.
//
// usage: calls [fork|threads|spin|sleep]    spin: without end; sleep: until there is input

#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define NOINLINE __attribute__((noinline, noclone))

// System calls and markers at labels, so that a test knows where they are.
long do_write(int fd, const void *data, size_t bytes);
long do_fork(void);
void do_marks(void);
asm(".text\n"
    ".globl do_write\n.type do_write, @function\n"
    "do_write: li a7, 64\n"
    ".globl write_call\n"
    "write_call: ecall\n"
    ".globl write_done\n"
    "write_done: ret\n"
    ".size do_write, . - do_write\n"
    ".globl do_fork\n.type do_fork, @function\n"
    "do_fork: li a0, 17\n"
    "li a1, 0\nli a2, 0\nli a3, 0\nli a4, 0\n"
    "li a7, 220\necall\n"
    ".globl fork_done\n"
    "fork_done: ret\n"
    ".size do_fork, . - do_fork\n"
    ".globl do_marks\n.type do_marks, @function\n"
    "do_marks: addi t0, zero, 1\n"
    ".globl mark_point\n"
    "mark_point: slti zero, zero, 5\n" // point 5
    "addi t0, t0, 1\n"
    ".globl mark_begin\n"
    "mark_begin: slti zero, zero, 1031\n" // begin of 7
    "addi t0, t0, 1\n"
    "addi t0, t0, 1\n"
    ".globl mark_end\n"
    "mark_end: slti zero, zero, -2041\n" // end of 7
    "addi t0, t0, 1\n"
    "ret\n"
    ".size do_marks, . - do_marks\n");

volatile unsigned sink;

NOINLINE unsigned g(unsigned x)
{
	for (unsigned i = 0; i < 3; i++)
		sink += x >> i;
	return sink;
}

NOINLINE unsigned f(unsigned i)
{
	unsigned x = i * 7;

	if (i % 3)
		x += sink;
	else
		sink = x;
	if (i % 10 == 0)
		x ^= g(i); // line of g
	return x + 1;
}

static int by_value(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

// What runs in the library, with a callback into the program.
static void sort(void)
{
	int values[50];

	for (int i = 0; i < 50; i++)
		values[i] = i * 37 % 50;
	qsort(values, 50, sizeof(*values), by_value);
	printf("%d %d\n", values[0], values[49]);
}

static void *work(void *name)
{
	if (*(const char *)name)
		pthread_setname_np(pthread_self(), name);
	for (unsigned i = 0; i < 300; i++)
		sink = f(i);
	return NULL;
}

static void run_threads(void)
{
	static const char *const names[] = { "one", "two", "" };
	pthread_t threads[3];

	for (unsigned i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, (void *)names[i]);
	for (unsigned i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	long child = -1;

	for (unsigned i = 0; i < 1000; i++) {
		f(i);
		if (i % 100 == 50)
			do_marks();
		if (i % 250 == 125)
			do_write(child ? 1 : -1, "call\n", 5);
		if (i == 300 && !strcmp(how, "fork"))
			child = do_fork();
	}
	if (!strcmp(how, "threads"))
		run_threads();
	while (!strcmp(how, "spin"))
		f(sink);
	if (!strcmp(how, "sleep"))
		getchar();
	if (!child)
		return 3;
	sort();
	if (child > 0)
		wait(NULL);
	return 0;
}
