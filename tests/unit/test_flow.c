// SPDX-License-Identifier: GPL-2.0-or-later
/* isa/flow: words as an assembler makes them, texts as QEMU prints them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "isa/flow.h"
#include "isa/riscv.h"

enum { NO_TARGET = 1 }; /* odd: nothing jumps there */

static void test_riscv(void **state)
{
	static const struct {
		uint32_t word;
		unsigned xlen;
		enum flow_kind kind;
		uint64_t target; /* from 0x10000 */
	} cases[] = {
		{ 0x00000013, 64, FLOW_ON, NO_TARGET },		   /* nop */
		{ 0x00000073, 64, FLOW_ON, NO_TARGET },		   /* ecall */
		{ 0xfe0506e3, 64, FLOW_BRANCH, 0xffec },	   /* beqz a0,-20 */
		{ 0x7eb51fe3, 64, FLOW_BRANCH, 0x10ffe },	   /* bne a0,a1,4094 */
		{ 0x80000063, 64, FLOW_BRANCH, 0xf000 },	   /* beqz zero,-4096 */
		{ 0x8000006f, 64, FLOW_JUMP, 0x10000 - 0x100000 }, /* j -1048576 */
		{ 0x7ffff0ef, 64, FLOW_CALL, 0x10fffe },	   /* jal ra,1048574 */
		{ 0x004002ef, 64, FLOW_CALL, 0x10004 },		   /* jal t0,4 */
		{ 0x0040036f, 64, FLOW_JUMP, 0x10004 },		   /* jal t1,4 */
		{ 0x00008067, 64, FLOW_RETURN, NO_TARGET },	   /* ret */
		{ 0x00028067, 64, FLOW_RETURN, NO_TARGET },	   /* jr t0 */
		{ 0x00030067, 64, FLOW_INDIRECT, NO_TARGET },	   /* jr t1 */
		{ 0x000500e7, 64, FLOW_CALL_INDIRECT, NO_TARGET }, /* jalr a0 */
		{ 0xb7fd, 64, FLOW_JUMP, 0xffee },		   /* c.j -18 */
		{ 0xfbfd, 64, FLOW_BRANCH, 0xfff6 },		   /* c.bnez a5,-10 */
		{ 0xc111, 64, FLOW_BRANCH, 0x10004 },		   /* c.beqz a0,4 */
		{ 0x8082, 64, FLOW_RETURN, NO_TARGET },		   /* c.jr ra */
		{ 0x8782, 64, FLOW_INDIRECT, NO_TARGET },	   /* c.jr a5 */
		{ 0x9782, 64, FLOW_CALL_INDIRECT, NO_TARGET },	   /* c.jalr a5 */
		{ 0x2001, 64, FLOW_ON, NO_TARGET },		   /* no instruction */
		{ 0x3ffd, 32, FLOW_CALL, 0xfffe },		   /* c.jal -2, RV32 */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct flow flow = flow_riscv(cases[i].word, cases[i].xlen, 0x10000);
		uint64_t target = flow.has_target ? flow.target : NO_TARGET;

		if (flow.kind != cases[i].kind || target != cases[i].target)
			fail_msg("%08x is %d to %#lx", cases[i].word, flow.kind, target);
	}
	/* Addresses wrap around in 32 bits. */
	assert_int_equal(flow_riscv(0xb7fd, 32, 2).target, 0xfffffff0);
}

/* What the table of instructions says of a word. */
static enum flow_kind kind_in_table(uint32_t word, unsigned xlen)
{
	static const enum flow_kind kinds[RISCV_CLASSES] = {
		[RISCV_BRANCH] = FLOW_BRANCH, [RISCV_JUMP] = FLOW_JUMP,
		[RISCV_CALL] = FLOW_CALL,     [RISCV_CALL_INDIRECT] = FLOW_CALL_INDIRECT,
		[RISCV_RETURN] = FLOW_RETURN, [RISCV_JUMP_INDIRECT] = FLOW_INDIRECT,
	};
	uint32_t whole = (word & 3) == 3 ? word : riscv_expand((uint16_t)word, xlen);
	const struct riscv_insn *insn = riscv_decode(whole ? whole : word, xlen);

	return insn ? kinds[insn->class] : FLOW_ON;
}

static void compare_with_table(uint32_t word)
{
	for (unsigned xlen = 32; xlen <= 64; xlen += 32)
		if (flow_riscv(word, xlen, 0).kind != kind_in_table(word, xlen))
			fail_msg("%08x of RV%u", word, xlen);
}

/* Flow is read by three opcodes, beside the table. */
static void test_riscv_as_table(void **state)
{
	uint32_t word = 1;

	(void)state;
	for (uint32_t i = 0; i < 1 << 16; i++)
		if ((i & 3) != 3)
			compare_with_table(i);
	/* All opcodes with all that tells their instructions apart, and any other bits. */
	for (unsigned opcode = 3; opcode < 0x80; opcode += 4)
		for (unsigned fields = 0; fields < 1 << 13; fields++) {
			word = word * 1664525 + 1013904223;
			compare_with_table((word & 0xfff00000) | fields << 7 | opcode);
		}
}

static void test_aarch64(void **state)
{
	static const struct {
		uint32_t word;
		enum flow_kind kind;
		uint64_t target; /* from 0x10000 */
	} cases[] = {
		{ 0x54000041, FLOW_BRANCH, 0x10008 }, /* b.ne 0x10008 */
		{ 0x54ffffe0, FLOW_BRANCH, 0xfffc },  /* b.eq 0xfffc */
		{ 0x54000050, FLOW_BRANCH, 0x10008 }, /* bc.eq 0x10008 */
		{ 0x17ffffff, FLOW_JUMP, 0xfffc },    /* b 0xfffc */
		{ 0x96000000, FLOW_CALL,
		  0x10000 - 0x8000000 },		       /* bl, as far as it goes */
		{ 0xb4ffffc3, FLOW_BRANCH, 0xfff8 },	       /* cbz x3, 0xfff8 */
		{ 0x35000023, FLOW_BRANCH, 0x10004 },	       /* cbnz w3, 0x10004 */
		{ 0xb7f80043, FLOW_BRANCH, 0x10008 },	       /* tbnz x3, #63, 0x10008 */
		{ 0x36040003, FLOW_BRANCH, 0x10000 - 0x8000 }, /* tbz w3, #0, ... */
		{ 0x74013fc0, FLOW_BRANCH, 0x10000 - 8 },      /* cbgt w30, w1, 0xfff8 */
		{ 0xd61f0220, FLOW_INDIRECT, NO_TARGET },      /* br x17 */
		{ 0xd71f0a11, FLOW_INDIRECT, NO_TARGET },      /* braa x16, x17 */
		{ 0xd63f0060, FLOW_CALL_INDIRECT, NO_TARGET }, /* blr x3 */
		{ 0xd63f0c7f, FLOW_CALL_INDIRECT, NO_TARGET }, /* blrabz x3 */
		{ 0xd73f0861, FLOW_CALL_INDIRECT, NO_TARGET }, /* blraa x3, x1 */
		{ 0xd65f03c0, FLOW_RETURN, NO_TARGET },	       /* ret */
		{ 0xd65f0bff, FLOW_RETURN, NO_TARGET },	       /* retaa */
		{ 0xd69f03e0, FLOW_ON, NO_TARGET },	       /* eret */
		{ 0xd4200020, FLOW_ON, NO_TARGET },	       /* brk 1 */
		{ 0xd5033fdf, FLOW_ON, NO_TARGET },	       /* isb */
		{ 0x8a220020, FLOW_ON, NO_TARGET },	       /* bic x0, x1, x2 */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct flow flow = flow_aarch64(cases[i].word, 0x10000);
		uint64_t target = flow.has_target ? flow.target : NO_TARGET;

		if (flow.kind != cases[i].kind || target != cases[i].target)
			fail_msg("%08x is %d to %#lx", cases[i].word, flow.kind, target);
	}
}

static void test_texts(void **state)
{
	static const struct {
		enum flow_machine machine;
		const char *text;
		enum flow_kind kind;
		uint64_t target;
	} cases[] = {
		{ FLOW_X86, "jne      0x4010a0", FLOW_BRANCH, 0x4010a0 },
		{ FLOW_X86, "jmp      0x4010a0", FLOW_JUMP, 0x4010a0 },
		{ FLOW_X86, "jmpq     *%rax", FLOW_INDIRECT, NO_TARGET },
		{ FLOW_X86, "jmpq     *0x2fe2(%rip)", FLOW_INDIRECT, NO_TARGET },
		{ FLOW_X86, "callq    0x4010a0", FLOW_CALL, 0x4010a0 },
		{ FLOW_X86, "callq    *8(%rax)", FLOW_CALL_INDIRECT, NO_TARGET },
		{ FLOW_X86, "retq     ", FLOW_RETURN, NO_TARGET },
		{ FLOW_X86, "movq     %rax, %rbx", FLOW_ON, NO_TARGET },
		{ FLOW_X86, "bnd jmpq *0x2fe2(%rip)", FLOW_INDIRECT, NO_TARGET },
		{ FLOW_X86, "notrack jmpq *%rax", FLOW_INDIRECT, NO_TARGET },
		{ FLOW_X86, "bnd callq 0x4010a0", FLOW_CALL, 0x4010a0 },
		{ FLOW_X86, "bnd jne 0x4010a0", FLOW_BRANCH, 0x4010a0 },
		{ FLOW_X86, "repz retq ", FLOW_RETURN, NO_TARGET },
		{ FLOW_ARM, "bne      #0x10400", FLOW_BRANCH, 0x10400 },
		{ FLOW_ARM, "bic      r0, r0, #1", FLOW_ON, NO_TARGET },
		{ FLOW_ARM, "bl       #0x10400", FLOW_CALL, 0x10400 },
		{ FLOW_ARM, "blx      r3", FLOW_CALL_INDIRECT, NO_TARGET },
		{ FLOW_ARM, "bx       lr", FLOW_RETURN, NO_TARGET },
		{ FLOW_ARM, "bx       r3", FLOW_INDIRECT, NO_TARGET },
		{ FLOW_ARM, "pop      {r4, pc}", FLOW_RETURN, NO_TARGET },
		{ FLOW_ARM, "ldr      pc, [r3]", FLOW_INDIRECT, NO_TARGET },
		{ FLOW_ARM, "push     {fp, ip, lr, pc}", FLOW_ON, NO_TARGET },
		{ FLOW_ARM, "str      pc, [sp]", FLOW_ON, NO_TARGET },
		{ FLOW_ARM, "cbz      r0, #0x10400", FLOW_BRANCH, 0x10400 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct flow flow = flow_text(cases[i].machine, cases[i].text);
		uint64_t target = flow.has_target ? flow.target : NO_TARGET;

		if (flow.kind != cases[i].kind || target != cases[i].target)
			fail_msg("%s is %d to %#lx", cases[i].text, flow.kind, target);
	}
}

static void test_conditions(void **state)
{
	static const struct {
		const char *text;
		enum flow_kind kind;
		bool conditional;
	} cases[] = {
		{ "bleq #0x10400", FLOW_CALL, true },
		{ "ble #0x10400", FLOW_BRANCH, false },
		{ "bl #0x10400", FLOW_CALL, false },
		{ "blxne r3", FLOW_CALL_INDIRECT, true },
		{ "bxgt lr", FLOW_RETURN, true },
		{ "bx lr", FLOW_RETURN, false },
		{ "popeq {r4, pc}", FLOW_RETURN, true },
		{ "pople.w {r4, pc}", FLOW_RETURN, true },
		{ "ldrls pc, [pc, r3, lsl #2]", FLOW_INDIRECT, true },
		{ "addeq r0, r0, #1", FLOW_ON, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct flow flow = flow_text(FLOW_ARM, cases[i].text);

		if (flow.kind != cases[i].kind ||
		    flow.conditional != cases[i].conditional)
			fail_msg("%s is %d, %d", cases[i].text, flow.kind,
				 flow.conditional);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_riscv),	   cmocka_unit_test(test_riscv_as_table),
	cmocka_unit_test(test_aarch64),	   cmocka_unit_test(test_texts),
	cmocka_unit_test(test_conditions),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
