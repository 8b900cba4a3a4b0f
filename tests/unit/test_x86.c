// SPDX-License-Identifier: GPL-2.0-or-later
/* isa/x86: where instructions end, and how they are read up to there. */
#include "isa/x86.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { BOTH, WIDE, NARROW };

/* Bytes in hexadecimal, a bar before each piece that is read at once. */
static const struct {
	int where;
	const char *pieces;
} insns[] = {
	{ BOTH, "|90" },			 /* nop */
	{ BOTH, "|0f|05" },			 /* syscall */
	{ BOTH, "|89|c1" },			 /* mov %eax,%ecx */
	{ BOTH, "|8b|04|25|00100000" },		 /* mov 0x1000(,%riz),%eax */
	{ BOTH, "|8b|44|24|10" },		 /* mov 16(%esp),%eax */
	{ BOTH, "|8b|05|00100000" },		 /* mov 0x1000,%eax; or (%rip) */
	{ BOTH, "|8b|80|00100000" },		 /* mov 0x1000(%eax),%eax */
	{ BOTH, "|81|84|24|cc000000|00100000" }, /* addl $0x1000,0xcc(%esp) */
	{ BOTH, "|66|81|44|24|10|0010" },	 /* addw $0x1000,16(%esp) */
	{ BOTH, "|c7|45|f0|00100000" },		 /* movl $0x1000,-16(%ebp) */
	{ BOTH, "|f6|c1|01" },			 /* test $1,%cl */
	{ BOTH, "|f6|d1" },			 /* not %cl */
	{ BOTH, "|f7|c1|01000000" },		 /* test $1,%ecx */
	{ BOTH, "|f7|d1" },			 /* not %ecx */
	{ BOTH, "|c8|1000|01" },		 /* enter $16,$1 */
	{ BOTH, "|c2|0800" },			 /* ret $8 */
	{ BOTH, "|e8|00000000" },		 /* call */
	{ BOTH, "|0f|84|00000000" },		 /* je */
	{ BOTH, "|f3|a4" },			 /* rep movsb */
	{ BOTH, "|f0|0f|b1|0f" },		 /* lock cmpxchg %ecx,(%edi) */
	{ BOTH, "|66|0f|70|c8|1b" },		 /* pshufd $0x1b,%xmm0,%xmm1 */
	{ BOTH, "|66|0f|38|00|c1" },		 /* pshufb %xmm1,%xmm0 */
	{ BOTH, "|66|0f|3a|0f|c1|04" },		 /* palignr $4,%xmm1,%xmm0 */
	{ BOTH, "|f3|0f|b8|c1" },		 /* popcnt %ecx,%eax */
	{ BOTH, "|c5|f9|6f|01" },		 /* vmovdqa (%ecx),%xmm0 */
	{ BOTH, "|c4|e2|79|18|01" },		 /* vbroadcastss (%ecx),%xmm0 */
	{ BOTH, "|c4|e3|7d|19|c1|01" },		 /* vextractf128 $1,%ymm0,%xmm1 */
	{ WIDE, "|48|b8|0807060504030201" },	 /* movabs */
	{ WIDE, "|48|c7|c0|00100000" },		 /* mov $0x1000,%rax */
	{ WIDE, "|66|48|05|00100000" },		 /* add $0x1000,%rax */
	{ WIDE, "|a1|0807060504030201" },	 /* mov 0x..,%eax */
	{ WIDE, "|67|a1|04030201" },		 /* the same, 32 bits */
	{ WIDE, "|67|8b|45|10" },		 /* mov 16(%ebp),%eax */
	{ WIDE, "|06" },			 /* not an instruction */
	{ NARROW, "|40" },			 /* inc %eax */
	{ NARROW, "|a1|04030201" },		 /* mov 0x..,%eax */
	{ NARROW, "|67|a1|0201" },		 /* the same, 16 bits */
	{ NARROW, "|67|8b|46|10" },		 /* mov 16(%bp),%eax */
	{ NARROW, "|67|8b|06|0010" },		 /* mov 0x1000,%eax */
	{ NARROW, "|9a|00100000|2300" },	 /* lcall */
	{ NARROW, "|c5|01" },			 /* lds (%ecx),%eax */
	{ NARROW, "|d4|0a" },			 /* aam */
};

static unsigned digit(char c)
{
	return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);
}

/* At each bar, what has been read so far wants the piece that follows. */
static void check(const char *pieces, bool wide)
{
	uint8_t code[16];
	size_t bytes = 0;

	for (const char *at = pieces; *at;) {
		unsigned piece = (unsigned)strcspn(++at, "|") / 2;

		if (x86_wants(code, bytes, wide) != piece)
			fail_msg("%s, %s: wants %u after %zu bytes", pieces,
				 wide ? "64 bits" : "32 bits",
				 x86_wants(code, bytes, wide), bytes);
		for (; *at && *at != '|'; at += 2)
			code[bytes++] = (uint8_t)(digit(at[0]) << 4 | digit(at[1]));
	}
	if (x86_wants(code, bytes, wide))
		fail_msg("%s: is whole, but wants more", pieces);
}

static void test_pieces(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(insns) / sizeof(*insns); i++) {
		if (insns[i].where != NARROW)
			check(insns[i].pieces, true);
		if (insns[i].where != WIDE)
			check(insns[i].pieces, false);
	}
}

static void test_mnemonics(void **state)
{
	(void)state;
	assert_string_equal(x86_mnemonic("bnd jmpq *%rax"), "jmpq *%rax");
	assert_string_equal(x86_mnemonic("lock cmpxchgl %ecx, (%rdx)"),
			    "cmpxchgl %ecx, (%rdx)");
	assert_string_equal(x86_mnemonic("repz"), "repz");
	assert_string_equal(x86_mnemonic("retq "), "retq ");
	assert_string_equal(x86_mnemonic(""), "");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_pieces),
	cmocka_unit_test(test_mnemonics),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
