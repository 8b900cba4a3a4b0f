// SPDX-License-Identifier: GPL-2.0-or-later
/* plugin/core/values and program: what accesses to memory store, and what they do not. */
#include "plugin/core/values.h"

#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/futex.h"
#include "format/values.h"
#include "plugin/core/block_ids.h"
#include "plugin/core/link.h"
#include "plugin/core/steps.h"
#include "tests/unit/fake/qemu.h"
#include "tests/unit/fake/recording.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* A fixed access, one whose address follows, an atomic one, and a base that it wrote. */
static const uint32_t code[] = {
	0x00853783, /* ld a5,8(a0) */
	0x00f53823, /* sd a5,16(a0) */
	0x00b626af, /* amoadd.w a3,a1,(a2) */
	0x0006a683, /* lw a3,0(a3) */
};
static const struct fake_access accesses[] = {
	{ 0, false, 3, 0x2008, { 0x1122334455667788 } },
	{ 1, true, 3, 0x2010, { 0x1122334455667788 } },
	{ 2, false, 2, 0x3000, { 7 } },
	{ 2, true, 2, 0x3000, { 9 } },
	{ 3, false, 2, 0x4000, { 0xfffffffe } },
};

static void start(uint32_t wanted, const char *target)
{
	recording_open()->values = wanted;
	recording_start(target);
}

static void put_block(uint64_t address)
{
	fake_block(address, "4444", code);
	fake_accesses(address, accesses, COUNT(accesses));
}

/* ---- programs ------------------------------------------------------------ */

/* "set 5 -16; load 15 [10+8] 8s lane; forget 2000". */
static const char *program_text(uint64_t address)
{
	static const char *const kinds[] = { "forget", "set",  "add",
					     "sum",    "load", "store" };
	static char text[1000];
	struct span program = recording_program(address);
	struct value_op op;
	uint16_t insn = 0;
	size_t n = 0;

	*text = 0;
	while (value_op_get(&program, &op, &insn)) {
		n += (size_t)sprintf(text + n, "%s%u:%s", n ? "; " : "", insn,
				     kinds[op.kind]);
		if (op.kind == OP_FORGET)
			n += (size_t)sprintf(text + n, " %" PRIx32, op.mask);
		else if (op.kind == OP_SUM)
			n += (size_t)sprintf(text + n, " %u=%u+%u", op.rd, op.rs, op.rt);
		else if (op.kind == OP_SET)
			n += (size_t)sprintf(text + n, " %u=%" PRId64, op.rd, op.imm);
		else if (op.kind == OP_ADD)
			n += (size_t)sprintf(text + n, " %u=%u%+" PRId64, op.rd, op.rs,
					     op.imm);
		else
			n += (size_t)sprintf(text + n, " %u[%u%+" PRId64 "]%u%s%s",
					     op.kind == OP_LOAD ? op.rd : op.rt, op.rs,
					     op.imm, 1u << op.size,
					     op.is_signed ? "s" : "",
					     op.in_lane ? " lane" : "");
	}
	assert_false(program.failed);
	return text;
}

static void programs(void)
{
	static const uint32_t followed[] = {
		0x00001517, /* auipc a0,1 */
		0x00852583, /* lw a1,8(a0): follows from a constant */
		0x00b58633, /* add a2,a1,a1: of what is not known */
		0x00063687, /* fld fa3,0(a2): in the lane; then a2 is known */
		0x01060713, /* addi a4,a2,16 */
		0x00a70733, /* add a4,a4,a0 */
		0x00073023, /* sd zero,0(a4): follows */
		0x40b50533, /* sub a0,a0,a1 */
		0x0005b583, /* ld a1,0(a1): into its own base */
		0x0005b583, /* once more, from there */
		0x008000ef, /* jal ra,8 */
	};

	start(VALUES_ALL, "riscv64");
	put_block(0x1000);
	fake_run(0, 0x1000);
	assert_string_equal(program_text(0x1000),
			    "0:load 15[10+8]8s lane; 1:store 15[10+16]8; "
			    "3:forget 2000; 3:load 13[13+0]4s lane");
	fake_block(0x2000, "44444444444", followed);
	fake_run(0, 0x2000);
	assert_string_equal(program_text(0x2000),
			    "0:set 10=12288; 1:load 11[10+8]4s; 2:sum 12=11+11; "
			    "3:load 32[12+0]8 lane; 4:add 14=12+16; 5:sum 14=14+10; "
			    "6:store 0[14+0]8; 8:load 11[11+0]8s lane; "
			    "9:load 11[11+0]8s lane; 10:set 1=8236; 10:forget 400");
}

/* What is not wanted is not in a program, and what it writes is forgotten. */
static void programs_of_stores(void)
{
	start(VALUES_STORES, "riscv64");
	put_block(0x1000);
	fake_run(0, 0x1000);
	assert_string_equal(program_text(0x1000),
			    "1:forget 8000; 1:store 15[10+16]8 lane; 3:forget 2000");
	assert_string_equal(recording_values(0), "2010 3000");
	assert_string_equal(recording_lane(0), "1000+4 1000.2:s4");
}

static void of_loads(void)
{
	start(VALUES_LOADS, "riscv64");
	put_block(0x1000);
	fake_run(0, 0x1000);
	assert_string_equal(recording_values(0), "2008 3000 4000");
	assert_string_equal(recording_lane(0), "1000+4 1000.2:l4");
}

/* On a CPU that a person chose, words may mean something else: then they fire. */
static void chosen_cpu(void)
{
	static const uint16_t fsdsp[] = { 0xb002 }; /* or cm.push and the like */
	static const struct fake_access stores[] = { { 0, true, 3, 0x2020, { 0 } } };

	setenv("QEMU_CPU", "rv64,v=true", 1);
	start(VALUES_ALL, "riscv64");
	fake_block(0x1000, "2", fsdsp);
	fake_accesses(0x1000, stores, 1);
	put_block(0x2000);
	fake_run(0, 0x1000);
	fake_run(0, 0x2000);
	assert_string_equal(program_text(0x1000), "0:forget fffffffe");
	assert_string_equal(recording_lane(0),
			    "1000+1 1000.0:s8 2000+4 2000.2:l4 2000.2:s4");
}

static void wide_cpu(void)
{
	setenv("QEMU_CPU", "x-rv128", 1);
	start(VALUES_STORES, "riscv64");
	put_block(0x1000);
	fake_run(0, 0x1000);
	assert_string_equal(program_text(0x1000), "");
	assert_string_equal(recording_lane(0), "1000+4 1000.1:s8 1000.2:s4");
}

/* ---- words --------------------------------------------------------------- */

/* Words are in the order of the accesses; ids of firings, behind their words. */
static void in_order(void)
{
	start(VALUES_ALL, "riscv64");
	put_block(0x1000);
	fake_run(0, 0x1000);
	fake_run(0, 0x1000);
	assert_string_equal(recording_values(0),
			    "2008 3000 3000 4000 2008 3000 3000 4000");
	assert_string_equal(recording_lane(0), "1000+4 1000.2:l4 1000.2:s4 "
					       "1000+4 1000.2:l4 1000.2:s4");
	assert_int_equal(recording_arena()->value_heads[0].firing, 0);
	assert_int_equal(recording_arena()->header.values, VALUES_ALL);
}

static void with_data(void)
{
	start(VALUES_ALL | VALUES_DATA, "riscv64");
	put_block(0x1000);
	fake_run(0, 0x1000);
	assert_string_equal(recording_values(0),
			    "2008 1122334455667788 1122334455667788 3000 7 3000 9 "
			    "4000 fffffffe");
}

/* The instruction at which the block was left has not accessed anything. */
static void left_early(void)
{
	start(VALUES_ALL, "riscv64");
	put_block(0x1000);
	fake_run_partly(0, 0x1000, 4);
	fake_run_partly(0, 0x1000, 1);
	assert_string_equal(recording_values(0), "2008 3000 3000");
	assert_string_equal(recording_lane(0), "1000+4 1000.2:l4 1000.2:s4 1000+4");
}

/* Nobody decodes the guest's instructions: each access fires, also of 16 bytes. */
static void of_another_isa(void)
{
	static const struct fake_access all[] = {
		{ 0, false, 0, 0x10, { 1 } },	  { 0, true, 4, 0x20, { 2, 3 } },
		{ 0, false, 2, 0x30, { 4 } },	  { 0, true, 4, 0x40, { 5, 6 } },
		{ 1, true, 1, 0x50, { 0xffff } },
	};

	start(VALUES_ALL | VALUES_DATA, "x86_64");
	fake_block(0x1000, "13", "\x90\x0f\x1f\x00");
	fake_accesses(0x1000, all, COUNT(all));
	fake_run(0, 0x1000);
	assert_string_equal(recording_values(0), "10 1 20 2 3 30 4 40 5 6 50 ffff");
	assert_string_equal(recording_lane(0), "1000+2 1000.0:l1 1000.0:s16 1000.0:l4 "
					       "1000.0:s16 1000.1:s2");
	assert_int_equal(recording_program(0x1000).end - recording_program(0x1000).at, 0);
}

/* A firing is defined once, whoever fires, however often its block is translated. */
static void defined_once(void)
{
	uint32_t ids;

	start(VALUES_ALL, "riscv64");
	fake_thread_begins(1);
	put_block(0x1000);
	fake_run(0, 0x1000);
	ids = block_ids_count();
	fake_run(1, 0x1000);
	put_block(0x1000);
	fake_run(0, 0x1000);
	assert_int_equal(fake_translations(), 2);
	assert_int_equal(block_ids_count(), ids);
	assert_string_equal(recording_lane(1), "1000+4 1000.2:l4 1000.2:s4");
	assert_string_equal(recording_values(1), "2008 3000 3000 4000");
}

/* A callback of a block that the thread has left stores nothing. */
static void stale(void)
{
	start(VALUES_ALL, "riscv64");
	put_block(0x1000);
	fake_block(0x2000, "4", NULL);
	fake_run(0, 0x1000);
	fake_run(0, 0x2000);
	fake_stale(0, 0x1000, &accesses[0]);
	fake_stale(0, 0x1000, &accesses[2]);
	assert_string_equal(recording_lane(0), "1000+4 1000.2:l4 1000.2:s4 2000+1");
	assert_string_equal(recording_values(0), "2008 3000 3000 4000");
}

/* ---- parts of a run ------------------------------------------------------ */

/* What a filter leaves out has no values, and after it there is a gap. */
static void filtered(void)
{
	struct board *board = recording_open();

	board->values = VALUES_ALL;
	recording_map(0x1000, 0x2000, 1);
	recording_order(ORDER_EXCEPT, 1, 4, 12, 0);
	recording_start("riscv64");
	put_block(0x1000);
	fake_run(0, 0x1000);
	fake_run(0, 0x1000);
	fake_stale(0, 0x1000, &accesses[1]);
	assert_string_equal(recording_lane(0), "1000+1 gap 100c+1 1000+1 gap 100c+1");
	assert_string_equal(recording_values(0), "2008 4000 2008 4000");
}

/* Waiting for a window costs no callbacks, and stale ones store nothing after it. */
static void windowed(void)
{
	struct board *board = recording_open();

	board->values = VALUES_ALL;
	board->orders.windows = 1;
	board->orders.window[0].from =
		(struct order_point){ .kind = POINT_MARKER, .value = 5, .times = 1 };
	board->orders.window[0].to =
		(struct order_point){ .kind = POINT_MARKER, .value = 6, .times = 1 };
	recording_start("riscv64");
	put_block(0x1000);
	fake_block(0x3000, "44", ((uint32_t[]){ 0x00100013, 0x00502013 }));
	fake_block(0x4000, "44", ((uint32_t[]){ 0x00100013, 0x00602013 }));
	fake_run(0, 0x1000);
	fake_stale(0, 0x1000, &accesses[0]);
	fake_run(0, 0x3000);
	fake_run(0, 0x1000);
	fake_run(0, 0x4000);
	fake_run(0, 0x1000);
	fake_stale(0, 0x1000, &accesses[2]);
	assert_string_equal(recording_values(0), "2008 3000 3000 4000");
	assert_string_equal(recording_lane(0),
			    "gap 3004+1 1000+4 1000.2:l4 1000.2:s4 4000+1 gap");
}

/* Each instruction is a block, and its accesses are that block's. */
static void precise(void)
{
	struct board *board = recording_open();

	board->values = VALUES_ALL;
	board->precise = 1;
	recording_start("riscv64");
	put_block(0x1000);
	fake_run(0, 0x1000);
	assert_string_equal(recording_lane(0), "1000+1 1004+1 1008+1 1008.0:l4 "
					       "1008.0:s4 100c+1");
	assert_string_equal(recording_values(0), "2008 2010 3000 3000 4000");
}

static void blind_init(const char *target, struct arena_header *header,
		       void (*retranslate)(void))
{
	(void)target, (void)retranslate;
	header->blind = 1;
}

/* Where nobody knows how far a block ran, there are no values. */
static void blind(void)
{
	struct emulation emulation = *recording_emulation();

	emulation.init = blind_init;
	recording_open()->values = VALUES_ALL;
	recording_start_with("riscv64", &emulation);
	put_block(0x1000);
	fake_run(0, 0x1000);
	assert_string_equal(recording_lane(0), "1000+4");
	assert_string_equal(recording_values(0), "");
	assert_int_equal(recording_arena()->header.values, 0);
}

/* The block that a thread entered last, when its firings are behind it in the lane. */
static void last_block(void)
{
	static struct tb_code one = { .address = 0x1008, .bytes = 4 };

	start(VALUES_ALL, "riscv64");
	put_block(0x1000);
	fake_block(0x1008, "4", &code[2]);
	fake_run_partly(0, 0x1000, 4);
	assert_int_equal(link_last_id(0), lane_ring(recording_arena(), 0)[0]);
	one.code = (uint8_t *)&code[2];
	assert_true(steps_is_one(block_ids_table(), &one));
	fake_run(0, 0x1008);
	assert_string_equal(recording_left(), "3:1008");
}

/* ---- rings --------------------------------------------------------------- */

#define LAST_WORD (LANE_LARGE_VALUES - 1)

static void around_the_ring(void)
{
	struct value_head *head;

	start(VALUES_ALL, "riscv64");
	put_block(0x1000);
	head = &recording_arena()->value_heads[0];
	atomic_store(&head->head, LAST_WORD * 8);
	atomic_store(&recording_arena()->value_tails[0].tail, LAST_WORD);
	fake_run(0, 0x1000);
	assert_int_equal(atomic_load(&head->head), 3 * 8);
	assert_int_equal(atomic_load(&head->laps), 1);
	assert_int_equal(lane_values(recording_arena(), 0)[LAST_WORD], 0x2008);
	assert_int_equal(lane_values(recording_arena(), 0)[0], 0x3000);
}

/* Takes what is there as soon as the plugin waits for it. */
static void *take(void *tail)
{
	struct arena_header *header = &recording_arena()->header;

	while (!atomic_load(&header->waiting))
		usleep(100);
	atomic_store((_Atomic uint64_t *)tail, LAST_WORD);
	atomic_fetch_add(&header->room, 1);
	futex_wake_all(&header->room);
	return NULL;
}

/* The guest goes on while as many words wait for the collector, and waits with one more. */
static void waits_beyond(uint64_t words)
{
	_Atomic uint64_t *tail = &recording_arena()->value_tails[0].tail;
	struct value_head *head = &recording_arena()->value_heads[0];
	pthread_t taker;

	put_block(0x1000);
	atomic_store(tail, LAST_WORD + 1 - words);
	atomic_store(&head->head, LAST_WORD * 8);
	fake_run(0, 0x1000);
	assert_int_equal(recording_arena()->header.waiting, 0);
	atomic_store(tail, LAST_WORD - words);
	atomic_store(&head->laps, 0);
	atomic_store(&head->head, LAST_WORD * 8);
	assert_int_equal(pthread_create(&taker, NULL, take, (void *)tail), 0);
	fake_run(0, 0x1000);
	assert_int_equal(pthread_join(taker, NULL), 0);
}

/* With the ring nearly full the guest waits. */
static void waits(void)
{
	start(VALUES_ALL, "riscv64");
	waits_beyond(lane_words(0) - 2 * VALUE_SEGMENT);
	assert_true(link_alive());
}

/* When rings are tight, the guest waits sooner, but not before a block's words fit. */
static void tight(void)
{
	start(VALUES_ALL, "riscv64");
	atomic_store(&slot_board()->backlog, LANE_SEGMENT);
	waits_beyond(4 * VALUE_SEGMENT);
}

/* Of many threads each may hold its share, whatever the collector has seen of them. */
static void crowded(void)
{
	start(VALUES_ALL, "riscv64");
	slot_board()->rings_bytes =
		UINT64_C(2) * 100 * 8 * VALUE_SEGMENT * sizeof(uint64_t);
	atomic_store(&recording_arena()->header.lanes, 100);
	waits_beyond(8 * VALUE_SEGMENT);
}

/* At the end of a segment of ids the position of the values is noted. */
static void marks(void)
{
	const struct value_marks *of;

	start(VALUES_ALL, "riscv64");
	put_block(0x1000);
	of = &recording_arena()->value_marks[0];
	fake_run(0, 0x1000);
	atomic_store(&recording_arena()->heads[0].head, (2 * LANE_SEGMENT - 1) * 4);
	fake_run(0, 0x1000);
	assert_int_equal(of->at[0], 0);
	assert_int_equal(of->at[1], 4);
	atomic_store(&recording_arena()->heads[0].head, (LANE_LARGE_IDS - 1) * 4);
	recording_arena()->tails[0].tail = LANE_LARGE_IDS - 1;
	fake_run(0, 0x1000);
	assert_int_equal(of->at[VALUE_MARKS - 1], 8);
}

/* A thread without a lane stores where nobody reads. */
static void without_a_lane(void)
{
	start(VALUES_ALL, "riscv64");
	put_block(0x1000);
	fake_thread_begins(LANES_MAX);
	fake_run(LANES_MAX, 0x1000);
	assert_int_equal(value_head(LANES_MAX)->head, 4 * 8);
	assert_string_equal(recording_values(0), "");
	assert_int_equal(recording_arena()->header.lost, 1);
}

/* A thread on a used lane goes on behind the words of the one before. */
static void used_lane(void)
{
	start(VALUES_ALL, "riscv64");
	put_block(0x1000);
	fake_run(0, 0x1000);
	fake_thread_ends(0);
	fake_thread_begins(0);
	fake_stale(0, 0x1000, &accesses[0]);
	fake_run(0, 0x1000);
	assert_string_equal(recording_values(0),
			    "2008 3000 3000 4000 2008 3000 3000 4000");
}

/* ---- fork ---------------------------------------------------------------- */

/* Runs in the child: its ids are the parent's, its rings its own. */
static int in_child(bool followed)
{
	values_begin_child();
	if (link_in_child(block_ids_count()) != followed)
		return 1;
	fake_stale(0, 0x1000, &accesses[0]); /* it is in no block yet */
	fake_run(0, 0x1000);
	if (!followed)
		return value_head(0)->head != 4 * 8;
	return !slot_arena()->header.values ||
	       slot_arena()->value_heads[0].head != 4 * 8 ||
	       slot_arena()->heads[0].head != 3 * 4 ||
	       slot_arena()->header.message_head != 0;
}

static void fork_and_run(bool followed)
{
	pid_t child;
	int status;

	start(VALUES_ALL, "riscv64");
	slot_board()->follow = followed;
	put_block(0x1000);
	fake_run(0, 0x1000);
	link_before_fork();
	child = fork();
	assert_true(child >= 0);
	if (!child)
		_exit(in_child(followed));
	link_after_fork();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	fake_run(0, 0x1000);
	assert_string_equal(recording_values(0),
			    "2008 3000 3000 4000 2008 3000 3000 4000");
}

static void followed_child(void)
{
	fork_and_run(true);
}

static void left_child(void)
{
	fork_and_run(false);
}

/* Without any wish for values nothing is registered for them. */
static void none_wanted(void)
{
	start(0, "riscv64");
	put_block(0x1000);
	fake_run(0, 0x1000);
	assert_string_equal(recording_lane(0), "1000+4");
	assert_string_equal(recording_values(0), "");
	assert_string_equal(program_text(0x1000), "");
	assert_int_equal(value_head(0)->block, 0);
}

APART(programs)
APART(programs_of_stores)
APART(of_loads)
APART(chosen_cpu)
APART(wide_cpu)
APART(in_order)
APART(with_data)
APART(left_early)
APART(of_another_isa)
APART(defined_once)
APART(stale)
APART(filtered)
APART(windowed)
APART(precise)
APART(blind)
APART(last_block)
APART(around_the_ring)
APART(waits)
APART(tight)
APART(crowded)
APART(marks)
APART(without_a_lane)
APART(used_lane)
APART(followed_child)
APART(left_child)
APART(none_wanted)

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_programs),	cmocka_unit_test(test_programs_of_stores),
	cmocka_unit_test(test_of_loads),	cmocka_unit_test(test_chosen_cpu),
	cmocka_unit_test(test_wide_cpu),	cmocka_unit_test(test_in_order),
	cmocka_unit_test(test_with_data),	cmocka_unit_test(test_left_early),
	cmocka_unit_test(test_of_another_isa),	cmocka_unit_test(test_defined_once),
	cmocka_unit_test(test_stale),		cmocka_unit_test(test_filtered),
	cmocka_unit_test(test_windowed),	cmocka_unit_test(test_precise),
	cmocka_unit_test(test_blind),		cmocka_unit_test(test_last_block),
	cmocka_unit_test(test_around_the_ring), cmocka_unit_test(test_waits),
	cmocka_unit_test(test_tight),		cmocka_unit_test(test_crowded),
	cmocka_unit_test(test_marks),		cmocka_unit_test(test_without_a_lane),
	cmocka_unit_test(test_used_lane),	cmocka_unit_test(test_followed_child),
	cmocka_unit_test(test_left_child),	cmocka_unit_test(test_none_wanted),
};

int main(void)
{
	return cmocka_run_group_tests(tests, NULL, NULL);
}
