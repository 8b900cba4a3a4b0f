// SPDX-License-Identifier: GPL-2.0-or-later
// An interpreter that jumps to code made at run time, which jumps back into its middle; and
// a function that runs on into the next, in one block.

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

/* a0: rounds; a1: the code, which adds to a0 and jumps to a2. */
__asm__(".text\n"
	".type interpret, @function\n"
	"interpret:\n"
	"	lla	a2, 1f\n"
	"0:	jr	a1\n"
	"1:	nop\n"
	"	bnez	a0, 0b\n"
	"	ret\n"
	".size interpret, . - interpret\n"
	".type first, @function\n"
	"first:\n"
	"	addi	a0, a0, 1\n"
	".size first, . - first\n"
	".type second, @function\n"
	"second:\n"
	"	addi	a0, a0, 2\n"
	"	ret\n"
	".size second, . - second\n");

void interpret(long rounds, void *code);
long first(long n);

int main(void)
{
	static const uint32_t words[] = { 0xfff50513, 0x00060067 }; /* addi; jr a2 */
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long n = 0;

	memcpy(code, words, sizeof(words));
	__builtin___clear_cache(code, (char *)code + sizeof(words));
	interpret(1000, code);
	for (int i = 0; i < 1000; i++)
		n = first(n);
	return n != 3000;
}
