// SPDX-License-Identifier: GPL-2.0-or-later
/* plugin/core/steps: blocks that QEMU leaves in order to run one instruction alone. */
#include "plugin/core/steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/fake/qemu.h"
#include "tests/unit/fake/recording.h"

/* An x86 store into the block it is in: QEMU goes on with a block of the store alone. */
static void stores_into_itself(void)
{
	recording_open();
	recording_start("x86_64");
	fake_block(0x1000, "1231", NULL);
	fake_block(0x1003, "3", NULL);
	fake_run_partly(0, 0x1000, 3);
	fake_run(0, 0x1003);
	assert_string_equal(recording_lane(0), "1000+4 1003+1");
	assert_string_equal(recording_left(), "1:1003");
	/* Each time it is entered so. */
	fake_run_partly(0, 0x1000, 3);
	fake_run(0, 0x1003);
	assert_string_equal(recording_left(), "1:1003 3:1003");
}

/* The store is the first instruction of the block. */
static void first_of_block(void)
{
	static const uint8_t code[] = { 0x31, 0xc0, 0x90, 0xc3 };

	recording_open();
	recording_start("x86_64");
	fake_block(0x1000, "211", code);
	fake_run_partly(0, 0x1000, 1);
	fake_block(0x1000, "2", code);
	fake_run(0, 0x1000);
	assert_string_equal(recording_lane(0), "1000+3 1000+1");
	assert_string_equal(recording_left(), "1:1000");
}

/* A block of one instruction that some other block has as its last, or that was changed. */
static void no_step(void)
{
	static const uint8_t other[] = { 0x6f, 0, 0, 0 }; /* a jump */

	recording_open();
	recording_start("riscv64");
	fake_block(0x1000, "444", NULL);
	fake_block(0x1008, "4", NULL);
	fake_block(0x2000, "4", NULL);
	fake_run(0, 0x1000);
	fake_run(0, 0x1008);
	fake_run(0, 0x1000);
	fake_run(0, 0x2000);
	fake_run(0, 0x1000);
	fake_block(0x1000, "4", other);
	fake_run(0, 0x1000);
	assert_string_equal(recording_left(), "");
}

/* The address is in the middle of an instruction of the other block. */
static void between_instructions(void)
{
	recording_open();
	recording_start("riscv64");
	fake_block(0x1000, "444", NULL);
	fake_block(0x1002, "2", NULL);
	fake_run(0, 0x1000);
	fake_run(0, 0x1002);
	assert_string_equal(recording_left(), "");
}

/* The block was entered last by another thread than the first. */
static void second_thread(void)
{
	static const uint8_t code[] = {
		0x13, 0, 0, 0, 0x13, 0, 0x10, 0, 0x13, 0, 0x20, 0
	};

	recording_open();
	recording_start("riscv64");
	fake_thread_begins(1);
	fake_block(0x1000, "444", code);
	fake_block(0x1004, "4", code + 4);
	fake_block(0x2000, "4", NULL);
	fake_run(0, 0x2000);
	fake_run(1, 0x1000);
	fake_run(1, 0x1004);
	assert_string_equal(recording_left(), "1:1004");
}

/* With a piece for each instruction there is nothing to tell. */
static void precise(void)
{
	recording_open()->precise = 1;
	recording_start("riscv64");
	fake_block(0x1000, "444", NULL);
	fake_block(0x1004, "4", NULL);
	fake_run_partly(0, 0x1000, 2);
	fake_run(0, 0x1004);
	assert_string_equal(recording_lane(0), "1000+1 1004+1 1004+1");
	assert_string_equal(recording_left(), "");
}

APART(stores_into_itself)
APART(first_of_block)
APART(no_step)
APART(between_instructions)
APART(second_thread)
APART(precise)

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_stores_into_itself),
	cmocka_unit_test(test_first_of_block),
	cmocka_unit_test(test_no_step),
	cmocka_unit_test(test_between_instructions),
	cmocka_unit_test(test_second_thread),
	cmocka_unit_test(test_precise),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
