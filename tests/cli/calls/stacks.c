/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Three coroutines, each with functions of its own, that all wait in one function, at other depths
 * of their recursions. main() resumes them in an order that is not theirs. With -DOWN the stacks
 * are changed by a function of the program itself, else by the C library's. -DTURNS=N is how often
 * main() resumes one, a multiple of 6; before each of them it loops SPIN times.
 */
#include <stdint.h>
#include <stdio.h>
#include <ucontext.h>

enum { COROUTINES = 3, BYTES = 65536 };

static long sums[COROUTINES];
static int current;
static _Alignas(16) char stacks[COROUTINES][BYTES];

#define FAR __attribute__((noinline, noipa))

#ifdef OWN
#define SAVED 14
void change(void **from, void *to);
/* Registers that calls keep are put on the stack, and its pointer is exchanged. */
__asm__(".text\n.globl change\n.type change, @function\nchange:\n"
	"addi sp, sp, -112\nsd ra, 0(sp)\nsd s0, 8(sp)\nsd s1, 16(sp)\nsd s2, 24(sp)\n"
	"sd s3, 32(sp)\nsd s4, 40(sp)\nsd s5, 48(sp)\nsd s6, 56(sp)\nsd s7, 64(sp)\n"
	"sd s8, 72(sp)\nsd s9, 80(sp)\nsd s10, 88(sp)\nsd s11, 96(sp)\nsd sp, 0(a0)\n"
	"mv sp, a1\nld ra, 0(sp)\nld s0, 8(sp)\nld s1, 16(sp)\nld s2, 24(sp)\n"
	"ld s3, 32(sp)\nld s4, 40(sp)\nld s5, 48(sp)\nld s6, 56(sp)\nld s7, 64(sp)\n"
	"ld s8, 72(sp)\nld s9, 80(sp)\nld s10, 88(sp)\nld s11, 96(sp)\naddi sp, sp, 112\n"
	"ret\n.size change, . - change\n");
static void *waiting[COROUTINES], *back;
FAR static void wait_here(void)
{
	change(&waiting[current], back);
}
static void resume(void)
{
	change(&back, waiting[current]);
}
static void prepare(int i, void (*run)(void))
{
	uintptr_t *top = (uintptr_t *)&stacks[i][BYTES] - SAVED;

	top[0] = (uintptr_t)run;
	waiting[i] = top;
}
#else
static ucontext_t waiting[COROUTINES], back;
FAR static void wait_here(void)
{
	swapcontext(&waiting[current], &back);
}
static void resume(void)
{
	swapcontext(&back, &waiting[current]);
}
static void prepare(int i, void (*run)(void))
{
	getcontext(&waiting[i]);
	waiting[i].uc_stack.ss_sp = stacks[i];
	waiting[i].uc_stack.ss_size = BYTES;
	waiting[i].uc_link = &back;
	makecontext(&waiting[i], run, 0);
}
#endif

/* Each waits DEPTH + 1 times in a round, at every depth. */
#define COROUTINE(NAME, NUMBER, DEPTH)                          \
	FAR static long leaf_##NAME(long n)                     \
	{                                                       \
		return n + sums[NUMBER];                        \
	}                                                       \
	FAR static long work_##NAME(int depth)                  \
	{                                                       \
		long n = leaf_##NAME(depth);                    \
                                                                \
		if (depth)                                      \
			n += work_##NAME(depth - 1);            \
		wait_here();                                    \
		return n;                                       \
	}                                                       \
	FAR static void run_##NAME(void)                        \
	{                                                       \
		for (;;)                                        \
			sums[NUMBER] += work_##NAME(DEPTH) & 1; \
	}
COROUTINE(red, 0, 3)
COROUTINE(green, 1, 4)
COROUTINE(blue, 2, 6)

int main(void)
{
	prepare(0, run_red);
	prepare(1, run_green);
	prepare(2, run_blue);
	for (int i = 0; i < TURNS; i++) {
		/* Each comes 80 times, with one and with two others in between. */
		current = (i / COROUTINES % 2 ? 2 * i : i) % COROUTINES;
		for (long n = 0; n < SPIN; n++)
			__asm__ volatile("");
		resume();
	}
	printf("%ld %ld %ld\n", sums[0], sums[1], sums[2]);
	return 0;
}
