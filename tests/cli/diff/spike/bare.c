// SPDX-License-Identifier: GPL-2.0-or-later
/* Much work and few system calls; its memory is touched page by page. */
#include "call.h"

enum { NUMBERS = 8192 };

static unsigned buf[NUMBERS];
volatile unsigned seed = 1;

__attribute__((noinline)) unsigned f(unsigned x)
{
	return x < 2 ? x : f(x - 1) + f(x - 2);
}

void cstart(void)
{
	unsigned s = seed;
	char text[9];

	for (int i = 0; i < NUMBERS; i++) {
		s = s * 1103515245 + 12345;
		buf[i] = s;
	}
	for (int i = 0; i < 20; i++)
		s ^= f(i);
	for (int i = 1; i < NUMBERS; i++)
		s += buf[i] ^ buf[i - 1];
	for (int i = 0; i < 8; i++)
		text[7 - i] = "0123456789abcdef"[s >> (4 * i) & 15];
	text[8] = '\n';
	call(CALL_WRITE, 1, (long)text, 9);
	for (int i = 0; i < 300; i++)
		s += f(i % 10);
	call(CALL_EXIT, s & 1, 0, 0);
	for (;;)
		;
}

#include "start.h"
