// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loops, branches, calls and jumps whose every count is known: written by hand, so that no
 * compiler changes them.
 */
#include <signal.h>
#include <unistd.h>

/*
 * nest(n): 7 times 5 times around; nest.tail, a symbol of its own, is part of it.
 * twins(0 or 1): two blocks in a circle, entered at either: 10 steps around.
 * pick(i): the i-th of four places through a jump whose target is computed.
 * around(n): n calls of leaf() in a loop; it ends in a tail call.
 * down(n): calls itself twice for n - 1, down to 0; 1, 1, 2, 3, ... times around by itself.
 * fault_in(n): n times around, with a load that faults each time.
 */
__asm__(".text\n"
	".option norvc\n"
	".type nest, @function\n.globl nest\n"
	"nest:\n"
	"	li t0, 7\n"
	"1:	li t1, 5\n"
	"	addi t0, t0, -1\n"
	"2:	addi t1, t1, -1\n"
	"	bnez t1, 2b\n"
	"	j nest.tail\n"
	"3:	bnez t0, 1b\n"
	"	ret\n"
	".size nest, . - nest\n"
	".type nest.tail, @function\n"
	"nest.tail:\n"
	"	addi t2, t2, 1\n"
	"	j 3b\n"
	".size nest.tail, . - nest.tail\n"
	"\n"
	".type twins, @function\n.globl twins\n"
	"twins:\n"
	"	li t0, 10\n"
	"	bnez a0, 2f\n"
	"1:	addi t0, t0, -1\n"
	"	beqz t0, 3f\n"
	"2:	addi t0, t0, -1\n"
	"	bnez t0, 1b\n"
	"3:	ret\n"
	".size twins, . - twins\n"
	"\n"
	".type pick, @function\n.globl pick\n"
	"pick:\n"
	"	la t2, 1f\n"
	"	slli a0, a0, 3\n"
	"	add t2, t2, a0\n"
	"	jr t2\n"
	"1:	addi a0, a0, 1\n"
	"	ret\n"
	"	addi a0, a0, 2\n"
	"	ret\n"
	"	addi a0, a0, 3\n"
	"	ret\n"
	"	addi a0, a0, 4\n"
	"	ret\n"
	".size pick, . - pick\n"
	"\n"
	".type leaf, @function\n.globl leaf\n"
	"leaf:\n"
	"	addi a1, a1, 1\n"
	"	ret\n"
	".size leaf, . - leaf\n"
	"\n"
	".type around, @function\n.globl around\n"
	"around:\n"
	"	mv t1, ra\n"
	"1:	call leaf\n"
	"	addi a0, a0, -1\n"
	"	bnez a0, 1b\n"
	"	mv ra, t1\n"
	"	j leaf\n"
	".size around, . - around\n"
	"\n"
	".type down, @function\n.globl down\n"
	"down:\n"
	"	mv t1, a0\n"
	"1:	addi t1, t1, -1\n"
	"	bgtz t1, 1b\n"
	"	beqz a0, 3f\n"
	"	addi sp, sp, -16\n"
	"	sd ra, 0(sp)\n"
	"	sd s0, 8(sp)\n"
	"	li s0, 2\n"
	"2:	addi a0, a0, -1\n"
	"	call down\n"
	"	addi a0, a0, 1\n"
	"	addi s0, s0, -1\n"
	"	bnez s0, 2b\n"
	"	ld s0, 8(sp)\n"
	"	ld ra, 0(sp)\n"
	"	addi sp, sp, 16\n"
	"3:	ret\n"
	".size down, . - down\n"
	"\n"
	".type fault_in, @function\n.globl fault_in\n"
	"fault_in:\n"
	"1:	addi a0, a0, -1\n"
	"	addi a2, a2, 1\n"
	"	ld t0, 0(zero)\n"
	"	addi a3, a3, 1\n"
	"	bnez a0, 1b\n"
	"	ret\n"
	".size fault_in, . - fault_in\n");

extern void nest(void);
extern void twins(long from);
extern long pick(long which);
extern void around(long times);
extern void down(long depth);
extern void fault_in(long times);

/* Goes on after the load. */
static void on_fault(int number, siginfo_t *info, void *context)
{
	unsigned long *pc = &((ucontext_t *)context)->uc_mcontext.__gregs[0];

	(void)number;
	(void)info;
	*pc += 4;
}

int main(void)
{
	struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };

	sigaction(SIGSEGV, &action, NULL);
	for (int i = 0; i < 3; i++)
		nest();
	for (int i = 0; i < 4; i++)
		twins(i & 1);
	for (int i = 0; i < 12; i++)
		pick(i % 3 ? 3 : i / 3 % 2);
	around(1);
	around(9);
	down(4);
	fault_in(6);
	return 0;
}
