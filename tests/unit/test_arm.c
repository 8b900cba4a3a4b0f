// SPDX-License-Identifier: GPL-2.0-or-later
/* isa/arm: ARM or Thumb, by what little there is to go by. */
#include "isa/arm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_sets(void **state)
{
	static const uint8_t mov_w[] = { 0x4f, 0xf0, 0x00, 0x0b, 0x02, 0xbc };
	static const uint8_t bx_lr[] = { 0x1e, 0xff, 0x2f, 0xe1 };
	static const uint8_t mov_r0[] = { 0x00, 0x00, 0xa0, 0xe3 };
	static const uint8_t four_two[] = { 4, 2 };

	(void)state;
	assert_int_equal(arm_set_of(0x1000, four_two, 2, mov_w), ARM_THUMB);
	assert_int_equal(arm_set_of(0x1002, four_two, 1, mov_w), ARM_THUMB);
	assert_int_equal(arm_set_of(0x1000, four_two, 1, mov_w), ARM_EITHER);
	assert_int_equal(arm_set_of(0x1000, four_two, 1, bx_lr), ARM_EITHER);
	assert_int_equal(arm_set_of(0x1000, four_two, 1, mov_r0), ARM_ARM);
}

/* The same four bytes in both sets: the short instruction of Thumb, then the one of ARM. */
static const struct {
	uint8_t code[4];
	const char *thumb, *arm;
} pairs[] = {
	{ { 0x06, 0x46, 0xbd, 0xe8 }, "mov r6, r0", "pop {r1, r2, sb, sl, lr}" },
	{ { 0x06, 0xbc, 0xbd, 0xe8 }, "pop {r1, r2}", "pop {r1, r2, sl, fp, ip, sp, pc}" },
	{ { 0x10, 0xb5, 0x2d, 0xe9 }, "push {r4, lr}", "push {r4, r8, sl, ip, sp, pc}" },
	{ { 0x06, 0xc0, 0xa0, 0xe8 }, "stm r0!, {r1, r2}", "stm r0!, {r1, r2, lr, pc}" },
	{ { 0x10, 0xd8, 0x2d, 0xe9 }, "bhi #0x1020", "push {r4, fp, ip, lr, pc}" },
	{ { 0x02, 0xe0, 0x00, 0xea }, "b #0x1004", "b #0x3900c" },
	{ { 0xff, 0xe7, 0xff, 0xea }, "b #0xffa", "b #0xffffb000" },
	{ { 0x02, 0xd0, 0x00, 0xeb }, "beq #0x1004", "bl #0x3500c" },
	{ { 0x08, 0x0a, 0x30, 0xee }, "lsrs r0, r1, #8", "vadd.f32 s0, s0, s16" },
	{ { 0x00, 0xdf, 0x00, 0xef }, "svc #0", "svc #0xdf00" },
	{ { 0x00, 0x00, 0x00, 0xef }, "movs r0, r0", "svc #0" },
	{ { 0x98, 0x47, 0x00, 0xfa }, "blx r3", "blx #0x12e60" },
	{ { 0x10, 0xd0, 0xd1, 0xf5 }, "beq #0x1020", "pld [r1, #0x10]" },
};

static void test_text(void **state)
{
	static const uint8_t plain[] = { 0x00, 0x00, 0xa0, 0xe3 };

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		if (!arm_text_is_short(pairs[i].thumb, pairs[i].code, 0xffc))
			fail_msg("not short: %s", pairs[i].thumb);
		if (arm_text_is_short(pairs[i].arm, pairs[i].code, 0xffc))
			fail_msg("short: %s", pairs[i].arm);
	}
	/* No half of a wide one follows. */
	assert_false(arm_text_is_short("movs r0, r0", plain, 0xffc));
}

static void test_it(void **state)
{
	static const uint8_t it[] = { 0x98, 0xbf }, itt[] = { 0x04, 0xbf };
	static const uint8_t itte[] = { 0x06, 0xbf }, itttt[] = { 0x01, 0xbf };
	static const uint8_t nop[] = { 0x00, 0xbf }, wide[] = { 0x08, 0xbf, 0x00, 0xf0 };

	(void)state;
	assert_int_equal(arm_it_length(it, 2), 1);
	assert_int_equal(arm_it_length(itt, 2), 2);
	assert_int_equal(arm_it_length(itte, 2), 3);
	assert_int_equal(arm_it_length(itttt, 2), 4);
	assert_int_equal(arm_it_length(nop, 2), 0);
	assert_int_equal(arm_it_length(wide, 4), 0);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_sets),
	cmocka_unit_test(test_text),
	cmocka_unit_test(test_it),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
