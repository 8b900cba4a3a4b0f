// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Inlined functions that call others, that call themselves, that are called as well, and
 * that end in a tail call.
 */
static volatile unsigned seen;

__attribute__((noinline)) static void note(unsigned x)
{
	seen += x;
}

static inline __attribute__((always_inline)) void note_twice(unsigned x)
{
	note(x);
	if (x & 1)
		note(x + 1);
}

static inline __attribute__((always_inline)) unsigned halve(unsigned x)
{
	note_twice(x);
	return x / 2;
}

/* Calls itself, from inlined code and from its own. */
__attribute__((noinline)) static unsigned descend(unsigned depth);

static inline __attribute__((always_inline)) unsigned deeper(unsigned depth)
{
	return depth ? descend(depth - 1) + 1 : halve(9);
}

__attribute__((noinline)) static unsigned descend(unsigned depth)
{
	unsigned all = deeper(depth);

	note(depth);
	if (depth & 1)
		all += descend(depth / 2);
	return all + halve(depth);
}

/* Called by its address, too. */
static inline unsigned twice(unsigned x)
{
	for (unsigned i = 0; i < x; i++)
		note_twice(i);
	return 2 * x;
}

static unsigned (*volatile pointer)(unsigned) = twice;

__attribute__((noinline)) static unsigned last(unsigned x)
{
	return pointer(halve(x));
}

int main(void)
{
	unsigned all = 0;

	for (unsigned i = 0; i < 20; i++)
		all += descend(i % 7) + twice(i) + last(i);
	return all & 1;
}
