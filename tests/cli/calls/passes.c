// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls and returns that go on behind themselves: ARM's, whose condition is false, and x86's
 * call of the next instruction, by which code learns where it is; and x86's with a prefix.
 * outer(n) calls leaf() when n is odd, and outer(n - 1) unless n is 0.
 */
int outer(int n);

#if defined(__arm__)
__asm__(".arm\n"
	".globl outer, leaf\n"
	".type outer, %function\n"
	".type leaf, %function\n"
	"leaf: tst r4, #2\n"
	"	bxne lr\n"
	"	nop\n"
	"	bx lr\n"
	".size leaf, . - leaf\n"
	"outer: push {r4, lr}\n"
	"	mov r4, r0\n"
	"	tst r4, #1\n"
	"	blne leaf\n"
	"	cmp r4, #0\n"
	"	popeq {r4, pc}\n"
	"	sub r0, r4, #1\n"
	"	bl outer\n"
	"	pop {r4, pc}\n"
	".size outer, . - outer\n");
#else
/* 0xf2 is the prefix "bnd", which the assembler does not know from binutils 2.44 on. */
__asm__(".globl outer, leaf\n"
	".type outer, @function\n"
	".type leaf, @function\n"
	"leaf: .byte 0xf2; ret\n"
	".size leaf, . - leaf\n"
	"outer: push %rbx\n"
	"	mov %edi, %ebx\n"
	"	call 1f\n"
	"1:	pop %rcx\n"
	"	test $1, %ebx\n"
	"	jz 2f\n"
	"	.byte 0xf2; call leaf\n"
	"2:	test %ebx, %ebx\n"
	"	jz 3f\n"
	"	lea -1(%rbx), %edi\n"
	"	call outer\n"
	"3:	pop %rbx\n"
	"	ret\n"
	".size outer, . - outer\n");
#endif

int main(void)
{
	for (int i = 0; i < 10; i++)
		outer(5);
	return 0;
}
