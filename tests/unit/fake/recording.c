// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The memory is a board and two arenas, sparse, of which the plugin takes the first.
 * Nobody drains it: tests run few blocks, so no ring fills and the plugin never waits.
 * The test's own process stands for the collector: it lives as long as the plugin does.
 */
#include "tests/unit/fake/recording.h"

#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/values.h"
#include "plugin/core/link.h"
#include "plugin/core/pieces.h"
#include "plugin/core/steps.h"
#include "plugin/core/tracer.h"
#include "tests/unit/fake/qemu.h"

enum { ARENAS = 2, FILES_MAX = 4, TEXT_MAX = 4096, BLOCKS_MAX = 256, ID = 7 };

static struct board *board;
static struct arena *arena;
static int memory_fd;
static struct {
	uint64_t start, end;
} files[FILES_MAX]; /* [number - 1] */

/* ---- the emulation ------------------------------------------------------- */

static void init(const char *target, struct arena_header *header,
		 void (*retranslate)(void))
{
	(void)target, (void)header, (void)retranslate;
}

static void register_callbacks(void)
{
}

static struct code_origin find_origin(uint64_t address, const void *host)
{
	(void)host;
	for (uint32_t i = 0; i < FILES_MAX; i++)
		if (address >= files[i].start && address < files[i].end)
			return (struct code_origin){ .file = i + 1 };
	return (struct code_origin){ .file = 0 };
}

static struct code_file find_file(uint32_t file)
{
	return (struct code_file){ file, file, files[file - 1].start };
}

static uint32_t thread_id(unsigned vcpu, char name[VCPU_NAME_BYTES])
{
	(void)name;
	return 100 + vcpu;
}

static void thread_ends(unsigned vcpu)
{
	(void)vcpu;
}

static void exits(void)
{
}

static void ends(void)
{
	link_exit();
	_exit(0);
}

static void copy_data(uint64_t address, void *to, size_t bytes, bool alone)
{
	(void)alone;
	fake_copy_data(address, to, bytes);
}

/* The bytes at an address are its low byte; above the first 4 GiB there is nothing. */
static bool read_data(uint64_t address, void *to, size_t bytes)
{
	memset(to, (int)(address & 0xff), bytes);
	return address <= UINT32_MAX;
}

static const struct emulation no_emulation = {
	init,	   register_callbacks, find_origin,
	find_file, steps_register,     pieces_register,
	thread_id, thread_ends,	       exits,
	ends,	   copy_data,	       read_data,
};

const struct emulation *recording_emulation(void)
{
	return &no_emulation;
}

/* ---- before it starts ---------------------------------------------------- */

struct board *recording_open(void)
{
	memory_fd = memfd_create("recording", MFD_CLOEXEC);
	assert_true(memory_fd >= 0);
	assert_int_equal(ftruncate(memory_fd, (off_t)arena_off(ARENAS)), 0);
	board = mmap(NULL, arena_off(1), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_NORESERVE, memory_fd, 0);
	assert_true(board != MAP_FAILED);
	board->magic = ARENA_MAGIC;
	board->version = ARENA_VERSION;
	board->collector_pid = (uint32_t)getpid();
	board->hold.pid =
		UINT32_MAX; /* another process: nobody is asked to hold this one */
	atomic_store(&board->slots, ARENAS);
	atomic_store(&board->orders.events, UINT64_MAX);
	return board;
}

void recording_map(uint64_t start, uint64_t end, uint32_t file)
{
	files[file - 1].start = start;
	files[file - 1].end = end;
}

void recording_order(enum order_sense sense, uint32_t file, uint64_t start, uint64_t end,
		     uint32_t window)
{
	uint32_t n = atomic_load(&board->orders.places);

	board->orders.place[n] = (struct order_place){
		.dev = file,
		.ino = file,
		.start = start,
		.end = end,
		.sense = sense,
		.window = window,
	};
	board->orders.has_only |= sense == ORDER_ONLY;
	atomic_store(&board->orders.places, n + 1);
}

void recording_start_with(const char *target, const struct emulation *emulation)
{
	assert_true(link_open(memory_fd, NULL, true));
	arena = slot_arena();
	tracer_start(ID, emulation, target);
	fake_thread_begins(0);
}

void recording_start(const char *target)
{
	recording_start_with(target, &no_emulation);
}

/* ---- what was recorded --------------------------------------------------- */

/* A text in the making. */
struct text {
	char bytes[TEXT_MAX];
	size_t used;
};

static void __attribute__((format(printf, 2, 3)))
add(struct text *text, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	text->used += (size_t)vsnprintf(text->bytes + text->used, TEXT_MAX - text->used,
					format, arguments);
	va_end(arguments);
	assert_true(text->used < TEXT_MAX);
}

static void restart(struct text *text)
{
	text->used = 0;
	text->bytes[0] = 0;
}

/* The message at `at`, which moves past it; NULL after the last. */
static const struct message_header *next_message(uint64_t *at)
{
	const struct message_header *header = (const void *)(arena->messages + *at);

	if (*at >= atomic_load(&arena->header.message_head))
		return NULL;
	*at += message_space(header->bytes);
	assert_true(*at < MESSAGE_RING_BYTES);
	return header;
}

/* The block of that id, by its message. */
static const struct message_block *find_block(uint32_t id)
{
	const struct message_header *header;
	uint64_t at = 0;

	while ((header = next_message(&at))) {
		const struct message_block *block = (const void *)(header + 1);

		if (header->type == MESSAGE_BLOCK && block->id == id)
			return block;
	}
	return NULL;
}

/* The firing of that id; NULL: it is another id. */
static const struct message_firing *find_firing(uint32_t id)
{
	const struct message_header *header;
	uint64_t at = 0;

	while ((header = next_message(&at))) {
		const struct message_firing *firing = (const void *)(header + 1);

		if (header->type == MESSAGE_FIRING && firing->id == id)
			return firing;
	}
	return NULL;
}

static void add_firing(struct text *text, const struct message_firing *firing,
		       uint64_t address)
{
	static const char letters[] = "lsrwmv";
	uint32_t place = firing->what >> VALUE_PLACE_SHIFT;

	add(text, "%" PRIx64 ".%u:%c%u", address, firing->insn, letters[firing->kind],
	    value_is_register(firing->kind) ? firing->what & VALUE_NUMBER_MASK :
					      1u << firing->size);
	if (place)
		add(text, "@%u", place);
}

static void add_id(struct text *text, uint32_t id)
{
	const struct message_firing *firing = find_firing(id);
	const struct message_block *block = find_block(firing ? firing->block : id);

	assert_non_null(block);
	if (firing)
		add_firing(text, firing, block->address);
	else if (block->insns)
		add(text, "%" PRIx64 "+%u", block->address, block->insns);
	else
		add(text, "gap");
}

const char *recording_lane(unsigned vcpu)
{
	static struct text text;
	uint64_t n = lane_written(&arena->heads[vcpu], vcpu);

	restart(&text);
	for (uint64_t i = 0; i < n; i++) {
		if (i)
			add(&text, " ");
		add_id(&text, lane_ring(arena, vcpu)[i % lane_ids(vcpu)]);
	}
	return text.bytes;
}

const char *recording_values(unsigned vcpu)
{
	static struct text text;
	const struct value_head *head = &arena->value_heads[vcpu];
	uint64_t n = (uint64_t)atomic_load(&head->laps) * lane_words(vcpu) +
		     atomic_load(&head->head) / 8;

	restart(&text);
	for (uint64_t i = 0; i < n; i++)
		add(&text, "%s%" PRIx64, i ? " " : "",
		    lane_values(arena, vcpu)[i % lane_words(vcpu)]);
	return text.bytes;
}

struct span recording_program(uint64_t address)
{
	const struct message_header *header;
	uint64_t at = 0;

	while ((header = next_message(&at))) {
		const struct message_block *block = (const void *)(header + 1);

		if (header->type == MESSAGE_BLOCK && block->address == address)
			return span_of((const char *)(header + 1) + header->bytes -
					       block->program,
				       block->program);
	}
	fail_msg("no block begins at %" PRIx64, address);
	return span_of(NULL, 0);
}

const char *recording_events(uint32_t kind)
{
	static struct text text;
	const struct message_header *header;
	uint64_t at = 0;

	restart(&text);
	while ((header = next_message(&at))) {
		const struct message_event *event = (const void *)(header + 1);
		const uint64_t *fields = (const void *)(event + 1);

		if (header->type != MESSAGE_EVENT || event->kind != kind)
			continue;
		add(&text, "%s%" PRIu64 ":", text.used ? " " : "", event->position);
		for (size_t i = 0; i < (header->bytes - sizeof(*event)) / 8; i++)
			add(&text, "%s%" PRId64, i ? "," : "", (int64_t)fields[i]);
	}
	return text.bytes;
}

const char *recording_left(void)
{
	static struct text text;
	const struct message_header *header;
	uint64_t at = 0;

	restart(&text);
	while ((header = next_message(&at))) {
		const struct message_left *left = (const void *)(header + 1);

		if (header->type == MESSAGE_LEFT)
			add(&text, "%s%" PRIu64 ":%" PRIx64, text.used ? " " : "",
			    left->position, left->pc);
	}
	return text.bytes;
}

struct arena *recording_arena(void)
{
	return arena;
}

void run_apart(void (*test)(void))
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (!child) {
		setenv("CMOCKA_TEST_ABORT", "1", 1); /* not on to the other tests */
		test();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}
