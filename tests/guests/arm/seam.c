// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: the end of a page, in both instruction sets. A wide Thumb instruction across it
// begins a block of its own, and the short one before it is one that QEMU finds out about
// last; ARM instructions look the same there. And one address that is both sets' code.

#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096

typedef unsigned (*code_fn)(unsigned);

static unsigned char *pages;

static unsigned call(uint32_t off, int thumb, unsigned x)
{
	code_fn code = (code_fn)((uintptr_t)pages + off + (thumb ? 1 : 0));

	return code(x);
}

static void put16(uint32_t off, uint16_t half)
{
	memcpy(pages + off, &half, sizeof(half));
}

static void put32(uint32_t off, uint32_t word)
{
	memcpy(pages + off, &word, sizeof(word));
}

static void flush(void)
{
	__builtin___clear_cache((char *)pages, (char *)pages + 2 * PAGE);
}

/* The short instruction before the wide one, entered at once and after one and two more. */
static unsigned thumb_seam(uint16_t half, unsigned x)
{
	put16(PAGE - 8, 0xf100); /* add.w r0, r0, #5 */
	put16(PAGE - 6, 0x0005);
	put16(PAGE - 4, half);
	put16(PAGE - 2, 0xf100); /* add.w r0, r0, #7 */
	put16(PAGE, 0x0007);
	put16(PAGE + 2, 0x4770); /* bx lr */
	put16(PAGE - 10, 0x3001); /* adds r0, #1 */
	flush();
	return call(PAGE - 4, 1, x) * 9 + call(PAGE - 8, 1, x) * 3 +
	       call(PAGE - 10, 1, x);
}

static unsigned arm_seam(uint32_t word, uint32_t next, unsigned x)
{
	put32(PAGE - 8, 0xe2800003); /* add r0, r0, #3 */
	put32(PAGE - 4, word);
	put32(PAGE, next);
	put32(PAGE + 4, 0xe12fff1e); /* bx lr */
	flush();
	return call(PAGE - 4, 0, x) * 3 + call(PAGE - 8, 0, x);
}

/* mov r0, #1; bx lr -- or, in Thumb, movs r1, r0; b to bx lr. */
static unsigned both(unsigned x)
{
	put32(0x100, 0xe3a00001);
	put32(0x104, 0xe12fff1e);
	put16(0x100 + 6 + 0x740, 0x4770);
	flush();
	return call(0x100, 0, x) * 5 + call(0x100, 1, x);
}

int main(void)
{
	unsigned sum = 0;

	pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pages == MAP_FAILED)
		return 1;
	for (unsigned i = 0; i < 3; i++) {
		sum = sum * 31 + thumb_seam(0x3002, i); /* adds r0, #2 */
		sum = sum * 31 + thumb_seam(0x4601, i); /* mov r1, r0 */
		sum = sum * 31 + thumb_seam(0xbf00, i); /* nop */
		sum = sum * 31 + thumb_seam(0xe7ff, i); /* b to the next */
		sum = sum * 31 + arm_seam(0xe2800005, 0xe2800007, i); /* add; add */
		sum = sum * 31 + arm_seam(0xea000000, 0xe2800007, i); /* b over one */
		sum = sum * 31 + arm_seam(0xe92d4010, 0xe8bd8010, i); /* push; pop */
		sum = sum * 31 + arm_seam(0xee300a01, 0xe2800007, i); /* vadd.f32; add */
		sum = sum * 31 + arm_seam(0xf57ff05f, 0xe2800007, i); /* dmb; add */
		sum = sum * 31 + both(i);
	}
	printf("seam %u\n", sum);
	return 0;
}
