// SPDX-License-Identifier: GPL-2.0-or-later
/* isa/registers: names become numbers, and numbers names. */
#include "isa/registers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Every register is found by its own name; how many there are. */
static unsigned count(const char *isa)
{
	unsigned n = 0;

	for (unsigned i = 0; i < 2 * REGISTERS_MAX; i++) {
		const char *name = register_name(isa, i);

		if (!name)
			continue;
		assert_int_equal(register_number(isa, name), i);
		n++;
	}
	return n;
}

static void test_all(void **state)
{
	(void)state;
	assert_int_equal(count("riscv64"), 64 + 27 + 32 + 32 * 15);
	assert_int_equal(count("riscv32"), 64 + 27 + 32 + 32 * 15);
	assert_int_equal(count("aarch64"), 64 + 3 + 17 + 49 * 15);
	assert_int_equal(count("x86_64"), 32 + 3 + 8);
	assert_int_equal(count("m68k"), 0);
}

static void test_other_names(void **state)
{
	(void)state;
	assert_int_equal(register_number("riscv64", "x10"), 10);
	assert_int_equal(register_number("riscv64", "fp"), 8);
	assert_int_equal(register_number("riscv64", "f31"), 63);
	assert_int_equal(register_number("aarch64", "lr"), 30);
	assert_string_equal(register_name("riscv64", 42), "fa0");
	assert_string_equal(register_name("aarch64", 31), "sp");
	assert_string_equal(register_name("x86_64", 47), "xmm15");
}

static void test_none(void **state)
{
	static const char *const wrong[] = { "",    "x",   "x32",   "x01",    "x-1",
					     "f32", "fp0", "a8",    "ft",     "X1",
					     "x1 ", "v32", "v0[0]", "v0[16]", "z0[1]" };

	(void)state;
	for (unsigned i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_int_equal(register_number("riscv64", wrong[i]), -1);
	assert_int_equal(register_number("x86_64", "r16"), -1);
	assert_int_equal(register_number("m68k", "a0"), -1);
}

static void test_sets(void **state)
{
	struct register_set set = { { 0 } };

	(void)state;
	assert_int_equal(register_set_next(&set, 0), REGISTERS_MAX);
	register_set_add(&set, 5);
	register_set_add(&set, 64);
	register_set_add(&set, 127);
	assert_int_equal(register_set_next(&set, 0), 5);
	assert_int_equal(register_set_next(&set, 6), 64);
	assert_int_equal(register_set_next(&set, 65), 127);
	assert_int_equal(register_set_next(&set, REGISTERS_MAX), REGISTERS_MAX);
	assert_true(register_set_has(&set, 64));
	assert_false(register_set_has(&set, 63));
}

static void test_facts(void **state)
{
	(void)state;
	assert_int_equal(register_returned("riscv64"), 10);
	assert_int_equal(register_returned("x86_64"), 0);
	assert_int_equal(register_returned("m68k"), -1);
	assert_int_equal(register_words("riscv64", 40), 1);
	assert_int_equal(register_words("riscv64", REGISTER_VTYPE), 1);
	assert_int_equal(register_words("riscv64", REGISTERS_FIRST_VECTOR), 2);
	assert_int_equal(register_csr(REGISTER_VTYPE), 0xc21);
	assert_int_equal(register_csr((unsigned)register_number("riscv64", "satp")),
			 0x180);
	assert_int_equal(register_csr(REGISTER_MIP), 0x344);
	assert_true(register_is_privileged("riscv64", REGISTER_MIP));
	assert_true(register_is_privileged("riscv64", REGISTERS_FIRST_PRIVILEGED));
	assert_false(register_is_privileged("riscv64", REGISTER_VTYPE));
	assert_false(register_is_privileged("aarch64", REGISTER_MIP));
	assert_false(register_is_compared("riscv64", 63));
	assert_true(register_is_compared("riscv64", REGISTER_FFLAGS));
	assert_true(register_is_compared("aarch64", 0));
	assert_int_equal(register_words("aarch64", 40), 2);
	assert_int_equal(register_words("aarch64", 31), 1);
	assert_int_equal(register_words("aarch64", REGISTER_FPSR), 1);
	assert_int_equal(register_words("aarch64", REGISTER_FFR), 2);
	assert_int_equal(register_words("x86_64", REGISTER_ST0), 2);
	assert_non_null(register_list("aarch64"));
	assert_null(register_list("m68k"));
	assert_non_null(register_omitted("x86_64"));
	assert_null(register_omitted("riscv64"));
}

/* A vector of 256 bits has two numbers. */
static void test_parts(void **state)
{
	unsigned part;

	(void)state;
	assert_int_equal(register_number("riscv64", "v0[1]"), 129);
	assert_int_equal(register_whole("riscv64", 129, &part), REGISTERS_FIRST_VECTOR);
	assert_int_equal(part, 1);
	assert_string_equal(register_name("aarch64", 145), "z1[1]");
	assert_int_equal(register_whole("aarch64", 145, &part), 33);
	assert_int_equal(register_number("aarch64", "p15[1]"),
			 REGISTERS_FIRST_PART + 47 * 16 + 1);
	assert_int_equal(register_whole("aarch64", REGISTERS_MAX - 15, &part),
			 REGISTER_FFR);
	assert_int_equal(part, 1);
	assert_int_equal(register_whole("aarch64", 33, &part), 33);
	assert_int_equal(part, 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_parts),	    cmocka_unit_test(test_all),
	cmocka_unit_test(test_other_names), cmocka_unit_test(test_none),
	cmocka_unit_test(test_sets),	    cmocka_unit_test(test_facts),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
