/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Short blocks with one memory access each, at every kind of place that a fault can cut a
 * block: its first instruction, the middle, the last; compressed, floating point, atomic.
 * A probe is called with an address and a number, and returns the number mixed with what
 * it read.
 */
#ifndef PROBES_H
#define PROBES_H

typedef unsigned long (*probe_fn)(void *at, unsigned long x);

extern const char load_first[], load_middle[], load_last[], load_short[], load_float[],
	load_branch[], store_first[], store_middle[], store_short[], amo_middle[], amo_lr[],
	long_middle[], page_end[];

__asm__(".text\n"
	".option push\n"
	".option norelax\n"
	".macro probe name\n"
	".balign 8\n"
	".type \\name, @function\n"
	".globl \\name\n"
	"\\name:\n"
	".endm\n"
	".option norvc\n"
	"probe load_first\n"
	"ld a2, 0(a0)\n"
	"addi a1, a1, 1\n"
	"xor a0, a1, a2\n"
	"ret\n"
	"probe load_middle\n"
	"addi a1, a1, 3\n"
	"slli a3, a1, 1\n"
	"ld a2, 0(a0)\n"
	"add a1, a1, a3\n"
	"xor a0, a1, a2\n"
	"ret\n"
	"probe load_branch\n" /* the access, then at once the branch */
	"addi a1, a1, 5\n"
	"ld a2, 0(a0)\n"
	"beqz a2, 1f\n"
	"addi a1, a1, 7\n"
	"1: xor a0, a1, a2\n"
	"ret\n"
	"probe store_first\n"
	"sd a1, 0(a0)\n"
	"addi a1, a1, 9\n"
	"mv a0, a1\n"
	"ret\n"
	"probe store_middle\n"
	"slli a3, a1, 2\n"
	"addi a1, a1, 11\n"
	"sd a3, 0(a0)\n"
	"xor a0, a1, a3\n"
	"ret\n"
	"probe amo_middle\n"
	"addi a1, a1, 13\n"
	"andi a0, a0, -8\n"
	"amoadd.d a2, a1, (a0)\n"
	"xor a0, a1, a2\n"
	"ret\n"
	"probe amo_lr\n"
	"addi a1, a1, 15\n"
	"andi a0, a0, -8\n"
	"1: lr.d a2, (a0)\n"
	"add a3, a2, a1\n"
	"sc.d a4, a3, (a0)\n"
	"bnez a4, 1b\n"
	"xor a0, a1, a2\n"
	"ret\n"
	"probe load_float\n"
	"addi a1, a1, 17\n"
	"fld fa5, 0(a0)\n"
	"fmv.x.d a2, fa5\n"
	"xor a0, a1, a2\n"
	"ret\n"
	"probe long_middle\n" /* more than QEMU takes into one block */
	".rept 700\n"
	"addi a1, a1, 1\n"
	".endr\n"
	"ld a2, 0(a0)\n"
	".rept 700\n"
	"addi a1, a1, 1\n"
	".endr\n"
	"xor a0, a1, a2\n"
	"ret\n"
	".option rvc\n"
	"probe load_short\n" /* two bytes, between two bytes */
	"c.addi a1, 1\n"
	"c.ld a2, 0(a0)\n"
	"c.xor a1, a2\n"
	"c.mv a0, a1\n"
	"c.jr ra\n"
	"probe store_short\n"
	"c.addi a1, 2\n"
	"c.sd a1, 0(a0)\n"
	"c.addi a1, 3\n"
	"c.mv a0, a1\n"
	"c.jr ra\n"
	".option norvc\n"
	".balign 4096\n" /* a block ends where its page does: here, with the access */
	".fill 1022, 4, 0x00000013\n"
	".type load_last, @function\n"
	".globl load_last\n"
	"load_last:\n"
	"addi a1, a1, 19\n" /* page offset 4088 */
	"ld a2, 0(a0)\n"
	"xor a0, a1, a2\n"
	"ret\n"
	".fill 1021, 4, 0x00000013\n"
	".type page_end, @function\n"
	".globl page_end\n"
	"page_end:\n"
	"sd a1, 0(a0)\n" /* alone in its page: first and last of its block */
	"addi a0, a1, 21\n"
	"ret\n"
	".option pop\n");

static const char *const probes[] = {
	load_first, load_middle, load_last, load_short, load_float, load_branch, store_first,
	store_middle, store_short, amo_middle, amo_lr, long_middle, page_end,
};
enum { PROBES = sizeof(probes) / sizeof(*probes) };

static inline unsigned long probe(unsigned i, void *at, unsigned long x)
{
	return ((probe_fn)(unsigned long)probes[i])(at, x);
}

#endif
