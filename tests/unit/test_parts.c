// SPDX-License-Identifier: GPL-2.0-or-later
/* plugin/system/parts: a machine that is recorded in part. */
#include "plugin/system/parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "plugin/core/link.h"
#include "plugin/core/windows.h"
#include "plugin/system/mappings.h"
#include "plugin/system/system.h"
#include "tests/unit/fake/qemu.h"
#include "tests/unit/fake/recording.h"
#include "waymark.h"

#define START 0x80000000u
#define BLOCK 0x80001000u
#define MOVED 0xc0001000u /* where the block is mapped, too */
#define NOP 0x00000013u

enum { STATE_WORDS = 1024, PC = 600, FIRST_BLOCKS = 8 };

static uint64_t cpu[STATE_WORDS]; /* QEMU's CPU state */
static struct orders *orders;

static void enter_moved(uint64_t block, uint64_t address)
{
	cpu[PC] = address;
	fake_run(0, block);
}

static void enter(uint64_t address)
{
	enter_moved(address, address);
}

static void prepare(void)
{
	orders = &recording_open()->orders;
}

/* The first blocks, of an instruction each, are what the program counter is learnt from. */
static void start(void)
{
	qemu_info_t info = { .target_name = "riscv64", .system.max_vcpus = 1 };

	system_refuses(&info);
	recording_start_with("riscv64", &system_emulation);
	for (size_t i = 1; i < STATE_WORDS; i++)
		cpu[i] = START;
	fake_set_state(cpu);
	for (unsigned i = 0; i < FIRST_BLOCKS; i++) {
		fake_block(START + 16 * i, "4", NULL);
		enter(START + 16 * i);
	}
	fake_block(BLOCK, "44444", NULL);
}

/* What a filter leaves out depends on the address at which code is entered. */
static void filters(void)
{
	prepare();
	orders->has_only = true;
	recording_order(ORDER_ONLY, 0, MOVED + 8, MOVED + 16, 0);
	start();
	enter(BLOCK);
	enter_moved(BLOCK, MOVED);
	enter(BLOCK);
	enter_moved(BLOCK, MOVED);
	assert_string_equal(recording_lane(0), "gap c0001008+2 gap c0001008+2 gap");
}

/* A range that ends inside an instruction ends behind it. */
static void bounds(void)
{
	prepare();
	orders->has_only = true;
	recording_order(ORDER_ONLY, 0, BLOCK + 2, BLOCK + 10, 0);
	start();
	enter(BLOCK);
	assert_string_equal(recording_lane(0), "gap 80001004+2 gap");
}

/* An order about bytes of file number `number` of the machine. */
static void order_in(uint32_t number, enum order_sense sense, uint64_t start,
		     uint64_t end)
{
	uint32_t n = atomic_load(&orders->places);

	orders->by_file = true;
	recording_order(sense, 0, start, end, 0);
	orders->place[n].dev = ORDER_MACHINE;
	orders->place[n].ino = number;
}

static void map(uint32_t space, uint64_t start, uint64_t end, uint32_t number)
{
	link_lock();
	mappings_add(space, start, end, MOVED, number);
	link_unlock();
}

/* So does from which file it is there, until something else is. */
static void files(void)
{
	prepare();
	orders->has_only = true;
	order_in(3, ORDER_ONLY, 8, 16);
	start();
	enter_moved(BLOCK, MOVED);
	map(0, MOVED, MOVED + 0x1000, 3);
	enter(BLOCK);
	enter_moved(BLOCK, MOVED);
	map(0, MOVED, MOVED + 0x10, 7);
	enter_moved(BLOCK, MOVED);
	map(0, MOVED, MOVED + 0x10, 3);
	enter_moved(BLOCK, MOVED);
	assert_string_equal(recording_lane(0), "gap c0001008+2 gap c0001008+2 gap");
}

/* Windows begin and end in a file wherever it is mapped, and nowhere else. */
static void file_points(void)
{
	prepare();
	orders->windows = 1;
	orders->window[0] = (struct order_window){ .from = { POINT_PLACE, 2, 0 },
						   .to = { POINT_PLACE, 3, 0 } };
	order_in(3, ORDER_FROM, 4, 5);
	order_in(3, ORDER_TO, 4, 5);
	start();
	map(0, MOVED, MOVED + 0x1000, 3);
	enter_moved(BLOCK, MOVED);
	enter(BLOCK);
	assert_false(windows_open());
	enter_moved(BLOCK, MOVED);
	assert_true(windows_open());
	enter_moved(BLOCK, MOVED);
	assert_string_equal(recording_lane(0), "gap c0001004+4 c0001000+1 gap");
}

/* What a space has is its child's; the kernel's is everyone's; a space ends. */
static void spaces(void)
{
	const uint64_t above = UINT64_C(0xffffffff80001000);
	struct code_file file;

	prepare();
	order_in(3, ORDER_EXCEPT, 8, 16);
	order_in(4, ORDER_EXCEPT, 8, 16);
	start();
	assert_int_equal(mappings_at(0, 2, MOVED), 0);
	map(2, MOVED, MOVED + 0x3000, 3);
	map(2, MOVED + 0x1000, MOVED + 0x2000, 0);
	map(0, above, above + 0x1000, 4);
	assert_int_equal(mappings_at(0, 0, MOVED), 0);
	assert_int_equal(mappings_at(0, 2, MOVED), 1);
	assert_int_equal(mappings_at(0, 2, MOVED + 0x1000), 0);
	assert_int_equal(mappings_at(0, 2, MOVED + 0x2fff), 1);
	assert_int_equal(mappings_at(0, 2, MOVED + 0x3000), 0);
	assert_int_equal(mappings_at(0, 2, above), 2);
	link_lock();
	file = mappings_file(2);
	mappings_copy(5, 2);
	link_unlock();
	assert_true(file.dev == ORDER_MACHINE && file.ino == 4 && file.distance == MOVED);
	assert_int_equal(mappings_at(0, 5, MOVED), 1);
	link_lock();
	mappings_end(2);
	link_unlock();
	assert_int_equal(mappings_at(0, 2, MOVED), 0);
	assert_int_equal(mappings_at(0, 5, MOVED), 1);
	assert_int_equal(mappings_at(0, 2, above), 2);
}

/* So does whether a window's point is reached, and how often. */
static void points(void)
{
	prepare();
	orders->windows = 1;
	orders->window[0] = (struct order_window){ .from = { POINT_PLACE, 2, 0 },
						   .to = { POINT_PLACE, 1, 0 } };
	recording_order(ORDER_FROM, 0, MOVED + 4, MOVED + 5, 0);
	recording_order(ORDER_TO, 0, BLOCK + 12, BLOCK + 13, 0);
	start();
	enter_moved(BLOCK, MOVED);
	enter(BLOCK);
	assert_false(windows_open());
	enter_moved(BLOCK, MOVED);
	assert_true(windows_open());
	enter(BLOCK);
	assert_string_equal(recording_lane(0), "gap c0001004+2 c000100c+2 80001000+1 "
					       "80001004+2 gap");
	assert_true(fake_is_bare(BLOCK));
}

/* What a block was left at does not count, whether it was recorded or not. */
static void counts(void)
{
	prepare();
	orders->windows = 1;
	orders->window[0] =
		(struct order_window){ .from = { POINT_INSN, 1, FIRST_BLOCKS + 4 },
				       .to = { POINT_INSN, 1, FIRST_BLOCKS + 9 } };
	start();
	cpu[PC] = MOVED;
	fake_run_partly(0, BLOCK, 2);
	fake_discon(0, QEMU_PLUGIN_DISCON_EXCEPTION, MOVED + 4, START);
	assert_string_equal(recording_left(), "");
	cpu[PC] = BLOCK;
	fake_run_partly(0, BLOCK, 4);
	fake_discon(0, QEMU_PLUGIN_DISCON_EXCEPTION, BLOCK + 12, START);
	enter(BLOCK);
	assert_string_equal(recording_lane(0), "gap 80001008+1 8000100c+1 80001000+1 "
					       "80001004+1 80001008+1 gap");
}

/* An access to a device leaves the block, and runs again alone. */
static void devices(void)
{
	static const struct fake_access access = { .address = 0x10000000, .size = 2 };

	prepare();
	orders->windows = 1;
	orders->window[0] = (struct order_window){ .from = { POINT_INSN, 1, 10000 },
						   .to = { POINT_NONE, 0, 0 } };
	start();
	assert_int_equal(windows_code_kind(), CODE_WAITING);
	fake_block(BLOCK + 4, "4", NULL);
	fake_block(BLOCK + 8, "444", NULL);
	enter(BLOCK + 4); /* it is translated, and runs as any other */
	for (unsigned i = 0; i < (10000 - FIRST_BLOCKS) / 5; i++) {
		cpu[PC] = MOVED;
		fake_run_partly(0, BLOCK, 2);
		fake_stale(0, BLOCK + 4, &access);
		enter_moved(BLOCK + 8, MOVED + 8);
	}
	for (unsigned i = 0; i < 2; i++)
		enter(START);
	assert_string_equal(recording_lane(0), "gap 80000000+1");
}

#if QEMU_PLUGIN_API >= 2
/* Of the last one only what is recorded, and of the mode what has changed meanwhile. */
static void modes(void)
{
	static const char *const names[] = { "priv", "mstatus", "mepc", NULL };
	static uint64_t values[][2] = { { 3 }, { 1 << 11 }, { 0x70 } };
	static const uint32_t mret[] = { NOP, 0x30200073 };

	prepare();
	start();
	fake_set_registers(names, values);
	fake_block(BLOCK + 0x100, "44", mret);
	enter(BLOCK + 0x100);
	atomic_store(&orders->wish, WISH_OFF);
	parts_want();
	fake_thread_begins(0);
	for (unsigned i = 0; i < 3; i++) {
		windows_look(0);
		values[1][0] = i == 1 ? 0 : 1 << 11;
		enter(BLOCK + 0x100);
	}
	atomic_store(&orders->wish, WISH_ON);
	windows_look(0);
	enter(BLOCK);
	assert_string_equal(recording_events(WM_EVENT_TRAP_RETURN), "9:112,3,1");
	assert_string_equal(recording_events(WM_EVENT_MODE), "");
	atomic_store(&orders->wish, WISH_OFF);
	windows_look(0);
	values[1][0] = 0;
	enter(BLOCK + 0x100);
	atomic_store(&orders->wish, WISH_ON);
	windows_look(0);
	enter(BLOCK);
	assert_string_equal(recording_events(WM_EVENT_MODE), "12:0");
}
#endif

/* Markers are seen at any address, in a machine that is recorded as a whole. */
static void markers(void)
{
	static const uint32_t code[] = { NOP, 0x40602013, NOP };

	prepare();
	start();
	fake_block(BLOCK + 0x100, "444", code);
	enter_moved(BLOCK + 0x100, MOVED + 0x100);
	assert_string_equal(strstr(recording_lane(0), "c00"), "c0001100+1 c0001104+2");
	assert_string_equal(recording_events(WM_EVENT_MARKER), "9:1,6");
}

APART(filters)
APART(bounds)
APART(points)
APART(files)
APART(file_points)
APART(spaces)
APART(counts)
APART(devices)
#if QEMU_PLUGIN_API >= 2
APART(modes)
#endif
APART(markers)

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_filters), cmocka_unit_test(test_bounds),
	cmocka_unit_test(test_points),	cmocka_unit_test(test_counts),
	cmocka_unit_test(test_files),	cmocka_unit_test(test_file_points),
	cmocka_unit_test(test_spaces),	cmocka_unit_test(test_devices),
#if QEMU_PLUGIN_API >= 2
	cmocka_unit_test(test_modes),
#endif
	cmocka_unit_test(test_markers),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
