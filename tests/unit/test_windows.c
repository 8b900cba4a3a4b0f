// SPDX-License-Identifier: GPL-2.0-or-later
/* plugin/core/windows: where recording begins and ends, to the instruction. */
#include "plugin/core/windows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/values.h"
#include "plugin/core/link.h"
#include "plugin/core/pieces.h"
#include "tests/unit/fake/qemu.h"
#include "tests/unit/fake/recording.h"
#include "waymark.h"

#define BLOCK 0x1000

/* A recording with windows, numbered in the order they are added. */
static struct orders *with_window(enum point_kind from, uint64_t from_value,
				  enum point_kind to, uint64_t to_value)
{
	static struct board *board;
	struct orders *orders;

	if (!board)
		board = recording_open();
	orders = &board->orders;
	orders->window[orders->windows++] = (struct order_window){
		.from = { from, 1, from_value },
		.to = { to, 1, to_value },
	};
	return orders;
}

/* Four instructions of 4 bytes, the block of most tests. */
static void start(void)
{
	recording_start("riscv64");
	fake_block(BLOCK, "4444", NULL);
}

static void run(unsigned times)
{
	while (times--)
		fake_run(0, BLOCK);
}

/* ---- numbers of instructions --------------------------------------------- */

static void by_count(void)
{
	with_window(POINT_INSN, 5, POINT_INSN, 8);
	start();
	run(3);
	assert_string_equal(recording_lane(0), "gap 1004+1 1008+1 100c+1 gap");
	assert_string_equal(recording_events(WM_EVENT_WINDOW), "1:1,0,5 4:0,0,5");
	assert_true(fake_is_bare(BLOCK)); /* no window can open any more */
}

/* Far from a bound blocks are counted whole, near it an instruction at a time. */
static void far_bound(void)
{
	with_window(POINT_INSN, 5002, POINT_INSN, 5005);
	start();
	assert_int_equal(windows_code_kind(), CODE_WAITING);
	run(100);
	assert_int_equal(fake_translations(), 1);
	run(1200);
	assert_string_equal(recording_lane(0), "gap 1008+1 100c+1 1000+1 gap");
	assert_string_equal(recording_events(WM_EVENT_WINDOW), "1:1,0,5002 4:0,0,5002");
}

/* Open from the start, and far open: watched code stores whole blocks. */
static void closes_far(void)
{
	struct orders *orders = with_window(POINT_NONE, 0, POINT_INSN, 1 << 20);

	start();
	assert_true(windows_open());
	assert_int_equal(windows_code_kind(), CODE_WATCHED);
	run(2);
	assert_string_equal(recording_lane(0), "1000+4 1000+4");
	assert_int_equal(lane_heads[0].executed, 8);
	assert_int_equal(lane_heads[0].recorded, 8);
	assert_int_equal(orders->windows, 1);
}

/* An instruction that did not begin, because the one before it faulted, does not count. */
static void fault_before_bound(void)
{
	with_window(POINT_INSN, 6, POINT_INSN, 7);
	start();
	fake_run_partly(0, BLOCK, 2);
	run(2);
	assert_string_equal(recording_lane(0), "gap 1000+1 gap");
}

/* The same where whole blocks are counted: the plugin takes the rest back when it is told. */
static void fault_far_from_bound(void)
{
	with_window(POINT_INSN, 100000, POINT_NONE, 0);
	start();
	run(1);
	fake_run_partly(0, BLOCK, 2);
	assert_int_equal(lane_heads[0].executed, 8);
	pieces_left(0, BLOCK + 4);
	assert_int_equal(lane_heads[0].executed, 6);
}

/* Counts are each thread's own; a window is open for all. */
static void by_count_of_another(void)
{
	with_window(POINT_INSN, 6, POINT_NONE, 0);
	start();
	fake_thread_begins(1);
	fake_run(1, BLOCK);
	run(2);
	fake_run(1, BLOCK);
	assert_string_equal(recording_lane(0), "gap 1008+1 100c+1");
	/* Near its own count a thread's instructions are pieces, wherever the window is. */
	assert_string_equal(recording_lane(1), "gap 1000+1 1004+1 1008+1 100c+1");
}

static void most_insns(void)
{
	recording_open()->orders.max_insns = 6;
	start();
	run(3);
	assert_string_equal(recording_lane(0),
			    "1000+1 1004+1 1008+1 100c+1 1000+1 1004+1 gap");
	assert_string_equal(recording_events(WM_EVENT_WINDOW), "6:0,4294967295,0");
	assert_true(fake_is_bare(BLOCK));
}

/* A forked child begins to count anew, with its parent's windows. */
static void in_child(void)
{
	with_window(POINT_INSN, 6, POINT_NONE, 0);
	start();
	run(1);
	windows_begin_child();
	lane_heads[0].executed = lane_heads[0].recorded = lane_heads[0].next = 0;
	run(1);
	assert_false(windows_open());
	run(1);
	assert_true(windows_open());
	assert_string_equal(recording_lane(0), "gap 1008+1 100c+1");
}

/* ---- places -------------------------------------------------------------- */

static void by_place(void)
{
	with_window(POINT_PLACE, 0, POINT_PLACE, 0)->window[0].from.times = 2;
	recording_map(BLOCK, BLOCK + 0x1000, 1);
	recording_order(ORDER_FROM, 1, 4, 5, 0);
	recording_order(ORDER_TO, 1, 12, 13, 0);
	start();
	run(3);
	assert_string_equal(recording_lane(0), "gap 1004+2 gap");
	/* The end was reached once before it opened, which is not what closes it. */
	assert_string_equal(recording_events(WM_EVENT_WINDOW), "1:1,0,5 2:0,0,5");
}

/* Where both are at one instruction, the window that is open closes before one opens. */
static void closes_and_opens(void)
{
	with_window(POINT_NONE, 0, POINT_PLACE, 0);
	with_window(POINT_PLACE, 0, POINT_NONE, 0);
	recording_order(ORDER_TO, 0, BLOCK + 8, BLOCK + 9, 0);
	recording_order(ORDER_FROM, 0, BLOCK + 8, BLOCK + 9, 1);
	start();
	run(1);
	assert_string_equal(recording_lane(0), "1000+2 1008+2");
	assert_string_equal(recording_events(WM_EVENT_WINDOW), "1:0,0,0 1:1,1,0");
}

/* Code is cut for points even where a filter leaves it out. */
static void point_in_filtered_code(void)
{
	with_window(POINT_PLACE, 0, POINT_NONE, 0);
	recording_order(ORDER_FROM, 0, BLOCK + 4, BLOCK + 5, 0);
	recording_order(ORDER_EXCEPT, 0, BLOCK, BLOCK + 8, 0);
	start();
	run(1);
	assert_string_equal(recording_lane(0), "gap 1008+2");
}

/* ---- several threads ------------------------------------------------------ */

/*
 * BLOCK has a point at which thread 0 opens or closes a window. Thread 1 runs what was translated
 * before, the point included, and what is translated only now, until all code is translated again.
 */
static void run_on_in_old_code(void)
{
	start();
	fake_block(0x5000, "44", NULL);
	fake_block(0x6000, "44", NULL);
	fake_thread_begins(1);
	fake_run(1, 0x5000);
	fake_run_on(true);
	run(1);
	fake_run(1, BLOCK);
	fake_run(1, 0x6000);
	fake_run(1, 0x5000);
	fake_run_on(false);
	fake_run(1, 0x6000);
	fake_run(1, BLOCK);
}

/* What thread 1 runs in old code is not recorded, as there would be holes in it. */
static void others_follow_when_it_opens(void)
{
	with_window(POINT_PLACE, 0, POINT_NONE, 0);
	recording_map(BLOCK, BLOCK + 0x1000, 1);
	recording_order(ORDER_FROM, 1, 4, 5, 0);
	run_on_in_old_code();
	assert_string_equal(recording_lane(0), "gap 1004+3");
	assert_string_equal(recording_lane(1), "gap 6000+2 1000+1 1004+3");
}

/* The same when it closes: all of it is recorded. The thread that closes it is in a gap at once. */
static void others_follow_when_it_closes(void)
{
	with_window(POINT_NONE, 0, POINT_PLACE, 0);
	with_window(POINT_PLACE, 1, POINT_NONE, 0)->window[1].from.times = 100;
	recording_map(BLOCK, BLOCK + 0x1000, 1);
	recording_order(ORDER_TO, 1, 4, 5, 0);
	recording_order(ORDER_FROM, 1, 4, 5, 1);
	run_on_in_old_code();
	assert_string_equal(recording_lane(0), "1000+1 gap");
	assert_string_equal(recording_lane(1), "5000+2 1000+1 1004+3 6000+2 5000+2 gap");
}

/* A thread whose window opens while another's change is due follows, too. */
static void two_change_at_once(void)
{
	with_window(POINT_NONE, 0, POINT_PLACE, 0);
	with_window(POINT_PLACE, 1, POINT_NONE, 0);
	recording_map(BLOCK, BLOCK + 0x1000, 1);
	recording_order(ORDER_TO, 1, 4, 5, 0);
	recording_order(ORDER_FROM, 1, 8, 9, 1);
	start();
	fake_block(0x5000, "44", NULL);
	fake_thread_begins(1);
	fake_run_on(true);
	fake_run_partly(0, BLOCK, 2);
	assert_false(windows_open());
	fake_run(1, BLOCK);
	assert_true(windows_open());
	fake_run(1, 0x5000);
	fake_run_on(false);
	fake_run(1, 0x5000);
	run(1);
	assert_string_equal(recording_lane(0), "1000+1 gap 1000+1 1004+1 1008+2");
	assert_string_equal(recording_lane(1), "1000+1 1004+1 1008+2 5000+2 5000+2");
}

/* ---- markers and system calls -------------------------------------------- */

/* begin 3, nop, end 3, nop. */
static const uint32_t marked[] = { 0x40302013, 0x00100013, 0x80302013, 0x00200013 };

static void by_marker(void)
{
	with_window(POINT_MARKER, 3, POINT_MARKER, 3);
	start();
	fake_block(BLOCK, "4444", marked);
	run(2);
	assert_string_equal(recording_lane(0), "1000+2 gap");
	/* Both markers are events: the one that opens the window, and the one that closes. */
	assert_string_equal(recording_events(WM_EVENT_MARKER), "0:1,3 1:2,3");
}

static void by_syscall(void)
{
	with_window(POINT_SYSCALL, 64, POINT_SYSCALL, 93)->window[0].from.times = 2;
	start();
	for (int i = 0; i < 2; i++) {
		run(1);
		windows_reach_syscall(0, 64);
		assert_int_equal(windows_open(), i);
	}
	run(1);
	windows_reach_syscall(0, 93);
	assert_false(windows_open());
	run(1);
	assert_string_equal(recording_lane(0), "gap 1000+4 gap");
}

/* ---- time and wishes ----------------------------------------------------- */

static void by_time(void)
{
	struct orders *orders = with_window(POINT_TIME, 1000, POINT_TIME, UINT64_MAX);

	with_window(POINT_TIME, UINT64_MAX, POINT_NONE, 0);
	orders->begin_ns = 1; /* long ago: the first one's time has come */
	start();
	run(2); /* the block that looks at the clock is not recorded yet */
	assert_string_equal(recording_lane(0), "gap 1000+4");
	assert_string_equal(recording_events(WM_EVENT_WINDOW), "1:1,0,0");
}

static void wishes(void)
{
	struct orders *orders = &recording_open()->orders;

	start();
	run(1);
	atomic_store(&orders->wish, WISH_OFF);
	windows_look(0);
	run(2);
	atomic_store(&orders->wish, WISH_ON);
	windows_look(0);
	run(1);
	assert_string_equal(recording_lane(0), "1000+4 gap 1000+4");
	atomic_store(&orders->wish, WISH_STOP);
	windows_look(0);
	assert_true(fake_is_bare(BLOCK));
	/* No other wish comes after that one. */
	atomic_store(&orders->wish, WISH_ON);
	windows_look(0);
	assert_false(windows_open());
	assert_string_equal(recording_events(WM_EVENT_WINDOW),
			    "1:0,4294967295,0 2:1,4294967295,8 3:0,4294967295,8");
}

/*
 * An order that is met in the last block of a segment takes effect after that block, which may
 * still be left early: then its own end is known, and the gap has none.
 */
static void off_in_block(enum wish wish, bool bare)
{
	struct board *board = recording_open();
	_Atomic uint32_t *ids;

	start();
	ids = &recording_arena()->heads[0].head;
	run(1);
	atomic_store(ids, (LANE_SEGMENT - 1) * 4);
	atomic_store(&board->orders.wish, wish);
	fake_run_partly(0, BLOCK, 2);
	assert_int_equal(atomic_load(ids), LANE_SEGMENT * 4);
	run(1);
	assert_int_equal(atomic_load(ids), (LANE_SEGMENT + 1) * 4);
	run(1);
	assert_int_equal(atomic_load(ids), (LANE_SEGMENT + 1) * 4);
	assert_int_equal(fake_is_bare(BLOCK), bare);
}

static void off_at_end_of_segment(void)
{
	off_in_block(WISH_OFF, false);
}

static void stop_at_end_of_segment(void)
{
	off_in_block(WISH_STOP, true);
}

/* With values recording stops between two blocks, also at the end of a segment of ids. */
static void stops_with_values(void)
{
	static const struct fake_access access = { 0, false, 3, 0x2008, { 0 } };
	static const uint32_t load = 0x00853783; /* ld a5,8(a0) */
	struct board *board = recording_open();
	_Atomic uint32_t *ids, *words;

	board->values = VALUES_ALL;
	recording_start("riscv64");
	fake_block(0x5000, "4", &load);
	fake_accesses(0x5000, &access, 1);
	ids = &recording_arena()->heads[0].head;
	words = &recording_arena()->value_heads[0].head;
	fake_run(0, 0x5000);
	atomic_store(ids, (LANE_SEGMENT - 1) * 4);
	atomic_store(&board->orders.wish, WISH_STOP);
	fake_run(0, 0x5000);
	assert_int_equal(atomic_load(words), sizeof(uint64_t));
	assert_int_equal(atomic_load(ids), LANE_SEGMENT * 4);
	/* The block before which it stops has run, and is counted. */
	assert_int_equal(lane_passed(&recording_arena()->heads[0]), 1);
	fake_run(0, 0x5000);
	assert_int_equal(atomic_load(words), sizeof(uint64_t));
	assert_int_equal(atomic_load(ids), LANE_SEGMENT * 4);
	assert_true(fake_is_bare(0x5000));
}

/* At the end of the last window the process ends, in order. */
static void then_exit(void)
{
	int status = 0;

	with_window(POINT_NONE, 0, POINT_INSN, 2)->then_exit = 1;
	start();
	if (!fork()) {
		run(1);
		_exit(3);
	}
	wait(&status);
	assert_int_equal(status, 0);
	assert_int_equal(atomic_load(&recording_arena()->header.state), ARENA_EXITED);
	assert_string_equal(recording_lane(0), "1000+1 1004+1 gap");
}

APART(by_count)
APART(off_at_end_of_segment)
APART(stop_at_end_of_segment)
APART(far_bound)
APART(closes_far)
APART(fault_before_bound)
APART(fault_far_from_bound)
APART(by_count_of_another)
APART(most_insns)
APART(in_child)
APART(by_place)
APART(closes_and_opens)
APART(point_in_filtered_code)
APART(others_follow_when_it_opens)
APART(others_follow_when_it_closes)
APART(two_change_at_once)
APART(by_marker)
APART(by_syscall)
APART(by_time)
APART(wishes)
APART(stops_with_values)
APART(then_exit)

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_by_count),
	cmocka_unit_test(test_far_bound),
	cmocka_unit_test(test_closes_far),
	cmocka_unit_test(test_fault_before_bound),
	cmocka_unit_test(test_fault_far_from_bound),
	cmocka_unit_test(test_by_count_of_another),
	cmocka_unit_test(test_most_insns),
	cmocka_unit_test(test_in_child),
	cmocka_unit_test(test_by_place),
	cmocka_unit_test(test_closes_and_opens),
	cmocka_unit_test(test_point_in_filtered_code),
	cmocka_unit_test(test_others_follow_when_it_opens),
	cmocka_unit_test(test_others_follow_when_it_closes),
	cmocka_unit_test(test_two_change_at_once),
	cmocka_unit_test(test_by_marker),
	cmocka_unit_test(test_by_syscall),
	cmocka_unit_test(test_by_time),
	cmocka_unit_test(test_wishes),
	cmocka_unit_test(test_off_at_end_of_segment),
	cmocka_unit_test(test_stop_at_end_of_segment),
	cmocka_unit_test(test_stops_with_values),
	cmocka_unit_test(test_then_exit),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
