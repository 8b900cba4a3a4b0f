// SPDX-License-Identifier: GPL-2.0-or-later
/* plugin/core/pieces: how blocks are cut, and what their pieces store when they run. */
#include "plugin/core/pieces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "format/blocks.h"
#include "plugin/core/link.h"
#include "tests/unit/fake/qemu.h"
#include "tests/unit/fake/recording.h"
#include "waymark.h"

#define EXECUTED (lane_heads[0].executed)
#define RECORDED (lane_heads[0].recorded)

/* Nothing is asked for: a block is one piece, and is not counted. */
static void whole_blocks(void)
{
	recording_open();
	recording_start("riscv64");
	fake_block(0x1000, "442", NULL);
	fake_block(0x100a, "4", NULL);
	fake_run(0, 0x1000);
	fake_run(0, 0x100a);
	fake_run(0, 0x1000);
	assert_string_equal(recording_lane(0), "1000+3 100a+1 1000+3");
	assert_int_equal(fake_translations(), 2);
	assert_int_equal(EXECUTED, 0);
}

/* The same code at the same address has the same id; other code has another. */
static void changed_code(void)
{
	static const uint8_t nops[] = { 0x13, 0, 0, 0, 1, 0 };

	recording_open();
	recording_start("riscv64");
	fake_block(0x1000, "42", nops);
	fake_run(0, 0x1000);
	fake_block(0x1000, "42", nops);
	fake_run(0, 0x1000);
	fake_block(0x1000, "24", NULL);
	fake_run(0, 0x1000);
	assert_string_equal(recording_lane(0), "1000+2 1000+2 1000+2");
	assert_int_equal(lane_ring(recording_arena(), 0)[0],
			 lane_ring(recording_arena(), 0)[1]);
	assert_int_not_equal(lane_ring(recording_arena(), 0)[0],
			     lane_ring(recording_arena(), 0)[2]);
}

/* A guest of which the instructions' sizes do not follow from the code. */
static void listed_sizes(void)
{
	recording_open();
	recording_start("x86_64");
	fake_block(0x1000, "13", "\x90\x0f\x1f\x00");
	fake_block(0x2000, "22", "\x66\x90\x66\x90");
	fake_run(0, 0x1000);
	fake_run(0, 0x2000);
	assert_string_equal(recording_lane(0), "1000+2 2000+2");
	assert_int_equal(recording_arena()->header.sizes_rule, SIZES_LISTED);
}

/* --precise: each instruction is a piece; one that did not begin is not recorded. */
static void precise_blocks(void)
{
	recording_open()->precise = 1;
	recording_start("riscv64");
	fake_block(0x1000, "424", NULL);
	fake_run(0, 0x1000);
	fake_run_partly(0, 0x1000, 1);
	assert_string_equal(recording_lane(0), "1000+1 1004+1 1006+1 1000+1");
}

/* Around what QEMU may run alone, so that the lane has what began. */
static void atomics(void)
{
	/* inc (%eax); lock inc (%eax); nop; xchg %eax,(%ebx); xchg %eax,%ebx; ret */
	static const uint8_t code[] = { 0xff, 0x00, 0xf0, 0xff, 0x00, 0x90,
					0x87, 0x03, 0x87, 0xc3, 0xc3 };

	recording_open();
	recording_start("i386");
	fake_block(0x1000, "231221", code);
	fake_block(0x1002, "3", code + 2);
	fake_run(0, 0x1000);
	/* It is left at the first one, which then runs alone. */
	fake_run_partly(0, 0x1000, 2);
	fake_run(0, 0x1002);
	assert_string_equal(recording_lane(0), "1000+1 1002+1 1005+1 1006+1 1008+2 "
					       "1000+1 1002+1 1002+1");
	assert_string_equal(recording_left(), "");
}

/* Filters cut where they begin and end to hold. */
static void filtered(void)
{
	recording_open();
	recording_map(0x1000, 0x2000, 1);
	recording_order(ORDER_EXCEPT, 1, 4, 12, 0);
	recording_start("riscv64");
	fake_block(0x1000, "44444", NULL);
	fake_run(0, 0x1000);
	fake_run(0, 0x1000);
	assert_string_equal(recording_lane(0), "1000+1 gap 100c+2 1000+1 gap 100c+2");
	/* What is recorded without looking is not counted. */
	assert_int_equal(EXECUTED, 4);
	assert_int_equal(RECORDED, 0);
	assert_int_equal(lane_passed(&lane_heads[0]), 4);
}

/* A range in one file leaves the others out, and a gap stands once for all that ran. */
static void only_one_file(void)
{
	recording_open();
	recording_map(0x1000, 0x2000, 1);
	recording_map(0x3000, 0x4000, 2);
	recording_order(ORDER_ONLY, 2, 0, 0x1000, 0);
	recording_order(ORDER_EXCEPT, 2, 8, 12, 0);
	recording_start("riscv64");
	fake_block(0x1000, "44", NULL);
	fake_block(0x3000, "44", NULL);
	fake_block(0x3004, "444", NULL);
	fake_block(0x8000, "2", NULL);
	fake_run(0, 0x1000);
	fake_run(0, 0x8000);
	fake_run(0, 0x3000);
	fake_run(0, 0x3004);
	assert_string_equal(recording_lane(0), "gap 3000+2 3004+1 gap 300c+1");
}

/* waymark_point(5) and waymark_begin(6), as waymark-mark.h has them on RISC-V. */
static const uint32_t marked[] = { 0x00100013, 0x00502013, 0x00200013, 0x40602013 };

/* A block is cut before markers, which are events with their position. */
static void markers(void)
{
	recording_open();
	recording_start("riscv64");
	fake_block(0x1000, "4444", marked);
	fake_run(0, 0x1000);
	assert_string_equal(recording_lane(0), "1000+1 1004+2 100c+1");
	assert_string_equal(recording_events(WM_EVENT_MARKER), "1:0,5 2:1,6");
}

/* What is behind the instruction at which a block was left is not counted. */
static void left_early(void)
{
	recording_open();
	recording_map(0x1000, 0x2000, 1);
	recording_order(ORDER_EXCEPT, 1, 0x800, 0x804, 0);
	recording_start("riscv64");
	fake_block(0x1000, "4244", NULL);
	fake_block(0x1800, "4", NULL);
	recording_arena()->heads[0].next = UINT64_MAX; /* counted, and looks at nothing */
	fake_run(0, 0x1000);
	fake_run(0, 0x1800);
	fake_run(0, 0x1000);
	assert_int_equal(EXECUTED, 1);
	pieces_left(0, 0x1004); /* that block was recorded without counting */
	assert_int_equal(EXECUTED, 1);
}

/* Two threads have lanes of their own. */
static void two_threads(void)
{
	recording_open();
	recording_start("riscv64");
	fake_thread_begins(1);
	fake_block(0x1000, "4", NULL);
	fake_block(0x1004, "4", NULL);
	fake_run(0, 0x1000);
	fake_run(1, 0x1004);
	fake_run(0, 0x1004);
	assert_string_equal(recording_lane(0), "1000+1 1004+1");
	assert_string_equal(recording_lane(1), "1004+1");
	assert_int_equal(recording_arena()->header.lanes, 2);
}

/* At the end of the ring the lane goes on at its beginning. */
static void around_the_ring(void)
{
	struct board *board = recording_open();

	recording_start("riscv64");
	fake_block(0x1000, "4", NULL);
	atomic_store(&recording_arena()->heads[0].head, (LANE_LARGE_IDS - 1) * 4);
	recording_arena()->tails[0].tail = LANE_LARGE_IDS - 1;
	fake_run(0, 0x1000);
	assert_int_equal(atomic_load(&recording_arena()->heads[0].head), 0);
	assert_int_equal(link_position(0), LANE_LARGE_IDS);
	fake_run(0, 0x1000);
	assert_int_equal(link_position(0), LANE_LARGE_IDS + 1);
	assert_int_equal(board->lost, 0);
}

/* The bytes of what was sent: version 1 of the API has garbage behind short instructions. */
static void code_of_blocks(void)
{
	static const uint8_t code[] = { 1, 0, 0x13, 0, 0x50, 0, 1, 0 };
	const struct message_header *header;
	const uint8_t *payload;
	uint64_t at = 0;

	recording_open();
	recording_start("riscv64");
	fake_block(0x1000, "242", code);
	fake_run(0, 0x1000);
	do {
		header = (const void *)(recording_arena()->messages + at);
		at += message_space(header->bytes);
	} while (header->type != MESSAGE_BLOCK);
	payload = (const uint8_t *)(header + 1) + sizeof(struct message_block);
	assert_memory_equal(payload, "\2\4\2", 3);
	assert_memory_equal(payload + 3, code, sizeof(code));
}

APART(whole_blocks)
APART(changed_code)
APART(listed_sizes)
APART(precise_blocks)
APART(atomics)
APART(filtered)
APART(only_one_file)
APART(markers)
APART(left_early)
APART(two_threads)
APART(around_the_ring)
APART(code_of_blocks)

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_whole_blocks),	cmocka_unit_test(test_changed_code),
	cmocka_unit_test(test_listed_sizes),	cmocka_unit_test(test_precise_blocks),
	cmocka_unit_test(test_atomics),		cmocka_unit_test(test_filtered),
	cmocka_unit_test(test_only_one_file),	cmocka_unit_test(test_markers),
	cmocka_unit_test(test_left_early),	cmocka_unit_test(test_two_threads),
	cmocka_unit_test(test_around_the_ring), cmocka_unit_test(test_code_of_blocks),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
