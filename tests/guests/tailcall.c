// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: a state machine of tail calls. Optimised, they are jumps between functions
// (direct and indirect) and one return serves thousands of calls; at -O0 they nest.

#include <stdio.h>

struct machine {
	unsigned seed, left, sum;
};

typedef unsigned (*state_fn)(struct machine *m);

static state_fn volatile states[4];

static unsigned go(struct machine *m, unsigned state)
{
	if (m->left-- == 0)
		return m->sum;
	m->seed = m->seed * 1664525 + 1013904223;
	return states[(state + (m->seed >> 29)) % 4](m);
}

static unsigned red(struct machine *m)
{
	m->sum += m->seed >> 8;
	return go(m, 0);
}

static unsigned green(struct machine *m)
{
	m->sum = m->sum * 5 + 1;
	if (m->seed & 0x10000)
		return red(m);
	return go(m, 1);
}

static unsigned blue(struct machine *m)
{
	m->sum ^= m->seed;
	return m->sum & 1 ? green(m) : go(m, 2);
}

static unsigned grey(struct machine *m)
{
	return m->left > 100 ? blue(m) : red(m);
}

int main(void)
{
	unsigned sum = 0;

	states[0] = red;
	states[1] = green;
	states[2] = blue;
	states[3] = grey;
	for (unsigned i = 0; i < 20; i++) {
		struct machine m = { .seed = i, .left = 3000 };

		sum = sum * 31 + grey(&m);
	}
	printf("tailcall %08x\n", sum);
	return 0;
}
