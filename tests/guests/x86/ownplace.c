// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: calls that nothing returns from. To learn where it is, old code for any address
// calls the next instruction, which takes the address off the stack. 1,000 times, in a
// function that is called and returns.

#include <stdint.h>
#include <stdio.h>

uintptr_t own_place(void);

#ifdef __x86_64__
__asm__(".text\nown_place:\n\tcall 1f\n1:\tpop %rax\n\tret\n");
#else
__asm__(".text\nown_place:\n\tcall 1f\n1:\tpop %eax\n\tret\n");
#endif

int main(void)
{
	unsigned same = 0;

	for (int i = 0; i < 1000; i++)
		same += own_place() == own_place();
	printf("%u\n", same);
	return 0;
}
