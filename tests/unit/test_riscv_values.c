// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * isa/riscv_values: some words by hand, and words of every line of riscv.def against
 * riscv_registers() and against the operands in the word's right text.
 */
#include "isa/riscv_values.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/riscv.h"
#include "isa/riscv_registers.h"

#define ALL 0xfffffffeu
#define AT 0x10000

static const char *name(unsigned number)
{
	return number < 32 ? riscv_register_name(RISCV_X, number) : "-";
}

/* An effect as text: "a5 = [a0 + 8] 8 signed", "writes 400". */
static const char *text_of(const struct riscv_effect *e)
{
	static char text[100];

	switch (e->kind) {
	case RISCV_WRITES:
		snprintf(text, sizeof(text), "writes %" PRIx32, e->written);
		break;
	case RISCV_SETS:
		snprintf(text, sizeof(text), "%s = %" PRId64, name(e->rd), e->imm);
		break;
	case RISCV_ADDS:
		snprintf(text, sizeof(text), "%s = %s + %" PRId64, name(e->rd),
			 name(e->rs), e->imm);
		break;
	case RISCV_SUMS:
		snprintf(text, sizeof(text), "%s = %s + %s", name(e->rd), name(e->rs),
			 name(e->rt));
		break;
	case RISCV_LOADS:
		snprintf(text, sizeof(text), "%s = [%s + %" PRId64 "] %d%s", name(e->rd),
			 name(e->rs), e->imm, 1 << e->size,
			 e->is_signed ? " signed" : "");
		break;
	case RISCV_STORES:
		snprintf(text, sizeof(text), "[%s + %" PRId64 "] %d = %s", name(e->rs),
			 e->imm, 1 << e->size, name(e->rt));
		break;
	default:
		snprintf(text, sizeof(text), "accesses, writes %" PRIx32, e->written);
	}
	return text;
}

static void check_cpu(uint32_t word, unsigned xlen, bool any_cpu, const char *wanted)
{
	struct riscv_effect effect = riscv_effect(word, xlen, AT, any_cpu);

	if (strcmp(text_of(&effect), wanted) != 0)
		fail_msg("%08" PRIx32 ": \"%s\", not \"%s\"", word, text_of(&effect),
			 wanted);
}

static void check(uint32_t word, unsigned xlen, const char *wanted)
{
	check_cpu(word, xlen, false, wanted);
}

static void integer(void **state)
{
	(void)state;
	check(0xff010113, 64, "sp = sp + -16");	   /* addi sp,sp,-16 */
	check(0x00058513, 64, "a0 = a1 + 0");	   /* mv a0,a1 */
	check(0x00500513, 64, "a0 = 5");	   /* li a0,5 */
	check(0x00b50533, 64, "a0 = a0 + a1");	   /* add a0,a0,a1 */
	check(0x000505b3, 64, "a1 = a0 + 0");	   /* add a1,a0,x0 */
	check(0x00a005b3, 64, "a1 = a0 + 0");	   /* add a1,x0,a0 */
	check(0x000005b3, 64, "a1 = 0");	   /* add a1,x0,x0 */
	check(0x40b50533, 64, "writes 400");	   /* sub a0,a0,a1 */
	check(0x80000537, 64, "a0 = -2147483648"); /* lui a0,0x80000 */
	check(0xfffff517, 64, "a0 = 61440");	   /* auipc a0,-1 */
	check(0xfffe0517, 32, "a0 = -65536");	   /* auipc a0,-32: below 0 */
	check(0x004000ef, 64, "ra = 65540");	   /* jal ra,4 */
	check(0x000580e7, 64, "ra = 65540");	   /* jalr ra,a1 */
	check(0x00008067, 64, "writes 0");	   /* ret */
	check(0x0000051b, 64, "writes 400");	   /* sext.w a0,zero */
	check(0x00000013, 64, "writes 0");	   /* nop */
	check(0x00000037, 64, "writes 0");	   /* lui zero */
	check(0x00000073, 64, "writes 400");	   /* ecall: its answer */
	check(0xc0102573, 64, "writes 400");	   /* rdtime a0 */
	check(0x0000000f, 64, "writes 0");	   /* fence */
	check(0xffffffff, 64, "accesses, writes fffffffe");
}

static void memory(void **state)
{
	(void)state;
	check(0x0005b503, 64, "a0 = [a1 + 0] 8 signed");    /* ld a0,0(a1) */
	check(0xff85e503, 64, "a0 = [a1 + -8] 4");	    /* lwu a0,-8(a1) */
	check(0x00058003, 64, "- = [a1 + 0] 1 signed");	    /* lb zero,0(a1) */
	check(0x0005c503, 32, "a0 = [a1 + 0] 1");	    /* lbu a0,0(a1) */
	check(0xfe113c23, 64, "[sp + -8] 8 = ra");	    /* sd ra,-8(sp) */
	check(0x00051023, 64, "[a0 + 0] 2 = zero");	    /* sh zero,0(a0) */
	check(0x0085b507, 64, "- = [a1 + 8] 8");	    /* fld fa0,8(a1) */
	check(0x00a5a427, 64, "[a1 + 8] 4 = -");	    /* fsw fa0,8(a1) */
	check(0x0005b503, 32, "accesses, writes fffffffe"); /* ld, on RV32 */
	check(0x1005252f, 64, "accesses, writes 400");	    /* lr.w a0,(a0) */
	check(0x00b5202f, 64, "accesses, writes 0");	    /* amoadd.w zero,a1,(a0) */
	check(0x02050407, 64, "accesses, writes 0");	    /* vle8.v v8,(a0) */
	check(0x0e05f457, 64, "writes 100");		    /* vsetvli s0,a1 */
	check(0x0045200f, 64, "accesses, writes 0");	    /* cbo.zero (a0) */
	check(0xce104073, 64, "accesses, writes 0");	    /* sspush ra */
}

static void compressed(void **state)
{
	(void)state;
	check(0x651c, 64, "a5 = [a0 + 8] 8 signed");	/* c.ld a5,8(a0) */
	check(0xe406, 64, "[sp + 8] 8 = ra");		/* c.sdsp ra,8(sp) */
	check(0x852e, 64, "a0 = a1 + 0");		/* c.mv a0,a1 */
	check(0x1141, 64, "sp = sp + -16");		/* c.addi sp,-16 */
	check(0x9302, 64, "ra = 65538");		/* c.jalr t1 */
	check(0x952e, 64, "a0 = a0 + a1");		/* c.add a0,a1 */
	check(0x0005, 64, "writes 0");			/* a hint */
	check(0x6081, 64, "accesses, writes fffffffe"); /* c.sspush, or a hint */
	check(0x0000, 64, "accesses, writes fffffffe"); /* illegal */
	check(0xffff852e, 64, "a0 = a1 + 0"); /* what is behind it does not matter */
}

/* What a CPU that a person chose may understand otherwise. */
static void any_cpu(void **state)
{
	(void)state;
	check(0xb002, 64, "[sp + 32] 8 = -");			  /* c.fsdsp ft0,32(sp) */
	check_cpu(0xb002, 64, true, "accesses, writes fffffffe"); /* with Zcmp */
	check(0x6508, 32, "- = [a0 + 8] 4");			  /* c.flw fa0,8(a0) */
	check_cpu(0x6508, 32, true, "accesses, writes fffffffe"); /* with Zclsd */
	check_cpu(0x6508, 64, true, "a0 = [a0 + 8] 8 signed");
	check(0x02b57553, 64, "writes 0");	       /* fadd.d fa0,fa0,fa1 */
	check_cpu(0x02b57553, 64, true, "writes c00"); /* with Zdinx, RV32's pairs */
	check_cpu(0x0085b507, 64, true, "- = [a1 + 8] 8");
}

/* ---- against the tables -------------------------------------------------- */

static uint32_t random_word(void)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 32);
}

/* The integer registers that the effect says are written. */
static uint32_t written_by(const struct riscv_effect *effect)
{
	switch (effect->kind) {
	case RISCV_WRITES:
	case RISCV_ACCESSES:
		return effect->written;
	case RISCV_STORES:
		return 0;
	default:
		return effect->rd < 32 ? 1u << effect->rd : 0;
	}
}

/* "OFFSET(BASE)" is what the right text of a load or store ends with. */
static void check_place(uint32_t word, unsigned xlen, const struct riscv_effect *effect)
{
	char text[80], wanted[40];
	size_t length;

	snprintf(wanted, sizeof(wanted), "%" PRId64 "(%s)", effect->imm,
		 name(effect->rs));
	riscv_text(word, xlen, RISCV_RIGHT, AT, text, sizeof(text));
	length = strlen(wanted);
	if (strlen(text) < length || strcmp(text + strlen(text) - length, wanted) != 0)
		fail_msg("%08" PRIx32 " is \"%s\", not at %s", word, text, wanted);
}

/* The data's size and sign, by the name: "lhu", "fsd". */
static void check_size(const struct riscv_insn *insn, const struct riscv_effect *effect)
{
	static const char sizes[] = "bhwd";
	const char *mnemonic = insn->name + (*insn->name == 'f');
	const char *size = strchr(sizes, mnemonic[1]);

	assert_non_null(size);
	if (effect->size != size - sizes)
		fail_msg("%s: %d bytes", insn->name, 1 << effect->size);
	if (effect->kind == RISCV_LOADS)
		assert_int_equal(effect->is_signed, *insn->name != 'f' && !mnemonic[2]);
}

static void check_word(uint32_t word, unsigned xlen)
{
	const struct riscv_insn *insn = riscv_decode(word, xlen);
	struct riscv_effect effect = riscv_effect(word, xlen, AT, false);
	struct riscv_registers registers;
	uint32_t wanted;

	if (!insn)
		return;
	riscv_registers(word, xlen, &registers);
	wanted = registers.written[RISCV_X] & ALL;
	if (word == 0x73)
		wanted |= 1u << 10;
	if (written_by(&effect) != wanted)
		fail_msg("%08" PRIx32 " (%s): %s", word, insn->name, text_of(&effect));
	if (effect.kind == RISCV_LOADS || effect.kind == RISCV_STORES) {
		check_place(word, xlen, &effect);
		check_size(insn, &effect);
	}
}

static void check_line(uint32_t match, uint32_t mask)
{
	for (unsigned i = 0; i < 100; i++) {
		uint32_t word = match | (random_word() & ~mask);

		check_word(word, 64);
		check_word(word, 32);
	}
}

static void by_tables(void **state)
{
	(void)state;
#define INSN(name, match, mask, ...) check_line(match, mask);
#include "isa/riscv.def"
	/* Short words are what they stand for, except for the link that they set. */
	for (uint32_t word = 0; word < 0x10000; word++) {
		uint32_t wide = riscv_expand((uint16_t)word, 64);
		struct riscv_effect is, stands_for;
		char text[100];

		if ((word & 3) == 3 || !wide)
			continue;
		is = riscv_effect(word, 64, AT, false);
		stands_for =
			riscv_effect(wide, 64, AT - 2 * ((wide & 0x7f) == 0x67), false);
		strcpy(text, text_of(&is));
		assert_string_equal(text, text_of(&stands_for));
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(integer),    cmocka_unit_test(memory),
	cmocka_unit_test(compressed), cmocka_unit_test(any_cpu),
	cmocka_unit_test(by_tables),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
