// SPDX-License-Identifier: GPL-2.0-or-later
/* trace/disassembler: texts as in QEMU's log, whatever was asked for before. */
#include "trace/disassembler.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t two[] = { 2, 2, 2, 2 }, four[] = { 4, 4, 4, 4 };

static void expect(struct disassembler *disassembler, const struct wm_block *block,
		   uint32_t index, const char *text)
{
	char got[128];
	int length = disassembler_text(disassembler, block, index, got, sizeof(got));

	assert_string_equal(got, text);
	assert_int_equal(length, strlen(text));
}

static void test_isas(void **state)
{
	static const struct {
		const char *isa;
		uint8_t size;
		uint8_t code[8];
		const char *text;
	} insns[] = {
		{ "aarch64", 4, { 0x1f, 0x20, 0x03, 0xd5 }, "nop " },
		{ "aarch64", 4, { 0x02, 0x00, 0x00, 0x94 }, "bl #0x1008" },
		{ "aarch64",
		  4,
		  { 0xff, 0xff, 0xff, 0xff },
		  ".byte 0xff, 0xff, 0xff, 0xff" },
		{ "x86_64",
		  4,
		  { 0x48, 0x83, 0xe4, 0xf0 },
		  "andq $0xfffffffffffffff0, %rsp" },
		{ "x86_64", 2, { 0x74, 0x02 }, "je 0x1004" },
		{ "i386", 1, { 0x40 }, "incl %eax" },
		{ "i386", 0, { 0 }, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(insns) / sizeof(*insns); i++) {
		struct wm_block block = { 0x1000, 1, insns[i].size, &insns[i].size,
					  insns[i].code };
		struct disassembler *disassembler = disassembler_new(insns[i].isa);

		assert_non_null(disassembler);
		expect(disassembler, &block, 0, insns[i].text);
		disassembler_free(disassembler);
	}
	assert_null(disassembler_new("riscv64"));
	assert_null(disassembler_new(NULL));
}

static void test_arm(void **state)
{
	static const uint8_t it[] = { 0x06, 0xbf, 0x40, 0x1c, 0x01, 0x30, 0x02, 0x30 };
	static const uint8_t add[] = { 0x40, 0x1c };
	static const uint8_t arm[] = { 0x01, 0x00, 0xa0, 0xe3, 0x1e, 0xff, 0x2f, 0xe1 };
	const struct wm_block group = { 0x1000, 4, 8, two, it };
	const struct wm_block alone = { 0x1000, 1, 2, two, add };
	const struct wm_block other = { 0x1000, 2, 8, four, arm };
	const struct wm_block either = { 0x1004, 1, 4, four, arm + 4 };
	struct disassembler *disassembler = disassembler_new("arm");

	(void)state;
	assert_non_null(disassembler);
	expect(disassembler, &group, 3, "addne r0, #2");
	expect(disassembler, &alone, 0, "adds r0, r0, #1");
	expect(disassembler, &group, 0, "itte eq");
	expect(disassembler, &alone, 0, "adds r0, r0, #1");
	expect(disassembler, &other, 1, "bx lr");
	expect(disassembler, &group, 1, "addeq r0, r0, #1");
	expect(disassembler, &other, 0, "mov r0, #1");
	expect(disassembler, &either, 0, "");
	disassembler_free(disassembler);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_isas),
	cmocka_unit_test(test_arm),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
