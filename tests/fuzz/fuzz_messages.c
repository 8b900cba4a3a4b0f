// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The collector on shared memory that guests may have scribbled over. The bytes are a list of
 * things that some processes do to it, sensible ones and others. Whatever they are, the
 * collector must end, and the file it leaves must be sound. Some inputs have a guest that
 * goes on scribbling while the collector reads; what that does depends on the moment.
 */
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <unistd.h>

#include "base/error.h"
#include "collect/collector.h"
#include "collect/memory.h"
#include "format/blocks.h"
#include "format/values.h"
#include "fuzz.h"

enum { SLOTS = 3, LANES = 3, THREADS = 6, PATH_BYTES = 100 };

static struct memory memory;
static struct arena *arenas[SLOTS];
static struct arena *arena; /* of the process that does something */
static char path[PATH_BYTES];
static unsigned threads; /* so far */
static bool valued;	 /* values are recorded */
static const uint8_t zeros[8192];

/* What a process has done. */
static struct made {
	uint64_t head;	 /* of its message ring */
	uint32_t blocks; /* good ones so far */
	uint32_t spaces;
} all_made[SLOTS];
static struct made *made;

static void be_process(unsigned slot)
{
	arena = arenas[slot];
	made = &all_made[slot];
}

/* The position of a lane's head. */
static uint64_t head_of(unsigned vcpu)
{
	return lane_readable(arena, vcpu, atomic_load(&arena->tails[vcpu].tail));
}

static void write_ring(const void *data, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		arena->messages[made->head++ % MESSAGE_RING_BYTES] =
			((const uint8_t *)data)[i];
}

static void put_message(uint32_t type, const void *payload, size_t bytes)
{
	struct message_header header = { .type = type, .bytes = (uint32_t)bytes };
	uint64_t words[512] = { 0 };

	/* A thread that begins costs an encoder. */
	if (type == MESSAGE_THREAD && threads++ >= THREADS)
		return;
	memcpy(words, payload, bytes);
	bytes = (bytes + 7) & ~7ul;
	header.check =
		message_check(made->head, type, header.bytes, words_sum(words, bytes));
	write_ring(&header, sizeof(header));
	write_ring(words, bytes);
}

/* Some operations of a block's program, most of them sound; returns their bytes. */
static uint32_t put_program(struct input *input, uint32_t insns, uint8_t *to)
{
	struct buf program = BUF_INIT;
	uint16_t insn = 0;
	uint32_t bytes;

	for (unsigned n = take(input) % 6; n > 0; n--) {
		struct value_op op = {
			.kind = take(input) % OP_KINDS,
			.size = take(input) % (VALUE_SIZE_MAX + 1),
			.in_lane = take(input) % 2,
			.insn = (uint16_t)(insn + take(input) % 4 % insns),
			.rd = take(input) % (VALUE_REGISTERS + 1),
			.rs = take(input) % VALUE_REGISTERS,
			.rt = take(input) % VALUE_REGISTERS,
			.mask = take_u32(input),
			.imm = (int8_t)take(input),
		};

		value_op_put(&program, &op, &insn);
	}
	bytes = (uint32_t)program.len;
	if (bytes)
		memcpy(to, program.data, bytes);
	buf_fini(&program);
	return bytes;
}

/* A block as the plugin would send it, or a gap. */
static void put_block(struct input *input)
{
	struct message_block block = { .id = ++made->blocks };
	uint8_t payload[sizeof(block) + 16 + 64 + 256], *sizes = payload + sizeof(block),
							*code;

	block.insns = 1 + take(input) % 16;
	block.address = 2u * take(input);
	if (block.address)
		block.address += 0x10000;
	else
		block.insns = 0;
	code = sizes + block.insns;
	for (unsigned i = 0; i < block.insns; i++) {
		sizes[i] = take(input) % 2 ? 4 : 2;
		memset(code + block.bytes, sizes[i] == 4 ? 0x13 : 0x01, sizes[i]);
		block.bytes = (uint16_t)(block.bytes + sizes[i]);
	}
	if (valued && block.insns)
		block.program = put_program(input, block.insns, code + block.bytes);
	memcpy(payload, &block, sizeof(block));
	put_message(MESSAGE_BLOCK, payload,
		    sizeof(block) + block.insns + block.bytes + block.program);
}

/* A number for what an instruction of a block does; mostly of a block that there is. */
static void put_firing(struct input *input)
{
	struct message_firing firing = {
		.id = made->blocks + 1,
		.block = take(input) % (made->blocks + 1),
		.insn = take(input) % 8,
		.kind = take(input) % (VALUE_KINDS + 1),
		.size = take(input) % 3,
		.what = take(input),
	};

	made->blocks++;
	put_message(MESSAGE_FIRING, &firing, sizeof(firing));
}

static void put_thread(struct input *input, uint32_t type)
{
	struct message_thread thread = { .vcpu = take(input) % (LANES + 1),
					 .passed = take(input),
					 .tid = 7 };

	thread.thread = thread.vcpu;
	if (thread.vcpu < LANES)
		thread.position = head_of(thread.vcpu);
	put_message(type, &thread, sizeof(thread));
}

/* A signal that an instruction raised, in a block or somewhere else. */
static void put_fault(struct input *input, struct message_event *event)
{
	uint64_t fields[5] = { 11, 1, 0x10000 + 2u * take(input), 0, 0x10000 };
	uint8_t payload[sizeof(*event) + sizeof(fields)];

	event->position = head_of(event->vcpu);
	memcpy(payload, event, sizeof(*event));
	memcpy(payload + sizeof(*event), fields, sizeof(fields));
	put_message(MESSAGE_EVENT, payload, sizeof(payload));
}

static void put_left(struct input *input)
{
	struct message_left left = { .vcpu = take(input) % LANES,
				     .pc = 0x10000 + 2u * take(input) };

	left.position = head_of(left.vcpu);
	put_message(MESSAGE_LEFT, &left, sizeof(left));
}

static void put_route(struct input *input)
{
	struct message_route route = { .vcpu = take(input) % LANES,
				       .thread = take(input) % (LANES + 1) };

	if (route.thread == LANES)
		route.thread = THREAD_NONE;
	route.position = head_of(route.vcpu);
	put_message(MESSAGE_ROUTE, &route, sizeof(route));
}

/* A process of a machine, mostly the next one. */
static void put_space(struct input *input)
{
	struct message_space space = { .parent = take(input) % 4, .pid = take(input) };

	space.number = take(input) ? ++made->spaces : take(input);
	put_message(MESSAGE_SPACE, &space, sizeof(space));
}

static void put_space_end(struct input *input)
{
	struct message_space_end end = { .number = take(input) % 4 };

	put_message(MESSAGE_SPACE_END, &end, sizeof(end));
}

static void put_move(struct input *input)
{
	struct message_move move = { .vcpu = take(input) % LANES,
				     .space = take(input) % 4 };

	move.position = head_of(move.vcpu);
	put_message(MESSAGE_MOVE, &move, sizeof(move));
}

static void put_event(struct input *input)
{
	struct message_event event = { .vcpu = take(input) % (LANES + 1),
				       .kind = take(input) };
	uint8_t payload[sizeof(event) + 80];
	size_t n = take(input) % 80;

	if (event.kind == WM_EVENT_SIGNAL && made->blocks && event.vcpu < LANES) {
		put_fault(input, &event);
		return;
	}
	event.called = event.kind % 2;
	if (event.vcpu == LANES)
		event.vcpu = LANE_NONE;
	else
		event.position = head_of(event.vcpu);
	memcpy(payload, &event, sizeof(event));
	n = take_bytes(input, payload + sizeof(event), n);
	put_message(MESSAGE_EVENT, payload, sizeof(event) + n);
}

/* A piece of a note, and how far some lane was. */
static void put_note(struct input *input)
{
	struct {
		struct message_note note;
		struct message_place place;
		uint8_t data[8];
	} it = { .note = { .vcpu = take(input) % LANES, .places = 1 } };

	it.note.left = take(input) % 3;
	it.place.vcpu = take(input) % LANES;
	it.note.position = head_of(it.note.vcpu);
	it.place.position = head_of(it.place.vcpu) - take(input) % 2;
	put_message(MESSAGE_NOTE, &it, sizeof(it));
}

static void put_rare(struct input *input, uint32_t type)
{
	if (type == MESSAGE_SPACE)
		put_space(input);
	else if (type == MESSAGE_SPACE_END)
		put_space_end(input);
	else if (type == MESSAGE_NOTE)
		put_note(input);
	else
		put_move(input);
}

static void put_any(struct input *input)
{
	uint8_t payload[256];
	uint32_t type = take(input) % (valued ? 20 : MESSAGE_NAME + 1);

	if (valued && (type == MESSAGE_FIRING || type > MESSAGE_LOADED))
		put_firing(input);
	else if (type >= MESSAGE_SPACE && type < MESSAGE_LOADED)
		put_rare(input, type);
	else if (type == MESSAGE_LEFT && made->blocks)
		put_left(input);
	else if (type == MESSAGE_ROUTE && made->blocks)
		put_route(input);
	else
		put_message(type, payload, take_bytes(input, payload, take(input)));
}

/* Some words, as many as some ids may have. */
static void put_words(struct input *input, unsigned vcpu, unsigned ids)
{
	struct value_head *head = &arena->value_heads[vcpu];
	uint32_t at = atomic_load(&head->head) / 8 % lane_words(vcpu);
	unsigned n = ids * (take(input) % 5);

	for (; n > 0; n--, at = (at + 1) % lane_words(vcpu))
		lane_values(arena, vcpu)[at] = n * n;
	atomic_store(&head->head, at * 8);
}

/* Ids, small ones mostly, with their thread's head after them. */
static void put_ids(struct input *input, unsigned kind)
{
	unsigned vcpu = take(input) % LANES;
	uint32_t *ring = lane_ring(arena, vcpu);
	uint64_t head = head_of(vcpu);
	unsigned n = take(input), times = kind == 0 ? 1 : 1 + take(input);
	const uint8_t *from = input->at;

	for (; times > 0; times--) {
		input->at = from;
		for (unsigned i = 0; i < n; i++) {
			uint32_t id = kind == 2 ? take_u32(input) :
						  1 + take(input) % (made->blocks + 1);

			ring[head++ % lane_ids(vcpu)] = id;
		}
	}
	if (valued)
		put_words(input, vcpu, n * (kind == 0 ? 1 : 2));
	atomic_store(&arena->heads[vcpu].head, (uint32_t)(head % lane_ids(vcpu) * 4));
}

/* Part of the memory becomes zeros, by pages or from some byte on. */
static void put_zeros(uint32_t value)
{
	static const size_t from[] = {
		0, /* the board itself */
		offsetof(struct board, slot),
		BOARD_BYTES,
		BOARD_BYTES + offsetof(struct arena, heads),
		BOARD_BYTES + offsetof(struct arena, messages),
		BOARD_BYTES + offsetof(struct arena, tails),
		BOARD_BYTES + offsetof(struct arena, large[0]),
		BOARD_BYTES + offsetof(struct arena, large[1]),
	};
	off_t at = (off_t)(from[value & 7] + (value >> 5 & 7) * 4096);

	if (value >> 3 & 1)
		at += (off_t)sizeof(struct arena);
	if (value >> 4 & 1)
		MUST(!fallocate(memory.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at,
				4096 << (value >> 8 & 7)));
	else
		MUST(pwrite(memory.fd, zeros, 1 + value % sizeof(zeros), at) > 0);
}

static void put_nonsense(struct input *input)
{
	unsigned vcpu = take(input) % LANES;
	uint64_t value = (uint64_t)take_u32(input) << (take(input) % 33);

	switch (take(input) % (valued ? 14 : 10)) {
	case 10:
		atomic_store(&arena->value_heads[vcpu].head, (uint32_t)value);
		break;
	case 11:
		atomic_store(&arena->value_heads[vcpu].firing, (uint32_t)value);
		break;
	case 12:
		atomic_store(&arena->value_tails[vcpu].tail, value);
		break;
	case 13:
		arena->value_marks[vcpu].at[value % 4] = value >> 8;
		break;
	case 9:
		put_zeros((uint32_t)value);
		break;
	case 8:
		atomic_store(&arena->heads[vcpu].called, value);
		break;
	case 0:
		atomic_store(&arena->heads[vcpu].head, (uint32_t)value);
		break;
	case 1:
		atomic_store(&arena->tails[vcpu].tail, value);
		break;
	case 2:
		made->head += value;
		break;
	case 3:
		atomic_store(&arena->header.lanes, (uint32_t)value);
		break;
	case 4:
		atomic_store(&arena->header.message_tail, value);
		break;
	case 5:
		atomic_store(&arena->header.waiting, (uint32_t)value);
		break;
	case 6:
		atomic_store(&arena->header.forks, (uint32_t)value);
		break;
	case 7: /* a slot that nobody took */
		atomic_store(&memory.board->slot[1 + value % 2], SLOT_READY);
		break;
	}
}

/* Another process comes, forked by one of them or not, or one that was there goes on. */
static void put_process(struct input *input)
{
	unsigned slot = take(input) % SLOTS, parent = take(input) % 8;

	be_process(slot);
	if (atomic_load(&memory.board->slot[slot]) != SLOT_FREE)
		return;
	arena->header.parent = parent < SLOTS ? parent : SLOT_NONE;
	arena->header.guest_pid = INT_MAX - take(input) % SLOTS; /* nobody */
	if (parent < SLOTS)
		made->blocks = all_made[parent].blocks;
	arena->header.inherited = take(input) % 8 ? made->blocks : take(input);
	atomic_store(&memory.board->slot[slot], SLOT_READY);
}

static void do_something(struct input *input)
{
	uint8_t raw[64];

	switch (take(input) % 13) {
	case 0 ... 2:
		put_block(input);
		break;
	case 3:
		put_thread(input, MESSAGE_THREAD);
		break;
	case 4:
		put_thread(input, MESSAGE_THREAD_END - take(input) % 2);
		break;
	case 5:
		put_event(input);
		break;
	case 6:
		put_any(input);
		break;
	case 7 ... 9:
		put_ids(input, (unsigned)(*(input->at - 1) % 13 - 7));
		break;
	case 10:
		put_nonsense(input);
		break;
	case 11:
		write_ring(raw, take_bytes(input, raw, take(input) % sizeof(raw)));
		break;
	case 12:
		put_process(input);
		break;
	}
}

static void reset_slot(unsigned slot, uint8_t flags)
{
	be_process(slot);
	memset(&arena->header, 0, sizeof(arena->header));
	arena->header.magic = ARENA_MAGIC;
	memset(made, 0, sizeof(*made));
	for (unsigned i = 0; i < LANES; i++) {
		atomic_store(&arena->heads[i].head, 0);
		atomic_store(&arena->tails[i].tail, 0);
		memset(&arena->value_heads[i], 0, sizeof(arena->value_heads[i]));
		atomic_store(&arena->value_tails[i].tail, 0);
	}
	arena->header.sizes_rule = flags & 3;
	arena->header.values = memory.board->values;
	arena->header.guest_pid = INT_MAX; /* nobody */
	arena->header.parent = SLOT_NONE;
	memset(arena->header.isa, 'x', flags & 4 ? sizeof(arena->header.isa) : 5);
	atomic_store(&arena->header.state, ARENA_EXITED);
	atomic_store(&arena->header.lanes, LANES);
	made->head = flags & 16 ? MESSAGE_RING_BYTES - 16 : 0; /* to wrap soon */
	atomic_store(&arena->header.message_tail, made->head);
}

static void reset_board(void)
{
	memory.board->magic = ARENA_MAGIC;
	memory.board->version = ARENA_VERSION;
	atomic_store(&memory.board->slots, memory.slots);
	atomic_store(&memory.board->top, SLOTS);
	for (unsigned i = 0; i < SLOTS_MAX; i++)
		atomic_store(&memory.board->slot[i], SLOT_FREE);
}

static void reset(uint8_t flags)
{
	/* Of the sizes' rules there is none of this number. */
	valued = (flags & 3) == 3;
	memory.board->values =
		!valued ? 0 : VALUES_ALL | (flags & 4 ? (uint32_t)VALUES_DATA : 0u);
	for (unsigned i = SLOTS; i-- > 0;)
		reset_slot(i, flags);
	threads = 0;
	reset_board();
	if (!(flags & 8))
		atomic_store(&memory.board->slot[0], SLOT_READY);
}

/* ---- a guest that does not stop ------------------------------------------ */

static _Atomic bool stop;

static void *scribble(void *cookie)
{
	uint64_t seed = *(uint8_t *)cookie;

	while (!atomic_load(&stop)) {
		struct arena *mine = arenas[seed >> 60 & 1];
		unsigned vcpu = (unsigned)(seed >> 50) % LANES;
		uint32_t value = (uint32_t)(seed >> 33);

		switch (seed >> 40 & 15) {
		case 0:
			atomic_store(&mine->tails[vcpu].tail, value);
			break;
		case 1:
			atomic_store(&mine->heads[vcpu].head, value);
			break;
		case 2:
			atomic_store(&mine->header.message_head, value & 0xfff8);
			break;
		case 3:
			mine->header.parent = value & 3;
			break;
		case 4:
			put_zeros(value);
			break;
		default:
			lane_ring(mine, vcpu)[value % 64] = value >> (value & 31);
		}
		seed = seed * 6364136223846793005 + 1442695040888963407;
	}
	return NULL;
}

/* ---- collecting ---------------------------------------------------------- */

static void check_file(void)
{
	struct wm_check check = { .threads = 1 };
	struct wm_summary summary;
	struct wm_trace *trace;
	struct wm_error err;
	int ret = wm_trace_open(&trace, path, &err);

	if (!ret) {
		wm_trace_summary(trace, &summary);
		ret = wm_trace_verify(trace, &check, &err);
		MUST(summary.complete || summary.cut);
		wm_trace_close(trace);
	}
	if (ret) {
		fprintf(stderr, "what the collector wrote: %s\n", err.text);
		abort();
	}
}

static void collect(uint8_t flags)
{
	/* All kinds; to files nobody looks at, in the forms that are made here. */
	static const char *const to[] = { "trace", "log:/dev/null" };
	struct event_options events = { .wanted = EVENTS_BUILT, .to = to, .n_to = 2 };
	struct collector_facts facts = { .command = "guest",
					 .machine = (flags & 3) == 2,
					 .last.insns = flags & 32 ? 1 + flags % 8 : 0 };
	struct collector *collector;
	struct wm_error err;
	pthread_t thread;
	bool scribbling = flags & 128 && !pthread_create(&thread, NULL, scribble, &flags);

	facts.events = &events;
	MUST(collector_new(&collector, &memory, path, &facts, &err) == 0);
	if (flags & 64)
		collector_ended(collector, 0); /* as if it was followed */
	collector_stop(collector); /* the guest has ended: what is there is all */
	collector_run(collector);
	MUST(collector_finish(collector, NULL, &err) == 0);
	atomic_store(&stop, true);
	if (scribbling)
		pthread_join(thread, NULL);
	atomic_store(&stop, false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct input input = { data, data + bytes };
	uint8_t flags = take(&input);
	struct wm_error err;

	watch_cpu();
	if (!arena) {
		MUST(memory_create(&memory, &err) == 0);
		snprintf(path, sizeof(path), "/dev/shm/waymark-fuzz-%d.wmk",
			 (int)getpid());
	}
	for (unsigned i = 0; i < SLOTS && !arenas[i]; i++) {
		arenas[i] = memory_map(&memory, i);
		MUST(arenas[i]);
	}
	reset(flags);
	while (input.at < input.end)
		do_something(&input);
	for (unsigned i = 0; i < SLOTS; i++)
		atomic_store(&arenas[i]->header.message_head, all_made[i].head);
	collect(flags);
	if (access(path, F_OK) == 0)
		check_file();
	unlink(path);
	return 0;
}
