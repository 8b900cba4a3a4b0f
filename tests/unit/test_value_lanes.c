// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * collect/values: whenever the collector looks, each thread's accesses in the file are those
 * that it did. Where the two rings do not fit each other, because the guest has scribbled
 * over them, values end with a reason and the path goes on.
 */
#include "collect/values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "folder.h"
#include "lane_guest.h"

static const char *const path = "lanes.wmk";
static const char out_of_step[] =
	"memory accesses are missing from some point on: they did not fit the path";

static void begin(uint64_t seed, uint32_t wanted, uint64_t last_insns)
{
	struct collector_facts facts = { .memory_bytes = UINT64_C(1) << 28,
					 .last.insns = last_insns };

	value_seed = seed;
	lane_image_begin(&facts, path, wanted);
}

static void run(unsigned thread, unsigned n)
{
	for (; n > 0; n--)
		lane_run(&lane_image.guests[thread]);
}

/* Turns of all threads, of any length. */
static void run_all(unsigned turns)
{
	for (; turns > 0; turns--)
		run(value_any(LANE_GUESTS), value_any(200));
	for (unsigned i = 0; i < LANE_GUESTS; i++)
		lane_publish(&lane_image.guests[i]);
}

static void finish(struct wm_trace *trace)
{
	wm_trace_close(trace);
	lane_image_free();
	unlink(path);
	/* What the file before the last one became: each recording keeps one. */
	unlink("lanes.wmk.old");
}

/* Everything that the guests did is there. */
static void finish_whole(void)
{
	struct wm_trace *trace = lane_image_end();

	for (unsigned i = 0; i < LANE_GUESTS; i++)
		assert_int_equal(lane_check(trace, &lane_image.guests[i], 0),
				 lane_image.guests[i].blocks);
	assert_string_equal(lane_image.rec->out.cut, "");
	finish(trace);
}

/* ---- everything fits -------------------------------------------------------------------- */

static void test_follow(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 4; round++) {
		begin(1 + round, VALUES_ALL | (round & 1 ? VALUES_DATA : 0u), 0);
		lane_image.rec->rings.tight = round & 2;
		run_all(150);
		/* More than one lap of the small lane's words. */
		assert_true(lane_image.guests[2].words > LANE_SMALL_VALUES);
		finish_whole();
	}
}

/* Somebody else needs the memory of all streams. */
static void release_all(void)
{
	const struct threads *threads = &lane_image.image->threads;

	for (uint32_t i = 0; i < threads->n; i++)
		if (threads->at[i].stream)
			chunks_flush_early(&lane_image.rec->chunks, threads->at[i].stream,
					   true);
}

/*
 * Ids with the file's numbers are taken right from the ring: by a stream that gathers them, by its
 * encoder, and when it has lost that. Where loads are an interpreter's fetches, the encoder marks
 * blocks that have some.
 */
static void test_plain(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 4; round++) {
		begin(70 + round, VALUES_ALL | (round & 1 ? VALUES_SITES : 0u), 0);
		lane_image.plain = lane_image.quiet = true;
		for (unsigned i = 0; i < 60; i++) {
			run(i % LANE_GUESTS, 2000 + value_any(1000));
			if (i == 40)
				release_all();
		}
		for (unsigned i = 0; i < LANE_GUESTS; i++)
			lane_publish(&lane_image.guests[i]);
		finish_whole();
	}
}

/* The first chunk that stays is cut in its middle, its values with it. */
static void test_last(void **state)
{
	static const unsigned wishes[] = { 1, 13, 100, 5000, 20000 };

	(void)state;
	for (unsigned i = 0; i < 2 * sizeof(wishes) / sizeof(*wishes); i++) {
		unsigned wish = wishes[i / 2];
		struct wm_trace *trace;

		begin(10 + i, VALUES_ALL | (i & 1 ? VALUES_DATA : 0u), wish);
		run_all(100);
		trace = lane_image_end();
		for (unsigned k = 0; k < LANE_GUESTS; k++) {
			uint64_t blocks = lane_check(trace, &lane_image.guests[k], 0);

			/* No block has more than 12 instructions, few have less. */
			assert_true(blocks >= (wish + 11) / 12);
			assert_true(blocks <= wish / 12 * 3 / 2 + 3);
		}
		finish(trace);
	}
}

/* Threads are killed between any two stores; no access of a block before is lost. */
static void test_killed(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 60; round++) {
		size_t missing[LANE_GUESTS];
		struct wm_trace *trace;

		begin(100 + round, VALUES_ALL | (round & 1 ? VALUES_DATA : 0u), 0);
		for (unsigned i = 0; i < LANE_GUESTS; i++) {
			run(i, value_any(60));
			missing[i] = lane_run_cut(&lane_image.guests[i], true);
		}
		trace = lane_image_end();
		for (unsigned i = 0; i < LANE_GUESTS; i++)
			lane_check(trace, &lane_image.guests[i], missing[i]);
		assert_string_equal(lane_image.rec->out.cut, "");
		finish(trace);
	}
}

/*
 * Others stop the recording while blocks run, which are left early unseen: in the middle of
 * what the collector takes at once, or as what was taken last.
 */
static void test_stopped(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 40; round++) {
		size_t missing[LANE_GUESTS];
		struct wm_trace *trace;

		begin(400 + round, VALUES_ALL | (round & 1 ? VALUES_DATA : 0u), 0);
		for (unsigned i = 0; i < LANE_GUESTS; i++) {
			run(i, value_any(60));
			missing[i] = lane_run_cut(&lane_image.guests[i], false);
			if (round & 2)
				lane_drain();
			lane_gap(&lane_image.guests[i]);
			lane_publish(&lane_image.guests[i]);
		}
		trace = lane_image_end();
		for (unsigned i = 0; i < LANE_GUESTS; i++)
			lane_check(trace, &lane_image.guests[i], missing[i]);
		assert_string_equal(lane_image.rec->out.cut, "");
		finish(trace);
	}
}

/* A thread that is left out from its end on, by its new name, keeps what it did. */
static void test_renamed(void **state)
{
	struct steering_name name = { .is_except = true, .pattern = "gone" };
	struct steering steering = { .names = &name, .n_names = 1 };
	struct collector_facts facts = { .memory_bytes = UINT64_C(1) << 28,
					 .steering = &steering };
	struct wm_trace *trace;

	(void)state;
	value_seed = 300;
	lane_image_begin(&facts, path, VALUES_ALL);
	for (unsigned i = 0; i < LANE_GUESTS; i++) {
		run(i, 20);
		lane_publish(&lane_image.guests[i]);
		lane_thread(MESSAGE_THREAD_END, &lane_image.guests[i], "gone");
	}
	lane_drain();
	trace = lane_image_end();
	for (unsigned i = 0; i < LANE_GUESTS; i++)
		lane_check(trace, &lane_image.guests[i], 0);
	finish(trace);
}

/* ---- what does not fit ------------------------------------------------------------------ */

/* Blocks of the thread's stream that have values, before the first one that has none. */
static uint64_t count_valued(const struct wm_trace *trace, uint32_t stream)
{
	const struct wm_access *accesses;
	struct wm_cursor *cursor;
	struct wm_step step;
	struct wm_error err;
	uint64_t blocks = 0;
	size_t n;

	assert_int_equal(wm_cursor_new(&cursor, trace, stream, &err), 0);
	while (!wm_cursor_next_block(cursor, &step, &err) &&
	       !wm_cursor_accesses(cursor, &accesses, &n, &err))
		blocks++;
	wm_cursor_free(cursor);
	return blocks;
}

/* The path of all is there; values ended, and the file says so. */
static void check_ended(const char *why)
{
	struct wm_stream stream;
	struct wm_summary summary;
	struct wm_trace *trace;

	assert_null(lane_image.image->values.programs);
	run_all(20);
	trace = lane_image_end();
	wm_trace_summary(trace, &summary);
	assert_string_equal(summary.cut, why);
	for (uint32_t i = 0; i < LANE_GUESTS; i++) {
		assert_int_equal(wm_trace_stream(trace, i, &stream), 0);
		assert_int_equal(stream.blocks, lane_image.guests[i].blocks);
		assert_true(count_valued(trace, i) < stream.blocks);
	}
	finish(trace);
}

static void test_marks(void **state)
{
	struct lane_guest *guest = &lane_image.guests[1];

	(void)state;
	begin(20, VALUES_ALL, 0);
	lane_image.quiet = true;
	run(1, 5 * LANE_SEGMENT);
	for (unsigned i = 0; i < 5; i++)
		lane_image.arena->value_marks[guest->vcpu].at[i] ^= 1u << i;
	lane_publish(guest);
	lane_drain();
	check_ended(out_of_step);
}

/* Each of some ways in which ids and words part. */
static void part(unsigned how)
{
	struct lane_guest *guest = &lane_image.guests[0];
	struct value_firing firing = { .insn = 3, .kind = VALUE_LOAD, .size = 3 };

	switch (how) {
	case 0: /* words are missing */
		guest->words -= 40;
		break;
	case 1: /* a firing of another block than the last one */
		lane_put_id(guest, 5);
		lane_put_id(guest, lane_firing(6, &firing));
		guest->blocks++;
		break;
	case 2: /* firings not in the order of instructions */
		lane_put_id(guest, 5);
		lane_put_id(guest, lane_firing(5, &firing));
		firing.insn = 2;
		lane_put_id(guest, lane_firing(5, &firing));
		lane_put_id(guest, 5);
		guest->blocks += 2;
		guest->words += 40;
		break;
	case 3: /* the same, but its words are missing */
		lane_put_id(guest, 5);
		lane_put_id(guest, lane_firing(5, &firing));
		guest->blocks++;
		break;
	}
}

static void test_parted(void **state)
{
	(void)state;
	for (unsigned how = 0; how < 4; how++) {
		begin(30, VALUES_ALL | VALUES_DATA, 0);
		run(0, 100);
		part(how);
		lane_publish(&lane_image.guests[0]);
		lane_drain();
		check_ended(out_of_step);
	}
}

/* A firing where no block was entered. */
static void test_nowhere(void **state)
{
	struct value_firing firing = { .insn = 3, .kind = VALUE_LOAD, .size = 3 };

	(void)state;
	begin(40, VALUES_STORES, 0);
	lane_put_id(&lane_image.guests[2], lane_firing(6, &firing));
	lane_publish(&lane_image.guests[2]);
	lane_drain();
	check_ended(out_of_step);
}

/* A block that fires without end takes no memory without end. */
static void test_endless(void **state)
{
	struct value_firing firing = { .insn = 3, .kind = VALUE_LOAD, .size = 4 };
	struct lane_guest *guest = &lane_image.guests[0];

	(void)state;
	begin(50, VALUES_ALL | VALUES_DATA, 0);
	lane_image.quiet = true;
	run(0, 10);
	lane_put_id(guest, 5);
	guest->blocks++;
	/* More than its program has. */
	guest->words += 3 * VALUE_GUEST_OPS;
	for (unsigned i = 0; i < 400000; i++) {
		guest->words += 3;
		lane_put_id(guest, lane_firing(5, &firing));
		if (i % 1000)
			continue;
		lane_publish(guest);
		lane_drain();
	}
	/* What the guest goes on with begins where its own words end. */
	guest->guest.words.end = guest->words;
	check_ended(output_no_memory);
}

/* ---- what is no value at all ------------------------------------------------------------ */

/* Heads and tails that no writer stores: the path goes on whatever words are taken. */
static void test_scribbled(void **state)
{
	(void)state;
	for (unsigned round = 0; round < 40; round++) {
		struct arena *arena;
		unsigned vcpu;

		begin(60 + round, VALUES_ALL, 0);
		arena = lane_image.arena;
		run_all(3);
		vcpu = lane_image.guests[value_any(LANE_GUESTS)].vcpu;
		if (round & 1)
			atomic_store(&arena->value_heads[vcpu].head,
				     (uint32_t)value_any64());
		else
			atomic_store(&arena->value_tails[vcpu].tail, value_any64());
		lane_drain();
		atomic_store(&arena->value_heads[vcpu].firing, (uint32_t)value_any64());
		for (unsigned i = 0; i < LANE_GUESTS; i++)
			run(i, 30);
		if (!(round & 1))
			assert_string_equal(lane_image.rec->out.cut, output_scribbled);
		finish(lane_image_end());
	}
}

/* Definitions that no plugin sends end the messages; the lanes are emptied on. */
static void test_bad_firings(void **state)
{
	static const struct message_firing bad[] = {
		{ .id = VALUE_GUEST_BLOCKS + 2, .block = 1 },
		{ .id = VALUE_GUEST_BLOCKS + 1, .block = 0 },
		{ .id = VALUE_GUEST_BLOCKS + 1, .block = VALUE_GUEST_BLOCKS + 1 },
		{ .id = VALUE_GUEST_BLOCKS + 1, .block = 1, .insn = VALUE_GUEST_INSNS },
		{ .id = VALUE_GUEST_BLOCKS + 1, .block = 1, .kind = VALUE_KINDS },
		{ .id = VALUE_GUEST_BLOCKS + 1, .block = 1, .size = VALUE_SIZE_MAX + 1 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		begin(200, VALUES_ALL, 0);
		lane_image.quiet = true;
		lane_message(MESSAGE_FIRING, &bad[i], sizeof(bad[i]));
		lane_drain();
		assert_true(lane_image.image->messages_broken);
		assert_string_equal(lane_image.rec->out.cut, output_scribbled);
		finish(lane_image_end());
	}
}

/* Nobody recorded values, so nothing can fire. */
static void test_unwanted(void **state)
{
	struct message_firing firing = { .id = VALUE_GUEST_BLOCKS + 1, .block = 1 };

	(void)state;
	begin(210, 0, 0);
	lane_message(MESSAGE_FIRING, &firing, sizeof(firing));
	lane_drain();
	assert_true(lane_image.image->messages_broken);
	finish(lane_image_end());
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(test_follow),	  cmocka_unit_test(test_plain),
	cmocka_unit_test(test_last),	  cmocka_unit_test(test_killed),
	cmocka_unit_test(test_stopped),	  cmocka_unit_test(test_renamed),
	cmocka_unit_test(test_marks),	  cmocka_unit_test(test_parted),
	cmocka_unit_test(test_nowhere),	  cmocka_unit_test(test_endless),
	cmocka_unit_test(test_scribbled), cmocka_unit_test(test_bad_firings),
	cmocka_unit_test(test_unwanted),
};

int main(void)
{
	return cmocka_run_group_tests_name("value lanes", tests, folder_enter,
					   folder_leave);
}
