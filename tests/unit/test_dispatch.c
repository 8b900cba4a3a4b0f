// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The loads that indirect jumps depend on, in code made by hand: through a table, over
 * branches and jumps, and none where a call or another load is between.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/dispatch.h"

enum {
	LHU_A6_S0 = 0x00045803,	 /* lhu a6, 0(s0) */
	LBU_A6_S0 = 0x00044803,	 /* lbu a6, 0(s0) */
	ANDI_A5_A6 = 0x0ff87793, /* andi a5, a6, 255 */
	SLLI_A5 = 0x00379793,	 /* slli a5, a5, 3 */
	ADD_A5_S4 = 0x014787b3,	 /* add a5, a5, s4 */
	LD_A5_A5 = 0x0007b783,	 /* ld a5, 0(a5) */
	JR_A5 = 0x00078067,	 /* jr a5 */
	JAL_RA_8 = 0x008000ef,	 /* jal ra, .+8 */
	BEQZ_A0_8 = 0x00050463,	 /* beqz a0, .+8 */
	J_BACK_24 = 0xfe9ff06f,	 /* j .-24 */
	NOP = 0x00000013,
};

#define DISPATCH ANDI_A5_A6, SLLI_A5, ADD_A5_S4, LD_A5_A5, JR_A5

/* Bit n: the instruction at offset 4 * n. */
static bool note(void *cookie, uint64_t offset)
{
	*(uint64_t *)cookie |= UINT64_C(1) << offset / 4;
	return true;
}

static uint64_t find(const uint32_t *code, size_t n, unsigned size)
{
	uint64_t found = 0;

	assert_true(dispatch_find((const uint8_t *)code, 4 * n, 64, size, note, &found));
	return found;
}

#define FIND(size, ...)                         \
	find((const uint32_t[]){ __VA_ARGS__ }, \
	     sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4, size)

static void test_in_a_row(void **state)
{
	(void)state;
	assert_int_equal(FIND(2, LHU_A6_S0, DISPATCH), 1);
	assert_int_equal(FIND(1, LHU_A6_S0, DISPATCH), 0);
	assert_int_equal(FIND(1, NOP, LBU_A6_S0, NOP, DISPATCH), 2);
	/* Another load of the same register is not the one. */
	assert_int_equal(FIND(2, LHU_A6_S0, LHU_A6_S0, DISPATCH), 2);
}

static void test_over_branches(void **state)
{
	(void)state;
	assert_int_equal(FIND(2, LHU_A6_S0, BEQZ_A0_8, LHU_A6_S0, DISPATCH), 5);
	/* The second fetch jumps back to the dispatch; what is above its own is not it. */
	assert_int_equal(FIND(2, LHU_A6_S0, DISPATCH, LHU_A6_S0, J_BACK_24), 0x41);
}

static void test_not_over_calls(void **state)
{
	(void)state;
	assert_int_equal(FIND(2, LHU_A6_S0, JAL_RA_8, DISPATCH), 0);
	assert_int_equal(FIND(2, LHU_A6_S0), 0);
	assert_int_equal(FIND(2, JR_A5), 0);
}

/* Cut within an instruction, and any bytes. */
static void test_hostile(void **state)
{
	uint8_t code[64];
	uint64_t found = 0;

	(void)state;
	for (unsigned seed = 0; seed < 256; seed++) {
		memset(code, (int)seed, sizeof(code));
		assert_true(dispatch_find(code, sizeof(code) - seed % 5, 64, 2, note,
					  &found));
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_in_a_row),
	cmocka_unit_test(test_over_branches),
	cmocka_unit_test(test_not_over_calls),
	cmocka_unit_test(test_hostile),
};

int main(void)
{
	return cmocka_run_group_tests_name("dispatch", tests, NULL, NULL);
}
