// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: instructions of 2 to 15 bytes that lie across the end of a page, cut at every
// place, in the middle of a block and at its start. QEMU begins a block with each.

#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096

/* What changes nothing that matters; ax, cx and dx are free, r8 too. */
static const struct insn {
	unsigned bytes;
	unsigned char code[15];
} insns[] = {
	{ 2, { 0x89, 0xc1 } },					   /* mov %eax,%ecx */
	{ 2, { 0x0c, 0x55 } },					   /* or $0x55,%al */
	{ 3, { 0x8d, 0x48, 0x08 } },				   /* lea 8(%eax),%ecx */
	{ 3, { 0x0f, 0xaf, 0xc8 } },				   /* imul %eax,%ecx */
	{ 3, { 0xc0, 0xe1, 0x03 } },				   /* shl $3,%cl */
	{ 3, { 0xf6, 0xc1, 0x12 } },				   /* test $0x12,%cl */
	{ 4, { 0x66, 0xb9, 0x34, 0x12 } },			   /* mov $0x1234,%cx */
	{ 4, { 0x8d, 0x4c, 0x48, 0x7f } },			   /* lea 127(%eax,%ecx,2),%ecx */
	{ 4, { 0x0f, 0xba, 0xe1, 0x05 } },			   /* bt $5,%ecx */
	{ 4, { 0x66, 0x0f, 0x6e, 0xc0 } },			   /* movd %eax,%xmm0 */
	{ 5, { 0xb9, 0x78, 0x56, 0x34, 0x12 } },		   /* mov $..,%ecx */
	{ 5, { 0x66, 0x0f, 0x70, 0xc8, 0x1b } },		   /* pshufd $0x1b,%xmm0,%xmm1 */
	{ 5, { 0x66, 0xf7, 0xc1, 0x21, 0x43 } },		   /* test $0x4321,%cx */
	{ 5, { 0x0f, 0x1f, 0x44, 0x00, 0x00 } },		   /* nopl 0(%eax,%eax) */
	{ 6, { 0x81, 0xc1, 0x11, 0x22, 0x33, 0x44 } },		   /* add $..,%ecx */
	{ 6, { 0x8d, 0x88, 0x44, 0x33, 0x22, 0x11 } },		   /* lea ..(%eax),%ecx */
	{ 6, { 0xf7, 0xc1, 0x21, 0x43, 0x65, 0x07 } },		   /* test $..,%ecx */
	{ 6, { 0x0f, 0x84, 0x00, 0x00, 0x00, 0x00 } },		   /* je to the next */
	{ 7, { 0x69, 0xc9, 0x01, 0x01, 0x00, 0x00, 0x90 } },	   /* imul $..,%ecx; nop */
	{ 7, { 0x8d, 0x8c, 0x08, 0x44, 0x33, 0x22, 0x11 } },	   /* lea ..(%eax,%ecx) */
	{ 8, { 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00 } }, /* nopl 0(..) */
	{ 15,
	  { 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00,
	    0x00, 0x00 } }, /* data16 x 5, cs nopw 0(..) */
#ifdef __x86_64__
	{ 3, { 0x48, 0x89, 0xc1 } },				   /* mov %rax,%rcx */
	{ 4, { 0x4c, 0x8d, 0x40, 0x10 } },			   /* lea 16(%rax),%r8 */
	{ 5, { 0x66, 0x49, 0x0f, 0x6e, 0xc0 } },		   /* movq %r8,%xmm0 */
	{ 7, { 0x48, 0x8d, 0x0d, 0x44, 0x33, 0x22, 0x11 } },	   /* lea ..(%rip),%rcx */
	{ 7, { 0x49, 0xc7, 0xc0, 0x44, 0x33, 0x22, 0x91 } },	   /* mov $..,%r8 */
	{ 10, { 0x49, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8 } },		   /* movabs $..,%r8 */
#else
	{ 1, { 0x40 } },				/* inc %eax */
	{ 4, { 0x67, 0x8d, 0x4e, 0x10 } },		/* lea 16(%bp),%ecx */
	{ 5, { 0x67, 0x8d, 0x8e, 0x10, 0x20 } },	/* lea 0x2010(%bp),%ecx */
#endif
};

#define COUNT (sizeof(insns) / sizeof(*insns))

int main(void)
{
	unsigned char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	unsigned sum = 0, ran = 0;

	if (pages == MAP_FAILED)
		return 1;
	for (unsigned i = 0; i < COUNT; i++)
		for (unsigned before = 0; before <= insns[i].bytes; before++) {
			unsigned char *at = pages + PAGE - before;

			memset(at - 16, 0x90, 16); /* nop */
			memcpy(at, insns[i].code, insns[i].bytes);
			at[insns[i].bytes] = 0xc3; /* ret */
			for (unsigned from = 0; from < 3; from++, ran++)
				sum = sum * 31 + ((unsigned (*)(void))(at - from))();
		}
	printf("seam %u %u\n", ran, sum != 0);
	return 0;
}
