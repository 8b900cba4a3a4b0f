// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The plugin's side. A block's id is stored first; then come its words, and after the words
 * of each firing that one's id; everything may be published at any moment between.
 *
 * Invariant: a thread stays half a ring away from the collector, which is asked to drain
 * before that. A mark is stored with the last id of its segment, as plugin/core does it.
 */
#include "lane_guest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/records.h"

struct lane_image lane_image;

/* ---- messages --------------------------------------------------------------------------- */

void lane_message(enum message_type type, const void *payload, size_t bytes)
{
	struct arena *arena = lane_image.arena;
	uint64_t words[256] = { 0 };
	struct message_header header = { .type = type, .bytes = (uint32_t)bytes };
	size_t padded = message_space(bytes) - sizeof(header);

	assert_true(padded <= sizeof(words));
	memcpy(words, payload, bytes);
	header.check = message_check(lane_image.message_head, type, header.bytes,
				     words_sum(words, padded));
	for (size_t i = 0; i < sizeof(header); i++)
		arena->messages[lane_image.message_head++ % MESSAGE_RING_BYTES] =
			((const uint8_t *)&header)[i];
	for (size_t i = 0; i < padded; i++)
		arena->messages[lane_image.message_head++ % MESSAGE_RING_BYTES] =
			((const uint8_t *)words)[i];
	atomic_store(&arena->header.message_head, lane_image.message_head);
}

static uint64_t address_of(uint32_t id)
{
	return 0x10000 + 64 * id;
}

/* Instructions of 4 bytes, and the program of the guests. */
static void put_block(uint32_t id)
{
	const struct value_guest *guest = &lane_image.guests[0].guest;
	struct message_block block = { .address = address_of(id),
				       .id = id,
				       .insns = VALUE_GUEST_INSNS,
				       .bytes = 4 * VALUE_GUEST_INSNS };
	struct buf program = BUF_INIT, payload = BUF_INIT;
	uint16_t insn = 0;

	for (uint32_t i = 0; i < guest->op_count[id]; i++)
		value_op_put(&program, &guest->ops[id][i], &insn);
	block.program = (uint32_t)program.len;
	buf_put(&payload, &block, sizeof(block));
	for (unsigned i = 0; i < VALUE_GUEST_INSNS; i++)
		buf_put_u8(&payload, 4);
	for (unsigned i = 0; i < VALUE_GUEST_INSNS; i++)
		buf_put_u32(&payload, 0x13 + (id << 20));
	buf_put(&payload, program.data, program.len);
	lane_message(MESSAGE_BLOCK, payload.data, payload.len);
	buf_fini(&program);
	buf_fini(&payload);
	lane_image.known = id;
}

void lane_thread(enum message_type type, const struct lane_guest *guest, const char *name)
{
	struct message_thread message = { .position = guest->ids,
					  .vcpu = guest->vcpu,
					  .tid = 100 + guest->vcpu,
					  .thread = guest->vcpu };
	uint8_t payload[sizeof(message) + 16];

	memcpy(payload, &message, sizeof(message));
	memcpy(payload + sizeof(message), name, strlen(name));
	lane_message(type, payload, sizeof(message) + strlen(name));
}

uint32_t lane_firing(uint32_t block, const struct value_firing *firing)
{
	static struct message_firing known[4096];
	static uint32_t count;
	struct message_firing message = { .block = block,
					  .insn = firing->insn,
					  .kind = firing->kind,
					  .size = firing->size,
					  .what = firing->what };

	if (!lane_image.firings)
		count = 0;
	lane_image.firings = true;
	for (uint32_t i = 0; i < count; i++) {
		message.id = known[i].id;
		if (!memcmp(&known[i], &message, sizeof(message)))
			return message.id;
	}
	assert_true(count < sizeof(known) / sizeof(*known));
	message.id = ++lane_image.known;
	known[count++] = message;
	lane_message(MESSAGE_FIRING, &message, sizeof(message));
	return message.id;
}

/* ---- the recording ---------------------------------------------------------------------- */

static void begin_memory(const struct collector_facts *facts, uint32_t wanted)
{
	struct wm_error err;

	assert_int_equal(memory_create(&lane_image.memory, &err), 0);
	lane_image.memory.board->values = wanted;
	lane_image.arena = memory_map(&lane_image.memory, 0);
	assert_non_null(lane_image.arena);
	lane_image.arena->header.magic = ARENA_MAGIC;
	lane_image.arena->header.values = wanted;
	lane_image.arena->header.sizes_rule = SIZES_LISTED;
	lane_image.arena->header.parent = SLOT_NONE;
	lane_image.rec = calloc(1, sizeof(*lane_image.rec));
	assert_non_null(lane_image.rec);
	assert_int_equal(recording_init(lane_image.rec, lane_image.memory.board,
					lane_image.path, facts, &err),
			 0);
	recording_begin(lane_image.rec, facts, lane_image.memory.board,
			&lane_image.arena->header);
	lane_image.image =
		image_new(lane_image.rec, lane_image.arena, 0, NULL, SPACE_NONE);
	assert_non_null(lane_image.image);
}

void lane_image_begin(const struct collector_facts *facts, const char *path,
		      uint32_t wanted)
{
	/* The last one has a small lane. */
	static const uint32_t vcpus[LANE_GUESTS] = { 0, 1, LANES_LARGE };
	uint64_t seed = value_seed;

	lane_image = (struct lane_image){ .path = path };
	for (unsigned i = 0; i < LANE_GUESTS; i++) {
		struct lane_guest *guest = &lane_image.guests[i];
		struct buf site = BUF_INIT;

		/* All of them have the same code. */
		value_seed = seed;
		value_guest_make(&guest->guest, wanted, 64, &site);
		guest->guest.words.at = guest->guest.words.end = 0;
		guest->vcpu = vcpus[i];
		buf_fini(&site);
	}
	begin_memory(facts, wanted);
	atomic_store(&lane_image.arena->header.lanes, vcpus[LANE_GUESTS - 1] + 1);
	for (uint32_t id = 1; id <= VALUE_GUEST_BLOCKS; id++)
		put_block(id);
	for (unsigned i = 0; i < LANE_GUESTS; i++)
		lane_thread(MESSAGE_THREAD, &lane_image.guests[i], "");
}

struct wm_trace *lane_image_end(void)
{
	struct wm_check check = { .threads = 1 };
	struct wm_trace *trace;
	struct wm_error err;

	image_end(lane_image.image, lane_image.rec, 0);
	if (recording_seal(lane_image.rec, lane_image.memory.board, NULL, &err) ||
	    wm_trace_open(&trace, lane_image.path, &err) ||
	    wm_trace_verify(trace, &check, &err))
		fail_msg("%s", err.text);
	return trace;
}

void lane_image_free(void)
{
	for (unsigned i = 0; i < LANE_GUESTS; i++)
		value_guest_free(&lane_image.guests[i].guest);
	image_free(lane_image.image);
	recording_fini(lane_image.rec);
	free(lane_image.rec);
	memory_fini(&lane_image.memory);
}

/* ---- running ---------------------------------------------------------------------------- */

void lane_drain(void)
{
	image_drain(lane_image.image, lane_image.rec, DRAIN_ALL);
}

void lane_put_id(struct lane_guest *guest, uint32_t id)
{
	uint32_t size = lane_ids(guest->vcpu);

	lane_ring(lane_image.arena, guest->vcpu)[guest->ids % size] = id;
	if ((guest->ids + 1) % LANE_SEGMENT == 0)
		lane_image.arena->value_marks[guest->vcpu]
			.at[guest->ids % size / LANE_SEGMENT] = guest->words;
	guest->ids++;
}

void lane_put_words(struct lane_guest *guest, uint64_t end)
{
	uint64_t *ring = lane_values(lane_image.arena, guest->vcpu);

	for (; guest->words < end; guest->words++)
		ring[guest->words % lane_words(guest->vcpu)] =
			guest->guest.ring[guest->words % VALUE_GUEST_RING];
}

void lane_publish(const struct lane_guest *guest)
{
	struct lane_head *ids = &lane_image.arena->heads[guest->vcpu];
	struct value_head *words = &lane_image.arena->value_heads[guest->vcpu];

	atomic_store(&words->laps, (uint32_t)(guest->words / lane_words(guest->vcpu)));
	atomic_store(&words->head, (uint32_t)(guest->words % lane_words(guest->vcpu) *
					      sizeof(uint64_t)));
	atomic_store(&ids->laps, (uint32_t)(guest->ids / lane_ids(guest->vcpu)));
	atomic_store(&ids->head,
		     (uint32_t)(guest->ids % lane_ids(guest->vcpu) * sizeof(uint32_t)));
}

static bool is_crowded(const struct lane_guest *guest)
{
	const struct arena *arena = lane_image.arena;

	return guest->ids - atomic_load(&arena->tails[guest->vcpu].tail) >=
		       lane_ids(guest->vcpu) / 2 ||
	       guest->words - atomic_load(&arena->value_tails[guest->vcpu].tail) >=
		       lane_words(guest->vcpu) / 2;
}

/* A moment at which others may see what there is, and the collector may look. */
static void pause(struct lane_guest *guest)
{
	bool crowded = is_crowded(guest);

	if (lane_image.quiet && !crowded)
		return;
	if (crowded || !value_any(50))
		lane_publish(guest);
	if (crowded || !value_any(300))
		lane_drain();
	/* Somebody asks for what there is so far. */
	if (!value_any(2000))
		image_flush(lane_image.image);
}

static void tell_left(const struct lane_guest *guest, uint32_t id, uint32_t insn)
{
	struct message_left message = { .position = guest->ids,
					.pc = address_of(id) + 4 * insn,
					.vcpu = guest->vcpu };

	lane_publish(guest);
	lane_message(MESSAGE_LEFT, &message, sizeof(message));
}

/* Enters a block, and does all of it that the collector does not see yet. */
static struct value_execution enter(struct lane_guest *guest)
{
	struct value_execution execution = { .id = 1 + value_any(VALUE_GUEST_BLOCKS) };

	guest->guest.block = guest->blocks++;
	if (!lane_image.plain && !value_any(8))
		value_guest_fire(&execution);
	lane_put_id(guest, execution.id);
	pause(guest);
	value_guest_run(&guest->guest, &execution);
	return execution;
}

void lane_run(struct lane_guest *guest)
{
	struct value_guest *made = &guest->guest;
	size_t at = made->expected_count;
	struct value_execution execution = enter(guest);

	for (uint32_t i = 0; i < execution.firing_count; i++) {
		while (!made->done[at].fires)
			at++;
		lane_put_words(guest, made->done[at++].end);
		pause(guest);
		lane_put_id(guest, lane_firing(execution.id, &execution.firings[i]));
		pause(guest);
	}
	lane_put_words(guest, made->words.end);
	if (execution.left)
		tell_left(guest, execution.id, execution.left - 1u);
	pause(guest);
}

/* Of a firing whose id is not stored, the words are there from position `from` on. */
static void tell_firing(const struct lane_guest *guest, uint64_t from)
{
	uint64_t at = from % lane_words(guest->vcpu);

	atomic_store(&lane_image.arena->value_heads[guest->vcpu].firing,
		     (uint32_t)(at * sizeof(uint64_t)) + 1);
}

size_t lane_run_cut(struct lane_guest *guest, bool killed)
{
	struct value_guest *made = &guest->guest;
	size_t at = made->expected_count;
	uint64_t end, begin = made->words.end;
	struct value_execution execution = enter(guest);
	uint32_t fired = 0;

	end = begin + value_any((uint32_t)(made->words.end - begin) + 1);
	for (; at < made->expected_count && made->done[at].end <= end; at++) {
		if (!made->done[at].fires)
			continue;
		if (!value_any(4))
			break;
		lane_put_words(guest, made->done[at].end);
		lane_put_id(guest, lane_firing(execution.id, &execution.firings[fired]));
		fired++;
	}
	if (at < made->expected_count && made->done[at].fires) {
		begin = at ? made->done[at - 1].end : 0;
		if (killed)
			tell_firing(guest, begin);
		else
			end = begin;
	}
	/* Perhaps not even all of a firing's words. */
	lane_put_words(guest, end < guest->words ? guest->words : end);
	lane_publish(guest);
	return made->expected_count - at;
}

void lane_gap(struct lane_guest *guest)
{
	struct message_block gap = { .id = lane_image.known + 1 };

	if (!lane_image.gap) {
		lane_image.gap = ++lane_image.known;
		lane_message(MESSAGE_BLOCK, &gap, sizeof(gap));
	}
	lane_put_id(guest, lane_image.gap);
	guest->blocks++;
}

/* ---- checking --------------------------------------------------------------------------- */

static void check_access(const struct wm_access *got, const struct wm_access *wanted)
{
	assert_int_equal(got->insn, wanted->insn);
	assert_int_equal(got->kind, wanted->kind);
	assert_int_equal(got->size, wanted->size);
	assert_int_equal(got->address, wanted->address);
	assert_int_equal(got->has_data, wanted->has_data);
	assert_int_equal(got->data[0], wanted->data[0]);
	assert_int_equal(got->data[1], wanted->data[1]);
}

/*
 * In a block that was killed, accesses that follow from others, and need no words, may be
 * more than were done; no others.
 */
static void check_derived(const struct value_guest *made, uint32_t id,
			  const struct wm_access *accesses, size_t n)
{
	assert_false(made->wanted & VALUES_DATA);
	for (size_t i = 0; i < n; i++) {
		const struct value_op *op = made->ops[id];
		const struct value_op *end = op + made->op_count[id];

		while (op < end && (op->kind < OP_LOAD || op->in_lane ||
				    op->insn != accesses[i].insn))
			op++;
		assert_true(op < end);
	}
}

/* The stream of the thread's lane. */
static uint32_t stream_of(const struct wm_trace *trace, const struct lane_guest *guest)
{
	struct wm_stream stream;
	uint32_t index = 0;

	do
		assert_int_equal(wm_trace_stream(trace, index, &stream), 0);
	while (stream.tid != 100 + guest->vcpu && ++index);
	return index;
}

uint64_t lane_check(const struct wm_trace *trace, const struct lane_guest *guest,
		    size_t missing)
{
	const struct value_guest *made = &guest->guest;
	const struct wm_access *accesses;
	struct wm_cursor *cursor;
	struct wm_stream stream;
	struct wm_error err;
	struct wm_step step;
	size_t n, at = 0, end = made->expected_count - missing;
	uint32_t index = stream_of(trace, guest), block;
	int ret;

	assert_int_equal(wm_trace_stream(trace, index, &stream), 0);
	assert_true(stream.blocks <= guest->blocks);
	block = guest->blocks - (uint32_t)stream.blocks;
	while (at < made->expected_count && made->expected[at].block < block)
		at++;
	assert_int_equal(wm_cursor_new(&cursor, trace, index, &err), 0);
	while (!(ret = wm_cursor_next_block(cursor, &step, &err))) {
		if (wm_cursor_accesses(cursor, &accesses, &n, &err))
			fail_msg("block %u: %s", block, err.text);
		for (size_t i = 0; i < n; i++, at++) {
			if (at == end && missing) {
				check_derived(made, step.id, &accesses[i], n - i);
				break;
			}
			assert_true(at < end);
			assert_int_equal(made->expected[at].block, block);
			check_access(&accesses[i], &made->expected[at]);
		}
		block++;
	}
	assert_int_equal(ret, WM_END);
	assert_int_equal(at, end);
	wm_cursor_free(cursor);
	return stream.blocks;
}
