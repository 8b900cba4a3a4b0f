// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: an interpreter with computed goto: every operation ends in its own indirect
// jump, and what follows is decided by the interpreted program, here a prime sieve.

#include <stdio.h>

enum { SET, ADD, CMP, JLT, LOAD, STORE, JNZ, OUT, END };

int main(void)
{
	static const void *const go[] = { &&set, &&add, &&cmp, &&jlt, &&load,
					  &&store, &&jnz, &&out, &&end };
	static const int program[][3] = {
		{ SET, 0, 2 },	   /* 0: i = 2 */
		{ LOAD, 2, 0 },	   /* 1: t = mem[i] */
		{ JNZ, 2, 8 },	   /* 2: if t goto 8 */
		{ OUT, 0, 0 },	   /* 3: i is prime */
		{ SET, 1, 0 },	   /* 4: j = 0 */
		{ ADD, 1, 0 },	   /* 5: j += i */
		{ STORE, 1, 1 },   /* 6: mem[j] = 1 */
		{ JLT, 1, 5 },	   /* 7: if j < limit goto 5 */
		{ SET, 3, 1 },	   /* 8: one = 1 */
		{ ADD, 0, 3 },	   /* 9: i += one */
		{ CMP, 0, 2000 },  /* 10: limit reached? */
		{ JLT, 0, 1 },	   /* 11: if i < limit goto 1 */
		{ END, 0, 0 },
	};
	static unsigned char mem[8000];
	unsigned reg[4] = { 0 }, sum = 0, primes = 0;
	const int(*pc)[3] = program;

#define NEXT goto *go[(++pc)[0][0]]
#define JUMP goto *go[(pc = program + (*pc)[2])[0][0]]
	goto *go[(*pc)[0]];
set:
	reg[(*pc)[1]] = (unsigned)(*pc)[2];
	NEXT;
add:
	reg[(*pc)[1]] += reg[(*pc)[2]];
	NEXT;
cmp:
	sum += reg[(*pc)[1]] >= (unsigned)(*pc)[2];
	NEXT;
jlt:
	if (reg[(*pc)[1]] < 2000)
		JUMP;
	NEXT;
load:
	reg[(*pc)[1]] = mem[reg[(*pc)[2]]];
	NEXT;
store:
	mem[reg[(*pc)[1]]] = (unsigned char)(*pc)[2];
	NEXT;
jnz:
	if (reg[(*pc)[1]])
		JUMP;
	NEXT;
out:
	sum = sum * 31 + reg[(*pc)[1]];
	primes++;
	NEXT;
end:
	printf("threaded %08x %u primes\n", sum, primes);
	return 0;
}
