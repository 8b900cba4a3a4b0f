// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What v2.wmk is a recording of, without a libc: a fault in the middle of a block that a
 * handler steps over, a forked child that is killed in the middle of another, a program
 * that executes itself, and system calls with strings.
 */
enum { SYS_OPENAT = 56, SYS_EXIT_GROUP = 94, SYS_KILL = 129, SYS_SIGACTION = 134 };
enum { SYS_SIGRETURN = 139, SYS_GETPID = 172, SYS_CLONE = 220, SYS_EXECVE = 221 };
enum { SYS_WAIT4 = 260, SIGCHLD = 17, SIGSEGV = 11 };
enum { SA_SIGINFO = 4, PC = 176 }; /* of the registers, in a ucontext */

static long call(long number, long a, long b, long c, long d)
{
	register long a7 asm("a7") = number;
	register long a0 asm("a0") = a;
	register long a1 asm("a1") = b;
	register long a2 asm("a2") = c;
	register long a3 asm("a3") = d;

	asm volatile("ecall" : "+r"(a0) : "r"(a7), "r"(a1), "r"(a2), "r"(a3) : "memory");
	return a0;
}

static void handler(int number, void *info, char *context)
{
	(void)number;
	(void)info;
	*(long *)(context + PC) += 4; /* the length of the load below */
}

/* Three instructions, a load that faults, three more. */
static __attribute__((noinline)) long load(long address)
{
	long value = 0;

	asm volatile(".option push; .option norvc\n"
		     "addi %0, %0, 1; addi %0, %0, 2; addi %0, %0, 3\n"
		     "ld t0, 0(%1)\n"
		     "addi %0, %0, 4; addi %0, %0, 5; addi %0, %0, 6\n"
		     ".option pop"
		     : "+r"(value)
		     : "r"(address)
		     : "t0", "memory");
	return value;
}

static void catch_faults(void (*with)(int, void *, char *))
{
	struct {
		void (*handler)(int, void *, char *);
		unsigned long flags, mask;
	} action = { with, SA_SIGINFO, 0 };

	call(SYS_SIGACTION, SIGSEGV, (long)&action, 0, 8);
}

__attribute__((used)) static void run(long *stack)
{
	char **arguments = (char **)(stack + 1);
	char *again[] = { arguments[0], "again", 0 };
	long sum, child;

	catch_faults(handler);
	sum = load(8) + load((long)stack);
	call(SYS_OPENAT, -100, (long)"/no/such/file", 0, 0);
	child = call(SYS_CLONE, SIGCHLD, 0, 0, 0);
	if (child == 0) {
		catch_faults(0); /* nobody takes the next one */
		load(16);
	}
	call(SYS_WAIT4, child, 0, 0, 0);
	if (stack[0] == 1)
		call(SYS_EXECVE, (long)again[0], (long)again, 0, 0);
	call(SYS_EXIT_GROUP, sum, 0, 0, 0);
}

__attribute__((naked)) void _start(void)
{
	asm("mv a0, sp; tail run");
}
