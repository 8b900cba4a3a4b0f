// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: string instructions with a repeat prefix. Each of their rounds may be a block
// of its own, and one may fault in the middle of its rounds.

#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static char *page;
static unsigned faults;

static void on_fault(int signal)
{
	(void)signal;
	faults++;
	mprotect(page + 4096, 4096, PROT_READ | PROT_WRITE);
}

static void copy(void *to, const void *from, size_t n)
{
	__asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n)::"memory");
}

static void fill(void *to, int byte, size_t n)
{
	__asm__ volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(byte) : "memory");
}

static size_t length(const char *text)
{
	size_t n = (size_t)-1;
	const char *at = text;

	__asm__ volatile("repne scasb" : "+D"(at), "+c"(n) : "a"(0) : "memory", "cc");
	return (size_t)(at - text) - 1;
}

static size_t common(const char *a, const char *b, size_t n)
{
	const char *at = a;

	__asm__ volatile("test %%ecx, %%ecx\n\trepe cmpsb"
			 : "+S"(at), "+D"(b), "+c"(n)::"memory", "cc");
	return (size_t)(at - a);
}

int main(void)
{
	struct sigaction act = { .sa_handler = on_fault };
	static char text[300], other[300];
	unsigned sum = 0;

	page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return 1;
	sigaction(SIGSEGV, &act, NULL);
	for (unsigned i = 0; i < 40; i++) {
		fill(text, 'a' + (int)i % 26, i * 7);
		text[i * 7] = 0;
		copy(other, text, sizeof(text));
		other[i * 3] = 'Z';
		sum = sum * 31 + (unsigned)(length(text) + common(text, other, i * 7));
	}
	for (unsigned i = 0; i < 5; i++) {
		mprotect(page + 4096, 4096, PROT_NONE);
		copy(page + 4096 - 20 - i, text, 60);
		mprotect(page + 4096, 4096, PROT_NONE);
		fill(page + 4096 - 30, 'x', 70);
		sum = sum * 31 + (unsigned)page[4096 + 20];
	}
	printf("repeat %u %u\n", sum, faults);
	return 0;
}
