// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The collector on an arena that a guest may have scribbled over. The bytes are a list of
 * things to do to it, sensible ones and others. Whatever they are, the collector must end,
 * and the file it leaves must be sound.
 */
#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "collect/arena_memory.h"
#include "collect/collector.h"
#include "format/blocks.h"
#include "fuzz.h"

enum { LANES = 3, THREADS = 6, PATH_BYTES = 100 };

static struct arena *arena;
static char path[PATH_BYTES];

static struct {
	uint64_t head;	 /* of the message ring */
	uint32_t blocks; /* good ones so far */
	unsigned threads;
} made;

static void write_ring(const void *data, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		arena->messages[made.head++ % MESSAGE_RING_BYTES] =
			((const uint8_t *)data)[i];
}

static void put_message(uint32_t type, const void *payload, size_t bytes)
{
	struct message_header header = { type, (uint32_t)bytes };

	/* A thread that begins costs an encoder. */
	if (type == MESSAGE_THREAD && made.threads++ >= THREADS)
		return;
	write_ring(&header, sizeof(header));
	write_ring(payload, bytes);
	write_ring("\0\0\0\0\0\0\0", -bytes & 7);
}

/* A block as the plugin would tell of it. */
static void put_block(struct input *input)
{
	struct message_block block = { .id = ++made.blocks };
	uint8_t payload[sizeof(block) + 16 + 64], *sizes = payload + sizeof(block), *code;

	block.insns = 1 + take(input) % 16;
	block.address = 0x10000 + 2u * take(input);
	code = sizes + block.insns;
	for (unsigned i = 0; i < block.insns; i++) {
		sizes[i] = take(input) % 2 ? 4 : 2;
		memset(code + block.bytes, sizes[i] == 4 ? 0x13 : 0x01, sizes[i]);
		block.bytes = (uint16_t)(block.bytes + sizes[i]);
	}
	memcpy(payload, &block, sizeof(block));
	put_message(MESSAGE_BLOCK, payload, sizeof(block) + block.insns + block.bytes);
}

static void put_thread(struct input *input, uint32_t type)
{
	struct message_thread thread = { .vcpu = take(input) % (LANES + 1), .tid = 7 };

	if (thread.vcpu < LANES)
		thread.position = lane_readable(arena, thread.vcpu);
	put_message(type, &thread, sizeof(thread));
}

static void put_event(struct input *input)
{
	struct message_event event = { .vcpu = take(input) % LANES, .kind = take(input) };
	uint8_t payload[sizeof(event) + 32];
	size_t n = take(input) % 32;

	event.position = lane_readable(arena, event.vcpu);
	memcpy(payload, &event, sizeof(event));
	n = take_bytes(input, payload + sizeof(event), n);
	put_message(MESSAGE_EVENT, payload, sizeof(event) + n);
}

static void put_any(struct input *input)
{
	uint8_t payload[256];
	uint32_t type = take(input) % 8;

	put_message(type, payload, take_bytes(input, payload, take(input)));
}

/* Ids, small ones mostly, with their thread's head behind them. */
static void put_ids(struct input *input, unsigned kind)
{
	unsigned vcpu = take(input) % LANES;
	struct lane *lane = &arena->lanes[vcpu];
	uint64_t head = lane_readable(arena, vcpu);
	unsigned n = take(input), times = kind == 0 ? 1 : 1 + take(input);
	const uint8_t *from = input->at;

	for (; times > 0; times--) {
		input->at = from;
		for (unsigned i = 0; i < n; i++) {
			uint32_t id = kind == 2 ? take_u32(input) :
						  1 + take(input) % (made.blocks + 1);

			lane->ids[head++ % LANE_IDS] = id;
		}
	}
	atomic_store(&arena->heads[vcpu].head, (uint32_t)(head % LANE_IDS * 4));
}

static void put_nonsense(struct input *input)
{
	unsigned vcpu = take(input) % LANES;
	uint64_t value = (uint64_t)take_u32(input) << (take(input) % 33);

	switch (take(input) % 6) {
	case 0:
		atomic_store(&arena->heads[vcpu].head, (uint32_t)value);
		break;
	case 1:
		atomic_store(&arena->lanes[vcpu].tail, value);
		break;
	case 2:
		made.head += value;
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
	}
}

static void do_something(struct input *input)
{
	uint8_t raw[64];

	switch (take(input) % 12) {
	case 0 ... 2:
		put_block(input);
		break;
	case 3:
		put_thread(input, MESSAGE_THREAD);
		break;
	case 4:
		put_thread(input, MESSAGE_THREAD_END);
		break;
	case 5:
		put_event(input);
		break;
	case 6:
		put_any(input);
		break;
	case 7 ... 9:
		put_ids(input, (unsigned)(*(input->at - 1) % 12 - 7));
		break;
	case 10:
		put_nonsense(input);
		break;
	case 11:
		write_ring(raw, take_bytes(input, raw, take(input) % sizeof(raw)));
		break;
	}
}

static void reset(struct input *input)
{
	uint8_t flags = take(input);

	memset(&arena->header, 0, sizeof(arena->header));
	memset(&made, 0, sizeof(made));
	for (unsigned i = 0; i < LANES; i++) {
		atomic_store(&arena->heads[i].head, 0);
		atomic_store(&arena->lanes[i].tail, 0);
	}
	arena->header.sizes_rule = flags & 3;
	arena->header.guest_pid = 42;
	memset(arena->header.isa, 'x', flags & 4 ? sizeof(arena->header.isa) : 5);
	atomic_store(&arena->header.state, flags & 8 ? ARENA_NEW : ARENA_EXITED);
	atomic_store(&arena->header.lanes, LANES);
	made.head = flags & 16 ? MESSAGE_RING_BYTES - 16 : 0; /* to wrap soon */
	atomic_store(&arena->header.message_tail, made.head);
}

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct collector_facts facts = { .command = "guest", .program = "/bin/guest" };
	struct input input = { data, data + bytes };
	struct collector *collector;
	struct wm_error err;
	int fd;

	watch_cpu();
	if (!arena) {
		MUST(arena_create(&arena, &fd, &err) == 0);
		snprintf(path, sizeof(path), "/dev/shm/waymark-fuzz-%d.wmk",
			 (int)getpid());
	}
	reset(&input);
	while (input.at < input.end)
		do_something(&input);
	atomic_store(&arena->header.message_head, made.head);
	MUST(collector_new(&collector, arena, path, &facts, &err) == 0);
	collector_stop(collector); /* the guest has ended: what is there is all */
	collector_run(collector);
	MUST(collector_finish(collector, 0, NULL, &err) == 0);
	if (access(path, F_OK) == 0)
		check_file();
	unlink(path);
	return 0;
}
