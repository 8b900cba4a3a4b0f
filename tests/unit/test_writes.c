// SPDX-License-Identifier: GPL-2.0-or-later
/* isa/writes: which registers instructions may write. */
#include "isa/writes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* "1 8 32 to 35"; of what is above 128 bits nothing. */
static void text_of(const struct register_set *set, char *text, size_t size)
{
	unsigned first = register_set_next(set, 0), last;

	*text = 0;
	for (; first < REGISTERS_FIRST_PART; first = register_set_next(set, last + 1)) {
		for (last = first;
		     last + 1 < REGISTERS_FIRST_PART && register_set_has(set, last + 1);
		     last++)
			;
		snprintf(text + strlen(text), size - strlen(text),
			 last > first ? "%s%u to %u" : "%s%u", *text ? " " : "", first,
			 last);
	}
}

/* What may write a register may write all of it. */
static void check_parts(const char *isa, const struct register_set *set)
{
	unsigned part;

	for (unsigned i = REGISTERS_FIRST_PART; i < REGISTERS_MAX; i++) {
		unsigned whole = register_whole(isa, i, &part);

		if (part && register_name(isa, i))
			assert_int_equal(register_set_has(set, i),
					 register_set_has(set, whole));
	}
}

static void check(const char *isa, const char *code, size_t bytes, const char *always,
		  const char *perhaps)
{
	struct writes writes;
	char text[256];

	writes_find(isa, (const uint8_t *)code, bytes, &writes);
	text_of(&writes.always, text, sizeof(text));
	assert_string_equal(text, always);
	text_of(&writes.perhaps, text, sizeof(text));
	check_parts(isa, &writes.perhaps);
	assert_string_equal(text, perhaps);
}

static void word(const char *isa, uint32_t word, const char *always, const char *perhaps)
{
	char code[4];

	memcpy(code, &word, sizeof(word));
	check(isa, code, sizeof(code), always, perhaps);
}

static void test_riscv(void **state)
{
	(void)state;
	word("riscv64", 0x00150513, "10", "");		       /* addi a0,a0,1 */
	word("riscv64", 0x00000013, "", "");		       /* nop: writes x0 */
	check("riscv64", "\x41\x11", 2, "2", "");	       /* c.addi sp,-16 */
	word("riscv64", 0x02b5f6d3, "45", "64");	       /* fadd.d fa3,fa1,fa1 */
	word("riscv64", 0x52f67643, "44", "64");	       /* fmadd.d */
	word("riscv64", 0x0025d073, "", "64 to 68");	       /* csrrwi zero,frm,11 */
	word("riscv64", 0x00000073, "", "");		       /* ecall */
	word("riscv64", 0x0d0572d7, "5", "68 to 70");	       /* vsetvli t0,a0,... */
	word("riscv64", 0x02110457, "", "64 66 68 96 to 127"); /* vadd.vv */
	word("riscv64", 0x02050407, "", "68 to 69 96 to 127"); /* vle8.v */
	word("riscv64", 0x02050427, "", "68");		       /* vse8.v */
	word("riscv64", 0xa2112477, "", "68 96 to 127");       /* vaesem.vv */
	word("riscv64", 0x0005b507, "42", "");		       /* fld fa0,0(a1) */
	word("riscv32", 0x28c7b52f, "10 to 11", "");	       /* amocas.d */
}

static void test_aarch64(void **state)
{
	(void)state;
	word("aarch64", 0x910023e2, "", "2 64");		 /* add x2, sp, 8 */
	word("aarch64", 0x8b0203ff, "", "31 64");		 /* add xzr, ... */
	word("aarch64", 0x9400105e, "", "16 to 17 30 64 to 66"); /* bl: its field is 30 */
	word("aarch64", 0xf8408420, "", "0 to 1 64");		 /* ldr x0, [x1], 8 */
	word("aarch64", 0xa9b67bfd, "", "22 to 23 29 to 31 64"); /* stp x29, x30, [sp]! */
	word("aarch64", 0x4cdf2020, "", "1 32 to 35 40");     /* ld1 {v0-v3}, [x1], 64 */
	word("aarch64", 0x1e624020, "", "0 32 64 to 66");     /* fcvt s0, d1 */
	word("aarch64", 0x04a0e3e0, "", "0 to 66 96 to 112"); /* cntw: SVE */
	word("aarch64", 0xd40000e2, "", "0 to 3 16 to 17 30 64 to 66");	 /* hvc */
	word("aarch64", 0xd69f03e0, "", "0 16 to 17 30 to 31 64 to 66"); /* eret */
	word("aarch64", 0xf83fd020, "", "0 to 7 20 31 64"); /* ld64b x0, [x1] */
}

static void test_x86_64(void **state)
{
	(void)state;
	check("x86_64", "\x58", 1, "", "0 to 15");	       /* pop */
	check("x86_64", "\x48\x0f\xb6\xc0", 4, "", "0 to 15"); /* movzx */
	check("x86_64", "\x66\x0f\x6f\xc1", 4, "",
	      "0 to 15 32 to 47 64 to 66 96 to 103"); /* movdqa */
	check("x86_64", "\xf2\x44\x0f\x58\xc1", 5, "",
	      "0 to 15 32 to 47 64 to 66 96 to 103");
	check("x86_64", "\xc5\xf8\x77", 3, "", "0 to 15 32 to 47 66"); /* vzeroupper */
	check("x86_64", "\x0f\xae\x08", 3, "",
	      "0 to 15 32 to 47 64 to 66 96 to 103");			  /* fxrstor */
	check("x86_64", "\xd9\xe8", 2, "", "0 to 15 64 to 65 96 to 103"); /* fld1 */
	check("x86_64", "\x66\x66\x66", 3, "", "0 to 15");
	check("x86_64", "\x0f", 1, "", "0 to 15 32 to 47 64 to 66 96 to 103");
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_riscv),
	cmocka_unit_test(test_aarch64),
	cmocka_unit_test(test_x86_64),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
