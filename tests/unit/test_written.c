// SPDX-License-Identifier: GPL-2.0-or-later
/* plugin/core/written and registers: what instructions have written, and when it is read. */
#include "plugin/core/written.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/values.h"
#include "plugin/core/pieces.h"
#include "tests/unit/fake/qemu.h"
#include "tests/unit/fake/recording.h"

static const uint32_t code[] = {
	0x00150513, /* addi a0,a0,1 */
	0x02b5f6d3, /* fadd.d fa3,fa1,fa1 */
	0x00a13023, /* sd a0,0(sp) */
	0x00000013, /* nop: writes x0 */
	0x008000ef, /* jal ra,8 */
};
static const struct fake_access stores[] = { { 2, true, 3, 0x2000, { 0x77 } } };

/* The registers: integer ones, then FP. With version 1, as QEMU 7.2's CPU state has them. */
static uint64_t cpu[96];
#if QEMU_PLUGIN_API >= 2
static const char *const names[] = { "zero", "ra", "sp", "fp", "a0", "fa3", NULL };
static uint64_t values[6][2];
#endif

static void set(uint64_t ra, uint64_t a0, uint64_t fa3)
{
	cpu[1] = ra;
	cpu[10] = a0;
	cpu[64 + 13] = fa3;
	fake_set_state(cpu);
#if QEMU_PLUGIN_API >= 2
	values[1][0] = ra;
	values[4][0] = a0;
	values[5][0] = fa3;
	fake_set_registers(names, values);
#endif
}

static void start(void)
{
	recording_open()->values = VALUES_ALL | VALUES_DATA | VALUES_WRITTEN;
	set(1, 2, 3);
	recording_start("riscv64");
	fake_block(0x1000, "44444", code);
	fake_accesses(0x1000, stores, 1);
}

/* The jump's register is read when the next block begins. */
static void in_order(void)
{
	start();
	fake_run(0, 0x1000);
	assert_string_equal(recording_lane(0), "1000+5 1000.0:w10 1000.1:w45");
	assert_string_equal(recording_values(0), "2 3 2000 77");
	set(0x1014, 5, 6);
	fake_run(0, 0x1000);
	assert_string_equal(recording_lane(0), "1000+5 1000.0:w10 1000.1:w45 1000.4:w1 "
					       "1000+5 1000.0:w10 1000.1:w45");
	assert_string_equal(recording_values(0), "2 3 2000 77 1014 5 6 2000 77");
	assert_int_equal(recording_arena()->value_heads[0].firing, 0);
}

/* What has not completed has written nothing; what ran before it has. */
static void left_early(void)
{
	start();
	fake_run_partly(0, 0x1000, 2);
	pieces_left(0, 0x1004);
	fake_run(0, 0x1000);
	assert_string_equal(recording_lane(0),
			    "1000+5 1000.0:w10 1000+5 1000.0:w10 1000.1:w45");
}

static unsigned read_one(const void *frame, unsigned number, uint64_t words[2])
{
	words[0] = *(const uint64_t *)frame + number;
	return number != 45;
}

#if QEMU_PLUGIN_API >= 2
/* A trap ends what is pending, but for the instruction that raised it. */
static void trapped(void)
{
	start();
	fake_run_partly(0, 0x1000, 2);
	written_trapped(0, 0x1004, true, NULL, NULL);
	assert_string_equal(recording_lane(0), "1000+5 1000.0:w10");
	fake_run(0, 0x1000);
	/* The jump leads to a page that is not there. */
	written_trapped(0, 0x5000, true, NULL, NULL);
	assert_string_equal(recording_lane(0), "1000+5 1000.0:w10 1000+5 1000.0:w10 "
					       "1000.1:w45 1000.4:w1");
	/* An interrupt at a place is no fault of the instruction there. */
	fake_run_partly(0, 0x1000, 1);
	written_trapped(0, 0x1000, false, NULL, NULL);
	assert_string_equal(recording_lane(0), "1000+5 1000.0:w10 1000+5 1000.0:w10 "
					       "1000.1:w45 1000.4:w1 1000+5 1000.0:w10");
}

/* A trap that changes registers: the machine says what they were. */
static void trapped_elsewhere(void)
{
	uint64_t frame = 0x9000;

	start();
	fake_run(0, 0x1000);
	written_trapped(0, 0x2000, false, read_one, &frame);
	assert_string_equal(recording_lane(0), "1000+5 1000.0:w10 1000.1:w45 1000.4:w1");
	assert_string_equal(recording_values(0), "2 3 2000 77 9001");
}
#endif

/* At a handler the registers are those of the signal's frame, as far as they are known. */
static void interrupted(void)
{
	uint64_t frame = 0x9000;

	start();
	fake_run(0, 0x1000);
	written_interrupted(0, read_one, &frame);
	assert_string_equal(recording_lane(0), "1000+5 1000.0:w10 1000.1:w45 1000.4:w1");
	assert_string_equal(recording_values(0), "2 3 2000 77 9001");
	/* Nothing is pending any more. */
	written_interrupted(0, read_one, &frame);
	fake_run_partly(0, 0x1000, 2);
	written_interrupted(0, read_one, &frame);
	assert_string_equal(recording_lane(0), "1000+5 1000.0:w10 1000.1:w45 1000.4:w1 "
					       "1000+5 1000.0:w10");
}

/* A thread's own registers, and only those of the block that it is in. */
static void left_out(void)
{
	struct board *board = recording_open();

	board->values = VALUES_ALL | VALUES_WRITTEN;
	board->orders.has_only = 1;
	recording_order(ORDER_ONLY, 0, 0x1000, 0x1010, 0);
	set(1, 2, 3);
	recording_start("riscv64");
	fake_block(0x1000, "44444", code);
	fake_accesses(0x1000, stores, 1);
	fake_block(0x3000, "44", code);
	fake_run(0, 0x1000);
	fake_run(0, 0x3000);
	fake_run(0, 0x1000);
	assert_string_equal(recording_lane(0),
			    "1000+4 1000.0:w10 1000.1:w45 gap 1000+4 1000.0:w10 "
			    "1000.1:w45 gap");
}

/*
 * Behind the last window other threads' last instructions have still to be asked what they wrote, so
 * code has callbacks; behind a stop it has none.
 */
static void behind_windows(void)
{
	struct board *board = recording_open();
	struct lane_head *lane;

	board->values = VALUES_ALL | VALUES_WRITTEN;
	board->orders.windows = 1;
	board->orders.window[0] = (struct order_window){ .to = { POINT_INSN, 1, 5 } };
	set(1, 2, 3);
	recording_start("riscv64");
	fake_block(0x1000, "44444", code);
	fake_accesses(0x1000, stores, 1);
	for (unsigned i = 0; i < 3; i++)
		fake_run(0, 0x1000);
	assert_false(fake_is_bare(0x1000));
	assert_non_null(strstr(recording_lane(0), "1010.0:w1 gap"));
	atomic_store(&board->orders.wish, WISH_STOP);
	/* It is looked for now and then. */
	lane = &recording_arena()->heads[0];
	lane->executed = lane->next;
	fake_run(0, 0x1000);
	assert_true(fake_is_bare(0x1000));
}

/* Code that is translated again has the ids that it had. */
static void again(void)
{
	start();
	fake_run(0, 0x1000);
	fake_block(0x1000, "44444", code);
	fake_run(0, 0x1000);
	assert_string_equal(recording_lane(0), "1000+5 1000.0:w10 1000.1:w45 1000.4:w1 "
					       "1000+5 1000.0:w10 1000.1:w45");
	assert_int_equal(fake_translations(), 2);
}

#if QEMU_PLUGIN_API >= 2
/* Two instructions of AArch64, which may write x0 and v0, and x1 and x16, x17, x30. */
static const uint32_t other_code[] = {
	0x1e624020, /* fcvt s0, d1 */
	0xd63f0020, /* blr x1 */
};
static const char *const other_names[] = { "x0", "z0", "x30", NULL };
static uint64_t other_values[3][2];

static void change(uint64_t x0, uint64_t low, uint64_t high, uint64_t x30)
{
	other_values[0][0] = x0;
	other_values[1][0] = low;
	other_values[1][1] = high;
	other_values[2][0] = x30;
}

static void start_other(void)
{
	recording_open()->values = VALUES_ALL | VALUES_WRITTEN;
	recording_start("aarch64");
	fake_block(0x1000, "44", other_code);
	fake_block(0x2000, "4", other_code);
	fake_set_registers(other_names, other_values);
}

/* Elsewhere registers are compared: what has another value was written. */
static void compared(void)
{
	start_other();
	change(1, 2, 3, 4);
	fake_run(0, 0x1000);
	change(1, 2, 3, 0x1008);
	fake_run(0, 0x2000);
	assert_string_equal(recording_lane(0), "1000+2 1000.1:w30 2000+1");
	change(5, 2, 4, 0x1008);
	fake_run(0, 0x1000);
	assert_string_equal(recording_lane(0), "1000+2 1000.1:w30 2000+1 2000.0:w0 "
					       "2000.0:w32 1000+2");
	assert_string_equal(recording_values(0), "1008 5 2 4");
}

/* What a call of the kernel changes, no instruction has written. */
static void called(void)
{
	start_other();
	change(1, 2, 3, 4);
	fake_run(0, 0x2000);
	written_called(0);
	change(7, 2, 3, 4);
	fake_run(0, 0x2000);
	assert_string_equal(recording_lane(0), "2000+1 2000+1");
}

APART(compared)
APART(trapped)
APART(trapped_elsewhere)
APART(called)
#endif

APART(in_order)
APART(left_early)
APART(interrupted)
APART(left_out)
APART(again)
APART(behind_windows)

int main(void)
{
	static const struct CMUnitTest tests[] = {
#if QEMU_PLUGIN_API >= 2
		cmocka_unit_test(test_compared),
		cmocka_unit_test(test_trapped),
		cmocka_unit_test(test_trapped_elsewhere),
		cmocka_unit_test(test_called),
#endif
		cmocka_unit_test(test_in_order),
		cmocka_unit_test(test_left_early),
		cmocka_unit_test(test_interrupted),
		cmocka_unit_test(test_left_out),
		cmocka_unit_test(test_again),
		cmocka_unit_test(test_behind_windows),
	};

	return cmocka_run_group_tests_name("written", tests, NULL, NULL);
}
