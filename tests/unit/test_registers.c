// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * isa/riscv_registers: some of each format by hand, and all that riscv.def has a right
 * text for against the registers that stand in it.
 */
#include "isa/riscv.h"
#include "isa/riscv_registers.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- by hand ------------------------------------------------------------- */

/* "a0,fa1,v3" of a set of each file. */
static void name_all(const uint32_t set[RISCV_FILES], char *text, size_t size)
{
	*text = 0;
	for (unsigned file = 0; file < RISCV_FILES; file++)
		for (unsigned i = 0; i < 32; i++)
			if (set[file] >> i & 1)
				snprintf(text + strlen(text), size - strlen(text), "%s%s",
					 *text ? "," : "", riscv_register_name(file, i));
}

static void check(uint32_t word, unsigned xlen, const char *written, const char *read)
{
	struct riscv_registers registers;
	char text[256];

	riscv_registers(word, xlen, &registers);
	name_all(registers.written, text, sizeof(text));
	if (strcmp(text, written))
		fail_msg("%08" PRIx32 " writes %s, not %s", word, written, text);
	name_all(registers.read, text, sizeof(text));
	if (strcmp(text, read))
		fail_msg("%08" PRIx32 " reads %s, not %s", word, read, text);
}

static void test_integer(void **state)
{
	(void)state;
	check(0xff010113, 64, "sp", "sp");		  /* addi sp,sp,-16 */
	check(0x00b50533, 64, "a0", "a0,a1");		  /* add a0,a0,a1 */
	check(0x40b0053b, 64, "a0", "zero,a1");		  /* negw a0,a1 */
	check(0x00113423, 64, "", "ra,sp");		  /* sd ra,8(sp) */
	check(0x0005b503, 64, "a0", "a1");		  /* ld a0,0(a1) */
	check(0x00050463, 64, "", "zero,a0");		  /* beqz a0 */
	check(0x004000ef, 64, "ra", "");		  /* jal */
	check(0x00008067, 64, "zero", "ra");		  /* ret */
	check(0x00000537, 64, "a0", "");		  /* lui a0,0 */
	check(0x00000073, 64, "", "");			  /* ecall */
	check(0xc0102573, 64, "a0", "zero");		  /* rdtime a0 */
	check(0x0025d073, 64, "zero", "");		  /* csrrwi zero,frm,11 */
	check(0x0ff0000f, 64, "", "");			  /* fence */
	check(0x0045200f, 64, "", "a0");		  /* cbo.zero (a0) */
	check(0x1005252f, 64, "a0", "a0");		  /* lr.w a0,(a0) */
	check(0x00b5252f, 64, "a0", "a0,a1");		  /* amoadd.w a0,a1,(a0) */
	check(0x28c5a52f, 64, "a0", "a0,a1,a2");	  /* amocas.w a0,a2,(a1) */
	check(0x28c7c52f, 64, "a0,a1", "a0,a1,a2,a3,a5"); /* amocas.q a0,a2,(a5) */
	check(0x28c7b52f, 64, "a0", "a0,a2,a5");	  /* amocas.d a0,a2,(a5) */
	check(0x28c7b52f, 32, "a0,a1", "a0,a1,a2,a3,a5");
	check(0xce104073, 64, "", "ra");     /* sspush ra */
	check(0xcdc2c073, 64, "", "t0");     /* sspopchk t0 */
	check(0xcdc04573, 64, "a0", "");     /* ssrdp a0 */
	check(0x0005e013, 64, "zero", "a1"); /* prefetch.i 0(a1) */
}

static void test_short(void **state)
{
	(void)state;
	check(0x1141, 64, "sp", "sp");	  /* c.addi sp,-16 */
	check(0xe406, 64, "", "ra,sp");	  /* c.sdsp ra,8 */
	check(0x852e, 64, "a0", "a1");	  /* c.mv a0,a1 */
	check(0x8082, 64, "zero", "ra");  /* c.jr ra */
	check(0x9d4d, 64, "a0", "a0,a1"); /* c.mul a0,a1 */
	check(0x6181, 64, "", "");	  /* c.mop.3 */
	check(0x0000, 64, "", "");
	check(0xffffffff, 64, "", "");
}

static void test_fp(void **state)
{
	(void)state;
	check(0x0005b507, 64, "fa0", "a1");	     /* fld fa0,0(a1) */
	check(0x00a5b027, 64, "", "a1,fa0");	     /* fsd fa0,0(a1) */
	check(0x02b57553, 64, "fa0", "fa0,fa1");     /* fadd.d */
	check(0x62b57543, 64, "fa0", "fa0,fa1,fa2"); /* fmadd.d fa0,fa0,fa1,fa2 */
	check(0x5a057553, 64, "fa0", "fa0");	     /* fsqrt.d */
	check(0xa2b52553, 64, "a0", "fa0,fa1");	     /* feq.d a0,fa0,fa1 */
	check(0xc2051553, 64, "a0", "fa0");	     /* fcvt.w.d a0,fa0 */
	check(0xd2050553, 64, "fa0", "a0");	     /* fcvt.d.w fa0,a0 */
	check(0x42058553, 64, "fa0", "fa1");	     /* fcvt.d.s fa0,fa1 */
	check(0xe2058553, 64, "a0", "fa1");	     /* fmv.x.d a0,fa1 */
	check(0xf2058553, 64, "fa0", "a1");	     /* fmv.d.x fa0,a1 */
	check(0xf2180553, 64, "fa0", "");	     /* fli.d fa0 */
	check(0xb2b50553, 32, "fa0", "a0,a1");	     /* fmvp.d.x fa0,a0,a1 */
}

static void test_vector(void **state)
{
	(void)state;
	check(0x02050407, 64, "v8", "a0");	  /* vle8.v v8,(a0) */
	check(0x00050407, 64, "v8", "a0,v0");	  /* vle8.v v8,(a0),v0.t */
	check(0x0ab50427, 64, "", "a0,a1,v8");	  /* vsse8.v v8,(a0),a1 */
	check(0x06150427, 64, "", "a0,v1,v8");	  /* vsuxei8.v v8,(a0),v1 */
	check(0x02110457, 64, "v8", "v1,v2");	  /* vadd.vv v8,v1,v2 */
	check(0x0215c457, 64, "v8", "a1,v1");	  /* vadd.vx v8,v1,a1 */
	check(0x5e054457, 64, "v8", "a0");	  /* vmv.v.x v8,a0 */
	check(0x5e00b457, 64, "v8", "");	  /* vmv.v.i v8,1 */
	check(0x42102557, 64, "a0", "v1");	  /* vmv.x.s a0,v1 */
	check(0x5208a457, 64, "v8", "");	  /* vid.v v8 */
	check(0xb620a457, 64, "v8", "v1,v2,v8");  /* vmacc.vv v8,v1,v2 */
	check(0xb2255457, 64, "v8", "fa0,v2,v8"); /* vfmacc.vf v8,fa0,v2 */
	check(0x0d0572d7, 64, "t0", "a0");	  /* vsetvli t0,a0,... */
	check(0xcd02f557, 64, "a0", "");	  /* vsetivli a0,5,... */
	check(0xa2112477, 64, "v8", "v1,v8");	  /* vaesem.vv v8,v1 */
	check(0x8a10a477, 64, "v8", "v1");	  /* vaeskf1.vi v8,v1,1 */
}

/* ---- by the right text --------------------------------------------------- */

/* Adds the register that a word of a text is the name of, if it is. */
static void add_name(uint32_t set[RISCV_FILES], const char *name)
{
	for (unsigned file = 0; file < RISCV_FILES; file++)
		for (unsigned i = 0; i < 32; i++)
			if (!strcmp(name, riscv_register_name(file, i)))
				set[file] |= 1u << i;
}

static void read_operands(uint32_t set[RISCV_FILES], const char *text)
{
	char copy[128], *word, *rest = copy;

	snprintf(copy, sizeof(copy), "%s", strlen(text) > 24 ? text + 24 : "");
	copy[strcspn(copy, "#")] = 0;
	while ((word = strsep(&rest, " ,()")))
		add_name(set, strcmp(word, "v0.t") ? word : "v0");
}

/*
 * What a text need not name: x0; of "ret", ra; of a pair, the second one; and the hints
 * about locality are additions otherwise.
 */
static uint32_t find_silent(const char *text, uint32_t printed, uint32_t all)
{
	if (!strncmp(text, "ntl.", 4))
		return all;
	if (!strncmp(text, "amocas.", 7))
		return 1 | printed << 1;
	return !strncmp(text, "ret", 3) ? 3 : 1;
}

/* They leave out nothing else, and name nothing that is not. */
static void check_line(unsigned xlen, uint32_t word, const char *text)
{
	uint32_t printed[RISCV_FILES] = { 0 };
	struct riscv_registers registers;

	read_operands(printed, text);
	riscv_registers(word, xlen, &registers);
	for (unsigned file = 0; file < RISCV_FILES; file++) {
		uint32_t all = registers.read[file] | registers.written[file];
		uint32_t silent =
			file == RISCV_X ? find_silent(text, printed[file], all) : 0;

		if ((printed[file] | silent) != (all | silent) ||
		    (printed[file] & ~all & silent))
			fail_msg("%08" PRIx32 ", %s: registers %08" PRIx32
				 " are named, and %08" PRIx32 " found",
				 word, text, printed[file], all);
	}
}

/* xorshift64, by Marsaglia: the same words in every run. */
static uint32_t random_word(void)
{
	static uint64_t state = 88172645463325252;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16);
}

/* Words of a line that are the line's, and whose right text is known. */
static unsigned check_words(const char *name, uint32_t match, uint32_t mask,
			    unsigned xlen)
{
	unsigned checked = 0;

	for (unsigned i = 0; i < 100; i++) {
		uint32_t word = match | (random_word() & ~mask);
		const struct riscv_insn *insn = riscv_decode(word, xlen);
		char text[128];

		if (!insn || strcmp(insn->name, name) ||
		    !riscv_text(word, xlen, RISCV_RIGHT, 0, text, sizeof(text)))
			continue;
		check_line(xlen, word, text);
		checked++;
	}
	return checked;
}

static void test_texts(void **state)
{
	unsigned checked = 0;

	(void)state;
#define INSN(name, match, mask, when, ...) \
	checked += check_words(name, match, mask, RISCV_##when == RISCV_RV32 ? 32 : 64);
#include "isa/riscv.def"
	assert_true(checked > 50000);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_integer), cmocka_unit_test(test_short),
	cmocka_unit_test(test_fp),	cmocka_unit_test(test_vector),
	cmocka_unit_test(test_texts),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
