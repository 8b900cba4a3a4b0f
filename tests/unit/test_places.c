// SPDX-License-Identifier: GPL-2.0-or-later
/* plugin/core/places: what is wanted at an instruction, and what functions return. */
#include "plugin/core/places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/values.h"
#include "isa/registers.h"
#include "plugin/core/registers.h"
#include "tests/unit/fake/qemu.h"
#include "tests/unit/fake/recording.h"

enum { RA = 1, SP = 2, A0 = 10, FA0 = 42 };

/* The registers: integer ones, then FP. With version 1, as QEMU 7.2's CPU state has them. */
static uint64_t cpu[96];
#if REGISTERS_ANYWHERE
static const char *const names[] = { "ra", "sp", "a0", "fa0", NULL };
static uint64_t given[4][2];
#endif

static void set(uint64_t ra, uint64_t sp, uint64_t a0)
{
	cpu[RA] = ra;
	cpu[SP] = sp;
	cpu[A0] = a0;
	cpu[64 + FA0 - 32] = 0xf0;
	fake_set_state(cpu);
#if REGISTERS_ANYWHERE
	given[0][0] = ra;
	given[1][0] = sp;
	given[2][0] = a0;
	given[3][0] = 0xf0;
	fake_set_registers(names, given);
#endif
}

/* A value at 0x1000 of these items. */
static void start_with(const struct order_item *items, uint32_t n)
{
	struct board *board = recording_open();

	board->values = VALUES_PLACES;
	board->orders.values = 1;
	board->orders.value[0].items = n;
	memcpy(board->orders.value[0].item, items, n * sizeof(*items));
	recording_order(ORDER_VALUE, 0, 0x1000, 0x1001, 0);
	set(0x2004, 0x9000, 5);
	recording_start("riscv64");
	fake_block(0x1000, "444", NULL);
	fake_block(0x2000, "4", NULL);
	fake_block(0x2004, "44", NULL);
}

static void at_entry(void)
{
	static const struct order_item items[] = {
		{ VALUE_REGISTER, 0, A0, 0 },
		{ VALUE_MEMORY, 2, SP, -8 },
		{ VALUE_REGISTER, 0, FA0, 0 },
	};

	start_with(items, 3);
	fake_run(0, 0x1000);
	assert_string_equal(recording_lane(0),
			    "1000+3 1000.0:r10@1 1000.0:m4@1 1000.0:r42@1");
	assert_string_equal(recording_values(0), "5 8ff8 f8f8f8f8 f0");
	assert_int_equal(recording_arena()->value_heads[0].firing, 0);
	/* Memory that is not there. */
	set(0, UINT64_C(1) << 40, 6);
	fake_run(0, 0x1000);
	assert_string_equal(recording_values(0), "5 8ff8 f8f8f8f8 f0 6 f0");
}

static void returned(void)
{
	static const struct order_item items[] = {
		{ VALUE_REGISTER, 0, A0, 0 },
		{ VALUE_RETURNED, 0, A0, 0 },
	};

	start_with(items, 2);
	fake_run(0, 0x2000);
	fake_run(0, 0x1000);
	/* Where it returns to, but not yet. */
	set(0, 0x8000, 7);
	fake_run(0, 0x2004);
	set(0, 0x9000, 8);
	fake_run(0, 0x2004);
	fake_run(0, 0x2004);
	assert_string_equal(recording_lane(0), "2000+1 1000+3 1000.0:r10@1 2004+2 2004+2 "
					       "2004.0:v10@1 2004+2");
	assert_string_equal(recording_values(0), "5 8");
}

/* An instruction that is none, within a block, and one that is left out. */
static void elsewhere(void)
{
	struct board *board = recording_open();

	board->values = VALUES_PLACES;
	board->orders.values = 1;
	board->orders.value[0] =
		(struct order_value){ 1, { { VALUE_REGISTER, 0, A0, 0 } } };
	recording_order(ORDER_VALUE, 0, 0x1002, 0x1003, 0);
	recording_order(ORDER_VALUE, 0, 0x1004, 0x1005, 0);
	recording_order(ORDER_VALUE, 0, 0x2000, 0x2001, 0);
	recording_order(ORDER_VALUE, 0, 0x1000, 0x1001, 7);
	recording_order(ORDER_EXCEPT, 0, 0x2000, 0x2004, 0);
	set(0, 0, 5);
	recording_start("riscv64");
	fake_block(0x1000, "444", NULL);
	fake_block(0x2000, "4", NULL);
	fake_run(0, 0x1000);
	fake_run(0, 0x2000);
	if (REGISTERS_ANYWHERE)
		assert_string_equal(recording_lane(0), "1000+3 1000.1:r10@1 gap");
	else
		assert_string_equal(recording_lane(0), "1000+3 gap");
	assert_int_equal(recording_arena()->header.unseen, REGISTERS_ANYWHERE ? 0 : 1);
}

/* A guest has written to the orders: what makes no sense ends the list of a value. */
static void overwritten(void)
{
	static const struct order_item items[] = {
		{ VALUE_REGISTER, 0, A0, 0 },
		{ VALUE_REGISTER, 0, REGISTERS_MAX, 0 },
		{ VALUE_REGISTER, 0, A0, 0 },
	};

	start_with(items, 3);
	fake_run(0, 0x1000);
	assert_string_equal(recording_lane(0), "1000+3 1000.0:r10@1");
}

APART(at_entry)
APART(returned)
APART(elsewhere)
APART(overwritten)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at_entry),
		cmocka_unit_test(test_returned),
		cmocka_unit_test(test_elsewhere),
		cmocka_unit_test(test_overwritten),
	};

	return cmocka_run_group_tests_name("places", tests, NULL, NULL);
}
