// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * collect/route and what uses it: threads that are switched from lane to lane, as a guest's
 * kernel does it. A fake image has two lanes and three threads; whatever the order of the
 * switches, and whenever the collector looks, each thread's stream in the file must be
 * exactly what that thread executed. Messages that cannot be true must be refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "collect/image.h"
#include "collect/live.h"
#include "collect/memory.h"
#include "collect/route.h"
#include "format/records.h"
#include "tests/unit/folder.h"
#include "tests/unit/sample.h"

#define PATH "route.wmk"

enum { LANES = 2, THREADS = 3, KNOWN = 200, RAN_MAX = 1 << 20, BURST = 20000 };

static struct memory memory;
static struct arena *arena;
static struct recording *rec;
static struct image *image;
static uint64_t message_head, position[LANES];

/* The model: which thread is on each lane, and what each thread ran. */
static uint32_t on_lane[LANES];
static uint32_t ran[THREADS][RAN_MAX];
static size_t ran_n[THREADS];

/* ---- the plugin's side --------------------------------------------------- */

static void put_message(enum message_type type, const void *payload, size_t bytes)
{
	uint64_t words[32] = { 0 };
	struct message_header header = { .type = type, .bytes = (uint32_t)bytes };
	size_t padded = message_space(bytes) - sizeof(header);

	assert_true(padded <= sizeof(words));
	memcpy(words, payload, bytes);
	header.check =
		message_check(message_head, type, header.bytes, words_sum(words, padded));
	for (size_t i = 0; i < sizeof(header); i++)
		arena->messages[message_head++ % MESSAGE_RING_BYTES] =
			((const uint8_t *)&header)[i];
	for (size_t i = 0; i < padded; i++)
		arena->messages[message_head++ % MESSAGE_RING_BYTES] =
			((const uint8_t *)words)[i];
	atomic_store(&arena->header.message_head, message_head);
}

/* Block `id`: one instruction of 4 bytes. */
static void put_block(uint32_t id)
{
	struct message_block block = {
		.address = 0x10000 + 16 * id, .id = id, .insns = 1, .bytes = 4
	};
	uint8_t payload[sizeof(block) + 5] = { 0 };

	memcpy(payload, &block, sizeof(block));
	payload[sizeof(block)] = 4;
	payload[sizeof(block) + 1] = 0x13;
	put_message(MESSAGE_BLOCK, payload, sizeof(payload));
}

static void leave_lanes(uint32_t thread)
{
	for (unsigned i = 0; i < LANES; i++)
		if (on_lane[i] == thread)
			on_lane[i] = THREAD_NONE;
}

static void put_thread(enum message_type type, uint32_t vcpu, uint32_t thread)
{
	struct message_thread message = { .position = position[vcpu],
					  .vcpu = vcpu,
					  .tid = 100 + thread,
					  .thread = thread };

	put_message(type, &message, sizeof(message));
	leave_lanes(thread);
	on_lane[vcpu] = type == MESSAGE_THREAD_END ? THREAD_NONE : thread;
}

static void put_route(uint32_t vcpu, uint32_t thread)
{
	struct message_route message = { position[vcpu], 0, vcpu, thread };

	put_message(MESSAGE_ROUTE, &message, sizeof(message));
	on_lane[vcpu] = thread;
}

static bool switches(struct lanes *lanes, uint32_t vcpu, uint64_t at, uint32_t thread)
{
	return route_switch(lanes, &(struct message_route){ at, 0, vcpu, thread });
}

static void publish(uint32_t vcpu)
{
	atomic_store(&arena->heads[vcpu].laps,
		     (uint32_t)(position[vcpu] / lane_ids(vcpu)));
	atomic_store(&arena->heads[vcpu].head,
		     (uint32_t)(position[vcpu] % lane_ids(vcpu) * 4));
}

/* A thread waits for room before its ring is full: a full ring looks like an empty one. */
static void wait_for_room(uint32_t vcpu)
{
	const struct lanes *lanes = &image->lanes;
	uint64_t tail = vcpu < lanes->n ? lanes->at[vcpu].tail : 0;

	if (position[vcpu] - tail < lane_ids(vcpu) / 2)
		return;
	publish(vcpu);
	image_drain(image, rec, DRAIN_ALL);
}

/* n blocks run on a lane, by the thread that is on it. */
static void run(uint32_t vcpu, uint32_t n, uint64_t *seed)
{
	uint32_t *ring = lane_ring(arena, vcpu), thread = on_lane[vcpu];

	for (uint32_t i = 0; i < n; i++) {
		uint32_t id = 1 + (uint32_t)(sample_random(seed) % KNOWN);

		wait_for_room(vcpu);
		ring[position[vcpu]++ % lane_ids(vcpu)] = id;
		if (thread == THREAD_NONE)
			continue;
		assert_true(ran_n[thread] < RAN_MAX);
		ran[thread][ran_n[thread]++] = id;
	}
	publish(vcpu);
}

/* ---- the recording ------------------------------------------------------- */

static int set_up_with(const struct collector_facts *facts)
{
	struct wm_error err;

	if (memory_create(&memory, &err) || !(arena = memory_map(&memory, 0)))
		return -1;
	rec = calloc(1, sizeof(*rec));
	assert_non_null(rec);
	arena->header.magic = ARENA_MAGIC;
	arena->header.sizes_rule = SIZES_LISTED;
	arena->header.parent = SLOT_NONE;
	atomic_store(&arena->header.lanes, LANES);
	message_head = 0;
	memset(position, 0, sizeof(position));
	memset(ran_n, 0, sizeof(ran_n));
	for (unsigned i = 0; i < LANES; i++)
		on_lane[i] = THREAD_NONE;
	if (recording_init(rec, memory.board, PATH, facts, &err))
		return -1;
	recording_begin(rec, facts, memory.board, &arena->header);
	image = image_new(rec, arena, 0, NULL, SPACE_NONE);
	for (uint32_t id = 1; id <= KNOWN; id++)
		put_block(id);
	return !image;
}

static int set_up(void **state)
{
	static const struct collector_facts facts = { .memory_bytes = UINT64_C(1) << 28 };

	(void)state;
	return set_up_with(&facts);
}

static int set_up_machine(void **state)
{
	static const struct collector_facts facts = { .memory_bytes = UINT64_C(1) << 28,
						      .machine = true };

	(void)state;
	return set_up_with(&facts);
}

/* Completes the file. */
static struct wm_trace *finish(void)
{
	struct wm_check check = { .threads = 1 };
	struct wm_trace *trace;
	struct wm_error err;

	image_end(image, rec, 0);
	assert_int_equal(recording_seal(rec, memory.board, NULL, &err), 0);
	assert_int_equal(wm_trace_open(&trace, PATH, &err), 0);
	assert_int_equal(wm_trace_verify(trace, &check, &err), 0);
	return trace;
}

static int tear_down(void **state)
{
	(void)state;
	image_free(image);
	recording_fini(rec);
	free(rec);
	memory_fini(&memory);
	unlink(PATH);
	return 0;
}

/* Stream `index` of the file is what a thread ran, all of it and nothing else. */
static void check_stream(const struct wm_trace *trace, unsigned index, uint32_t thread)
{
	struct wm_cursor *cursor;
	struct wm_error err;
	struct wm_step step;
	const uint32_t *ids;
	size_t n, done = 0;
	int ret;

	assert_int_equal(wm_cursor_new(&cursor, trace, index, &err), 0);
	while (!(ret = wm_cursor_next_run(cursor, &ids, &n, &step, &err))) {
		assert_true(done + n <= ran_n[thread]);
		assert_memory_equal(ids, ran[thread] + done, n * sizeof(*ids));
		done += n;
	}
	assert_int_equal(ret, WM_END);
	assert_int_equal(done, ran_n[thread]);
	wm_cursor_free(cursor);
}

static unsigned count_streams(const struct wm_trace *trace)
{
	struct wm_summary summary;

	wm_trace_summary(trace, &summary);
	return summary.streams;
}

static void check_all(void)
{
	struct wm_trace *trace = finish();

	assert_int_equal(count_streams(trace), THREADS);
	for (uint32_t i = 0; i < THREADS; i++)
		check_stream(trace, i, i);
	assert_string_equal(rec->out.cut, "");
	wm_trace_close(trace);
}

static void begin_threads(void)
{
	put_thread(MESSAGE_THREAD, 0, 0);
	put_thread(MESSAGE_THREAD, 1, 1);
	put_thread(MESSAGE_THREAD, 0, 2); /* the first one is on no lane now */
}

static bool is_on_a_lane(uint32_t thread)
{
	for (unsigned i = 0; i < LANES; i++)
		if (on_lane[i] == thread)
			return true;
	return false;
}

/* ---- tests --------------------------------------------------------------- */

/* The worked example of collect/route.c. */
static void test_example(void **state)
{
	uint64_t seed = 1;

	(void)state;
	begin_threads();
	put_route(0, 0);
	run(0, 4, &seed);
	run(1, 2, &seed);
	put_route(0, 2);
	put_route(1, THREAD_NONE);
	run(1, 1, &seed);
	run(0, 3, &seed);
	put_route(1, 0);
	run(1, 3, &seed);
	/* All of it is taken at once: messages and positions alone give the order. */
	assert_true(image_drain(image, rec, DRAIN_ALL));
	assert_int_equal(ran_n[0], 7);
	assert_int_equal(ran_n[1], 2);
	assert_int_equal(ran_n[2], 3);
	check_all();
}

/* Any switches in any order, with the collector looking at any time. */
static void test_random(void **state)
{
	uint64_t seed = 7;

	(void)state;
	begin_threads();
	for (unsigned i = 0; i < 4000; i++) {
		uint32_t vcpu = (uint32_t)(sample_random(&seed) % LANES);
		uint32_t thread = (uint32_t)(sample_random(&seed) % (THREADS + 1));

		run(vcpu, (uint32_t)(sample_random(&seed) % 300), &seed);
		if (thread == THREADS)
			put_route(vcpu, THREAD_NONE);
		else if (!is_on_a_lane(thread) || on_lane[vcpu] == thread)
			put_route(vcpu, thread);
		if (sample_random(&seed) % 32 == 0)
			image_drain(image, rec, DRAIN_ALL);
	}
	image_drain(image, rec, DRAIN_MUCH);
	check_all();
}

/* Encoders belong to streams: one that moves from lane to lane keeps its own. */
static void test_encoder(void **state)
{
	const struct encoder *encoder;
	uint64_t seed = 3;

	(void)state;
	if (STREAM_CHUNK_BLOCKS < 2 * BURST)
		skip(); /* a build with small buffers: chunks end before they get one */
	begin_threads();
	run(1, BURST, &seed);
	run(1, BURST, &seed);
	image_drain(image, rec, DRAIN_ALL);
	encoder = image->threads.at[1].stream->encoder;
	assert_non_null(encoder);
	for (unsigned i = 0; i < 6; i++) {
		uint32_t to = i % 2, from = 1 - to;

		put_route(from, THREAD_NONE);
		put_route(to, 1);
		run(to, BURST / 100, &seed);
		image_drain(image, rec, DRAIN_ALL);
		assert_ptr_equal(image->threads.at[1].stream->encoder, encoder);
		assert_null(image->threads.at[0].stream->encoder);
		assert_null(image->threads.at[2].stream->encoder);
	}
	check_all();
}

/* A thread that ends on another lane than it began on; its number is used again. */
static void test_end(void **state)
{
	struct wm_trace *trace;
	uint64_t seed = 5;

	(void)state;
	begin_threads();
	put_route(0, 0);
	run(0, 10, &seed);
	run(1, 20, &seed);
	put_route(0, 2);
	put_route(1, 0);
	run(1, 30, &seed);
	put_thread(MESSAGE_THREAD_END, 1, 0);
	run(1, 5, &seed); /* nobody's */
	image_drain(image, rec, DRAIN_ALL);
	assert_false(image->threads.at[0].begun);
	assert_int_equal(image->threads.at[0].lane, LANE_NONE);
	assert_int_equal(image->lanes.at[1].route, THREAD_NONE);
	put_thread(MESSAGE_THREAD, 1, 0);
	run(1, 7, &seed);
	trace = finish();
	assert_int_equal(count_streams(trace), 4);
	/* The fourth stream has what the number's second thread ran. */
	memcpy(ran[1], ran[0] + 40, 7 * sizeof(uint32_t));
	ran_n[1] = 7;
	check_stream(trace, 3, 1);
	ran_n[0] = 40;
	check_stream(trace, 0, 0);
	wm_trace_close(trace);
}

/* What cannot be true is refused, and changes nothing. */
static void test_lies(void **state)
{
	struct lanes *lanes = &image->lanes;
	uint64_t seed = 9;

	(void)state;
	begin_threads();
	put_route(0, THREAD_NONE);
	put_route(0, 0);
	run(0, 50, &seed);
	run(1, 60, &seed);
	image_drain(image, rec, DRAIN_ALL);
	run(1, 5, &seed);
	assert_false(switches(lanes, LANES_MAX, 0, 2));	 /* no such lane */
	assert_false(switches(lanes, LANE_NONE, 0, 2));	 /* nor this */
	assert_false(switches(lanes, 1, 59, 2));	 /* was taken for 1 */
	assert_false(switches(lanes, 1, 66, 2));	 /* was not run yet */
	assert_false(switches(lanes, 1, UINT64_MAX, 2)); /* nor that */
	assert_false(switches(lanes, 1, 65, THREADS));	 /* never began */
	assert_false(switches(lanes, 1, 65, LANES_MAX)); /* cannot begin */
	assert_false(switches(lanes, 1, 65, 0));	 /* is on lane 0 */
	assert_int_equal(lanes->at[0].route, 0);
	assert_int_equal(lanes->at[1].route, 1);
	assert_int_equal(lanes->at[1].tail, 60);
	assert_int_equal(image->threads.at[2].lane, LANE_NONE);
	assert_true(switches(lanes, 1, 65, 2));
	assert_int_equal(lanes->at[1].tail, 65);
	on_lane[1] = 2;
	run(1, 8, &seed);
	check_all();
}

/* A message that lies ends the messages, with a reason in the file; the guest runs on. */
static void test_lying_message(void **state)
{
	uint64_t seed = 11;
	struct wm_trace *trace;
	struct wm_summary summary;

	(void)state;
	begin_threads();
	run(0, 50, &seed);
	put_message(MESSAGE_ROUTE, &(struct message_route){ 51, 0, 0, 0 },
		    sizeof(struct message_route));
	image_drain(image, rec, DRAIN_ALL);
	assert_true(image->messages_broken);
	trace = finish();
	wm_trace_summary(trace, &summary);
	assert_string_equal(summary.cut, output_scribbled);
	check_stream(trace, 2, 2);
	wm_trace_close(trace);
}

/* A machine's schedule, and a thread that goes from a process into another program. */
static void test_machine(void **state)
{
	struct message_space space = { .number = 1, .pid = 50 };
	struct message_move move = { .vcpu = 1, .space = 2 };
	struct message_space_end end = { .number = 1, .status = 256 };
	static const struct wm_turn turns[] = {
		{ 0, 0, 0, 0 }, { 0, 1, 1, 0 }, { 0, 0, 2, 0 }, { 0, 1, 0, 4 }
	};
	struct wm_schedule *schedule;
	struct wm_process process;
	struct wm_turn turn;
	struct wm_trace *trace;
	struct wm_error err;
	uint64_t seed = 3, until;
	uint32_t is;

	(void)state;
	put_message(MESSAGE_SPACE, &space, sizeof(space));
	space = (struct message_space){ .number = 2, .parent = 1, .pid = 50 };
	put_message(MESSAGE_SPACE, &space, sizeof(space));
	put_thread(MESSAGE_THREAD, 0, 0);
	put_thread(MESSAGE_THREAD, 1, 1);
	run(0, 4, &seed);
	put_thread(MESSAGE_THREAD, 0, 2);
	run(0, 3, &seed);
	put_route(1, 0);
	run(1, 5, &seed);
	move.position = position[1];
	put_message(MESSAGE_MOVE, &move, sizeof(move));
	run(1, 6, &seed);
	put_message(MESSAGE_SPACE_END, &end, sizeof(end));
	image_drain(image, rec, DRAIN_ALL);
	trace = finish();
	for (uint32_t i = 0; i < THREADS; i++)
		check_stream(trace, i, i);
	assert_int_equal(wm_trace_space_at(trace, 0, 0, &is, &until), 0);
	assert_true(is == 0 && until == 9);
	assert_int_equal(wm_trace_space_at(trace, 0, 9, &is, &until), 0);
	assert_true(is == 2 && until == 15);
	assert_int_equal(wm_trace_process(trace, 1, &process), 0);
	assert_true(process.pid == 50 && process.status == 256);
	assert_int_equal(wm_trace_process(trace, 2, &process), 0);
	assert_true(process.parent == 1 && process.status == -1);
	assert_int_equal(wm_schedule_new(&schedule, trace, &err), 0);
	for (unsigned i = 0; i < sizeof(turns) / sizeof(*turns); i++) {
		assert_int_equal(wm_schedule_next(schedule, &turn, &err), 0);
		assert_int_equal(turn.hart, turns[i].hart);
		assert_int_equal(turn.stream, turns[i].stream);
		assert_int_equal(turn.block_ordinal, turns[i].block_ordinal);
	}
	assert_int_equal(wm_schedule_next(schedule, &turn, &err), WM_END);
	wm_schedule_free(schedule);
	wm_trace_close(trace);
}

/* A reader that comes during the recording, or a snapshot, has all turns so far. */
static void test_flush(void **state)
{
	static struct images images;
	const struct live live = { .recording = rec, .images = &images };
	struct wm_schedule *schedule;
	struct wm_trace *trace;
	struct wm_error err;
	struct wm_turn turn;
	uint64_t seed = 5;
	unsigned turns = 0;

	(void)state;
	images = (struct images){ .at = { image }, .top = 1 };
	put_thread(MESSAGE_THREAD, 0, 0);
	run(0, 4, &seed);
	image_drain(image, rec, DRAIN_ALL);
	assert_int_equal(live_flush(&live, &err), 0);
	put_thread(MESSAGE_THREAD, 0, 2);
	run(0, 4, &seed);
	put_route(0, 0);
	run(0, 4, &seed);
	image_drain(image, rec, DRAIN_ALL);
	assert_int_equal(live_flush(&live, &err), 0);
	assert_int_equal(rec->turns.batch.len, 0);
	put_route(0, 2);
	run(0, 4, &seed);
	image_drain(image, rec, DRAIN_ALL);
	trace = finish();
	assert_int_equal(wm_schedule_new(&schedule, trace, &err), 0);
	while (!wm_schedule_next(schedule, &turn, &err))
		turns++;
	assert_int_equal(turns, 4);
	wm_schedule_free(schedule);
	wm_trace_close(trace);
}

/* A process that is not the next one, or of a parent that is not there. */
static void test_lying_space(void **state)
{
	struct message_space space = { .number = 2 };

	(void)state;
	put_message(MESSAGE_SPACE, &space, sizeof(space));
	image_drain(image, rec, DRAIN_ALL);
	assert_true(image->messages_broken);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test_setup_teardown(test_machine, set_up_machine, tear_down),
	cmocka_unit_test_setup_teardown(test_flush, set_up_machine, tear_down),
	cmocka_unit_test_setup_teardown(test_lying_space, set_up, tear_down),
	cmocka_unit_test_setup_teardown(test_example, set_up, tear_down),
	cmocka_unit_test_setup_teardown(test_random, set_up, tear_down),
	cmocka_unit_test_setup_teardown(test_encoder, set_up, tear_down),
	cmocka_unit_test_setup_teardown(test_end, set_up, tear_down),
	cmocka_unit_test_setup_teardown(test_lies, set_up, tear_down),
	cmocka_unit_test_setup_teardown(test_lying_message, set_up, tear_down),
};

int main(void)
{
	return cmocka_run_group_tests_name("route", tests, folder_enter, folder_leave);
}
