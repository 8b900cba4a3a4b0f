// SPDX-License-Identifier: GPL-2.0-or-later
/* isa/marker: every marker is found, and nothing that differs from one in a bit. */
#include "isa/marker.h"
#include "waymark.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* One of each ISA, and where in it the bits are that do not make it another instruction. */
static const struct form {
	const char *target;
	enum marker_isa isa;
	unsigned size, id_bit, what_bit;
	uint8_t code[8]; /* point 0 */
} forms[] = {
	{ "riscv64", MARKER_RISCV, 4, 20, 30, { 0x13, 0x20, 0x00, 0x00 } },
	{ "riscv32", MARKER_RISCV, 4, 20, 30, { 0x13, 0x20, 0x00, 0x00 } },
	{ "aarch64", MARKER_AARCH64, 4, 5, 15, { 0x1f, 0x00, 0xea, 0xd2 } },
	{ "x86_64", MARKER_X86, 8, 32, 44, { 0x0f, 0x1f, 0x84, 0, 0, 0, 0x4b, 0x57 } },
	{ "i386", MARKER_X86, 8, 32, 44, { 0x0f, 0x1f, 0x84, 0, 0, 0, 0x4b, 0x57 } },
};
enum { FORMS = sizeof(forms) / sizeof(*forms), ID_BITS = 10, WHAT_BITS = 2 };

static void put_bits(uint8_t *code, unsigned bit, uint32_t value)
{
	for (; value; value >>= 1, bit++)
		if (value & 1)
			code[bit / 8] ^= 1 << bit % 8;
}

static void make(const struct form *form, uint32_t what, uint32_t id, uint8_t code[8])
{
	memcpy(code, form->code, 8);
	put_bits(code, form->what_bit, what);
	put_bits(code, form->id_bit, id);
}

/* As an assembler has them: begin 5, end 1023 and, of RISC-V, where the sign changes. */
static void test_known(void **state)
{
	static const struct {
		enum marker_isa isa;
		unsigned size;
		uint8_t code[8];
		struct marker is;
	} known[] = {
		{ MARKER_RISCV, 4, { 0x13, 0x20, 0x50, 0x40 }, { WM_MARKER_BEGIN, 5 } },
		{ MARKER_RISCV, 4, { 0x13, 0x20, 0xf0, 0x7f }, { WM_MARKER_BEGIN, 1023 } },
		{ MARKER_RISCV, 4, { 0x13, 0x20, 0x00, 0x80 }, { WM_MARKER_END, 0 } },
		{ MARKER_RISCV, 4, { 0x13, 0x20, 0xf0, 0xbf }, { WM_MARKER_END, 1023 } },
		{ MARKER_AARCH64, 4, { 0xbf, 0x80, 0xea, 0xd2 }, { WM_MARKER_BEGIN, 5 } },
		{ MARKER_AARCH64, 4, { 0xff, 0x7f, 0xeb, 0xd2 }, { WM_MARKER_END, 1023 } },
		{ MARKER_X86,
		  8,
		  { 0x0f, 0x1f, 0x84, 0x00, 0x05, 0x10, 0x4b, 0x57 },
		  { WM_MARKER_BEGIN, 5 } },
		{ MARKER_X86,
		  8,
		  { 0x0f, 0x1f, 0x84, 0x00, 0xff, 0x23, 0x4b, 0x57 },
		  { WM_MARKER_END, 1023 } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		struct marker marker;

		assert_true(
			marker_find(known[i].isa, known[i].code, known[i].size, &marker));
		assert_int_equal(marker.what, known[i].is.what);
		assert_int_equal(marker.id, known[i].is.id);
	}
}

static void test_all(void **state)
{
	struct marker marker;
	uint8_t code[8];

	(void)state;
	for (unsigned i = 0; i < FORMS; i++)
		for (uint32_t what = 0; what <= WM_MARKER_END; what++)
			for (uint32_t id = 0; id <= MARKER_ID_MAX; id++) {
				make(&forms[i], what, id, code);
				assert_true(marker_find(forms[i].isa, code, forms[i].size,
							&marker));
				assert_int_equal(marker.what, what);
				assert_int_equal(marker.id, id);
			}
}

static bool is_field(const struct form *form, unsigned bit)
{
	return (bit >= form->id_bit && bit < form->id_bit + ID_BITS) ||
	       (bit >= form->what_bit && bit < form->what_bit + WHAT_BITS);
}

/* A marker with any other bit turned is another instruction. */
static void expect_no_neighbours(const struct form *form, uint32_t what, uint32_t id)
{
	struct marker marker;
	uint8_t code[8];

	for (unsigned bit = 0; bit < 8 * form->size; bit++) {
		if (is_field(form, bit))
			continue;
		make(form, what, id, code);
		put_bits(code, bit, 1);
		assert_false(marker_find(form->isa, code, form->size, &marker));
	}
}

static void test_neighbours(void **state)
{
	(void)state;
	for (unsigned i = 0; i < FORMS; i++)
		for (uint32_t what = 0; what <= WM_MARKER_END; what++)
			for (uint32_t id = 0; id <= MARKER_ID_MAX; id += 33)
				expect_no_neighbours(&forms[i], what, id);
}

/* The fourth kind: of RISC-V, it has the immediate -256. */
static void test_fourth(void **state)
{
	static const uint8_t minus_256[] = { 0x13, 0x20, 0x00, 0xf0 };
	struct marker marker;
	uint8_t code[8];

	(void)state;
	for (unsigned i = 0; i < FORMS; i++)
		for (uint32_t id = 0; id <= MARKER_ID_MAX; id++) {
			make(&forms[i], 3, id, code);
			assert_false(
				marker_find(forms[i].isa, code, forms[i].size, &marker));
		}
	assert_false(marker_find(MARKER_RISCV, minus_256, sizeof(minus_256), &marker));
}

/* What is shorter or longer is another instruction; bytes beyond it are not read. */
static void test_sizes(void **state)
{
	struct marker marker;
	uint8_t code[16] = { 0 };

	(void)state;
	for (unsigned i = 0; i < FORMS; i++)
		for (unsigned size = 0; size <= sizeof(code); size++) {
			make(&forms[i], WM_MARKER_BEGIN, 7, code);
			assert_int_equal(marker_find(forms[i].isa, code, size, &marker),
					 size == forms[i].size);
		}
}

static void test_isa(void **state)
{
	static const char *const others[] = { "arm", "ppc64", "", "x86", "i386x" };
	struct marker marker;
	uint8_t code[8];

	(void)state;
	for (unsigned i = 0; i < FORMS; i++) {
		assert_int_equal(marker_isa(forms[i].target), forms[i].isa);
		make(&forms[i], WM_MARKER_BEGIN, 7, code);
		for (enum marker_isa isa = MARKER_NONE; isa <= MARKER_X86; isa++)
			assert_int_equal(marker_find(isa, code, forms[i].size, &marker),
					 isa == forms[i].isa);
	}
	for (unsigned i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_int_equal(marker_isa(others[i]), MARKER_NONE);
}

/* Wherever it may begin, and not where a byte of it is missing. */
static void test_suspected(void **state)
{
	static const unsigned steps[] = {
		[MARKER_RISCV] = 2, [MARKER_AARCH64] = 4, [MARKER_X86] = 1
	};

	(void)state;
	for (unsigned i = 0; i < FORMS; i++) {
		enum marker_isa isa = forms[i].isa;

		for (unsigned at = 0; at < 24; at += steps[isa]) {
			uint8_t code[32] = { 0 };

			assert_false(marker_suspected(isa, code, sizeof(code)));
			make(&forms[i], WM_MARKER_BEGIN, 7, code + at);
			assert_true(marker_suspected(isa, code, sizeof(code)));
			assert_true(marker_suspected(isa, code, at + forms[i].size));
			assert_false(marker_suspected(isa, code, at + 3));
			assert_false(marker_suspected(MARKER_NONE, code, sizeof(code)));
		}
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_suspected), cmocka_unit_test(test_known),
	cmocka_unit_test(test_all),	  cmocka_unit_test(test_neighbours),
	cmocka_unit_test(test_fourth),	  cmocka_unit_test(test_sizes),
	cmocka_unit_test(test_isa),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
