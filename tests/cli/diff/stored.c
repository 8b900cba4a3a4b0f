// SPDX-License-Identifier: GPL-2.0-or-later
/* Stores and loads the first letter of its argument; its path is the same for any letter. */
enum { CALL_EXIT = 93 };

static volatile char letter;

__attribute__((noinline)) void keep(char c)
{
	letter = c;
}

__attribute__((noinline)) char fetch(void)
{
	return letter;
}

__attribute__((noinline)) long spread(long x)
{
	volatile long on_stack[4];

	for (int i = 0; i < 4; i++)
		on_stack[i] = x + i;
	return on_stack[3];
}

__attribute__((used)) void start(long *sp)
{
	char **argv = (char **)(sp + 1);

	keep(argv[1][0]);
	spread(fetch() > 0);
	asm volatile("li a0, 0; li a7, %0; ecall" : : "i"(CALL_EXIT) : "a0", "a7");
	__builtin_unreachable();
}

asm(".globl _start\n_start: mv a0, sp\n\ttail start");
