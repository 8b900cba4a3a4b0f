// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: instructions that are none, some known to QEMU when it translates and some only
// when they run, and breakpoints, in the middle of code; handlers skip them, patch them,
// or jump away.

#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

enum way { SKIP, JUMP, PATCH, WAYS };

struct kind {
	uint32_t word;
	unsigned bytes;
	int signal;
};

static const struct kind kinds[] = {
	{ 0x00000000, 2, SIGILL },  /* c.illegal */
	{ 0x0000707f, 4, SIGILL },
	{ 0xc0001073, 4, SIGILL },  /* unimp: writes a counter that cannot be written */
	{ 0x30002573, 4, SIGILL },  /* csrr a0, mstatus */
	{ 0x10200073, 4, SIGILL },  /* sret */
	{ 0x9c45, 2, SIGILL },	    /* reserved */
	{ 0x00100073, 4, SIGTRAP }, /* ebreak */
	{ 0x9002, 2, SIGTRAP },	    /* c.ebreak */
};
enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

static sigjmp_buf home;
static volatile enum way way;
static volatile unsigned seen[2];
static unsigned char *bad; /* where the instruction is */
static unsigned bad_bytes;

/* Two-byte no-operations over the bad instruction. */
static void patch(void)
{
	for (unsigned i = 0; i < bad_bytes; i += 2)
		memcpy(bad + i, (uint16_t[]){ 0x0001 }, 2);
	__asm__ volatile("fence.i" ::: "memory");
}

static void on_signal(int sig, siginfo_t *info, void *context)
{
	unsigned long *pc = &((ucontext_t *)context)->uc_mcontext.__gregs[REG_PC];

	(void)info;
	seen[sig == SIGTRAP]++;
	if (*pc != (unsigned long)bad)
		siglongjmp(home, 2);
	if (way == JUMP)
		siglongjmp(home, 1);
	if (way == PATCH)
		patch();
	else
		*pc += bad_bytes;
}

/* c.addi a0,1 ... BAD ... c.addi a0,4; c.jr ra, with the bad one after `before` others. */
static void write_code(unsigned char *code, unsigned before, const struct kind *kind)
{
	for (unsigned i = 0; i < before; i++, code += 2)
		memcpy(code, (uint16_t[]){ 0x0505 }, 2);
	bad = code;
	bad_bytes = kind->bytes;
	memcpy(code, &kind->word, kind->bytes);
	memcpy(code + kind->bytes, (uint16_t[]){ 0x0511, 0x8082 }, 4);
	__asm__ volatile("fence.i" ::: "memory");
}

int main(void)
{
	struct sigaction act = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	static volatile unsigned long sum = 1;
	unsigned char *code = mmap(NULL, 8192, PROT_READ | PROT_WRITE | PROT_EXEC,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED)
		return 1;
	sigaction(SIGILL, &act, NULL);
	sigaction(SIGTRAP, &act, NULL);
	for (volatile unsigned i = 0; i < 12 * KINDS * WAYS; i++) {
		unsigned before = i / (KINDS * WAYS) % 6;
		unsigned char *at = code + (i & 1 ? 4096 - 2 * before - 2 : 0);
		int back;

		way = i / KINDS % WAYS;
		write_code(at, before, &kinds[i % KINDS]);
		back = sigsetjmp(home, 1);
		if (back)
			sum = sum * 7 + (unsigned)back;
		else
			sum = sum * 31 + ((unsigned long (*)(unsigned long))at)(i);
	}
	printf("illegal %016lx %u %u\n", sum, seen[0], seen[1]);
	return 0;
}
