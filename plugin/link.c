// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Nothing here may harm the guest: when the collector has died, nobody waits for room any
 * more, one line says so, and the guest runs on untraced. Waiting is always with a
 * timeout, after which the collector is looked for.
 *
 * A forked child inherits the mapping but must not write to its parent's lanes: before it
 * runs any guest code, the atfork handler puts private heads in place of the shared ones,
 * and has them point to scratch memory.
 */
#include "plugin/link.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/futex.h"

#define LOOK_MS 100 /* how long to wait before looking whether the collector lives */
_Alignas(4096) struct lane_head link_heads[LINK_VCPUS_MAX];

static struct arena *arena;
static uint32_t *scratch; /* [LANE_IDS] */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool alive;

/* Maps `bytes` at `place`, or anywhere when that is NULL; NULL when it cannot be. */
static void *map(void *place, size_t bytes, int flags, int fd, size_t off)
{
	void *memory = mmap(place, bytes, PROT_READ | PROT_WRITE,
			    flags | MAP_NORESERVE | (place ? MAP_FIXED : 0), fd,
			    (off_t)off);

	return memory == MAP_FAILED ? NULL : memory;
}

static void forked_child(void)
{
	if (atomic_exchange(&alive, false))
		atomic_fetch_add(&arena->header.forks, 1);
	map(link_heads, sizeof(arena->heads), MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (unsigned i = 0; i < LANES_MAX; i++)
		link_heads[i].ids = scratch;
	pthread_mutex_init(&lock, NULL); /* the holder does not exist here */
}

static bool map_arena(int fd)
{
	arena = map(NULL, sizeof(*arena), MAP_SHARED, fd, 0);
	scratch = map(NULL, LANE_BYTES, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return arena && scratch &&
	       map(link_heads, sizeof(arena->heads), MAP_SHARED, fd,
		   offsetof(struct arena, heads));
}

bool link_open(int fd)
{
	struct stat st;
	bool mapped;

	if (fstat(fd, &st) < 0 || (size_t)st.st_size < sizeof(*arena)) {
		fprintf(stderr, "waymark: the plugin was given no arena\n");
		return false;
	}
	mapped = map_arena(fd);
	close(fd);
	if (!mapped) {
		fprintf(stderr, "waymark: cannot map the arena: %s\n", strerror(errno));
		return false;
	}
	if (arena->header.magic != ARENA_MAGIC ||
	    arena->header.version != ARENA_VERSION) {
		fprintf(stderr,
			"waymark: plugin and command are of different versions\n");
		return false;
	}
	atomic_store(&alive, true);
	pthread_atfork(NULL, NULL, forked_child);
	return true;
}

bool link_alive(void)
{
	return atomic_load_explicit(&alive, memory_order_relaxed);
}

struct arena *link_arena(void)
{
	return arena;
}

/* A dead collector that nobody has waited for still has its pid: ask for its state. */
static bool is_zombie(uint32_t pid)
{
	char path[32], text[128], *state;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	state = strrchr(text, ')');
	return state && (state[2] == 'Z' || state[2] == 'X');
}

static bool collector_gone(void)
{
	uint32_t pid = arena->header.collector_pid;

	return (kill((pid_t)pid, 0) < 0 && errno == ESRCH) || is_zombie(pid);
}

static void let_go(void)
{
	if (!atomic_exchange(&alive, false))
		return;
	fprintf(stderr, "waymark: the collector is gone; the program runs on untraced\n");
}

/* Wakes the collector, if it sleeps. */
static void ring(void)
{
	struct arena_header *header = &arena->header;

	if (!atomic_load(&header->sleeping))
		return;
	atomic_fetch_add(&header->doorbell, 1);
	futex_wake_all(&header->doorbell);
}

/* Waits until *tail has come within `room` of `head`; false when there is no collector. */
static bool wait_room(_Atomic uint64_t *tail, uint64_t head, uint64_t room)
{
	struct arena_header *header = &arena->header;

	while (head - atomic_load(tail) > room) {
		uint32_t seen = atomic_load(&header->room);

		atomic_fetch_add(&header->waiting, 1);
		ring();
		if (head - atomic_load(tail) > room)
			futex_wait(&header->room, seen, LOOK_MS);
		atomic_fetch_sub(&header->waiting, 1);
		if (head - atomic_load(tail) > room && collector_gone())
			return false;
		if (!link_alive())
			return false;
	}
	return true;
}

static uint64_t put(uint64_t at, const void *data, size_t bytes)
{
	size_t off = at % MESSAGE_RING_BYTES, first = MESSAGE_RING_BYTES - off;

	if (first > bytes)
		first = bytes;
	memcpy(arena->messages + off, data, first);
	memcpy(arena->messages, (const char *)data + first, bytes - first);
	return at + bytes;
}

void link_send(enum message_type type, const struct part *parts, unsigned n)
{
	struct message_header header = { .type = type };
	uint64_t head = atomic_load(&arena->header.message_head), at = head, space;

	for (unsigned i = 0; i < n; i++)
		header.bytes += (uint32_t)parts[i].bytes;
	space = message_space(header.bytes);
	if (!link_alive())
		return;
	if (!wait_room(&arena->header.message_tail, head, MESSAGE_RING_BYTES - space)) {
		let_go();
		return;
	}
	at = put(at, &header, sizeof(header));
	for (unsigned i = 0; i < n; i++)
		at = put(at, parts[i].data, parts[i].bytes);
	atomic_store_explicit(&arena->header.message_head, head + space,
			      memory_order_release);
}

void link_begin(void)
{
	if (atomic_load_explicit(&arena->header.state, memory_order_relaxed) == ARENA_NEW)
		atomic_store(&arena->header.state, ARENA_RUNNING);
}

void link_lock(void)
{
	pthread_mutex_lock(&lock);
}

void link_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

void link_attach(unsigned vcpu)
{
	struct arena_header *header = &arena->header;

	if (vcpu >= LANES_MAX || !link_alive()) {
		if (link_alive())
			atomic_fetch_add(&header->lost, 1);
		link_heads[vcpu].ids = scratch;
		return;
	}
	link_heads[vcpu].ids = arena->lanes[vcpu].ids;
	if (atomic_load(&header->lanes) <= vcpu)
		atomic_store(&header->lanes, vcpu + 1);
}

void link_segment_end(unsigned vcpu)
{
	struct lane_head *lane = &link_heads[vcpu];
	_Atomic uint64_t *tail;
	uint64_t position;

	if (atomic_load(&lane->head) >= LANE_BYTES) {
		atomic_fetch_add(&lane->laps, 1);
		atomic_store(&lane->head, 0);
	}
	if (vcpu >= LANES_MAX || !link_alive())
		return;
	position = lane_written(lane);
	tail = &arena->lanes[vcpu].tail;
	if (position - atomic_load(tail) >= LANE_WAKE)
		ring();
	if (!wait_room(tail, position, LANE_IDS - 2 * LANE_SEGMENT))
		let_go();
}

void link_finish(void)
{
	struct arena_header *header = &arena->header;

	if (!link_alive())
		return;
	atomic_store(&header->state, ARENA_EXITED);
	while (atomic_load(&header->state) != ARENA_FINISHED && !collector_gone()) {
		uint32_t seen = atomic_load(&header->room);

		atomic_fetch_add(&header->doorbell, 1);
		futex_wake_all(&header->doorbell);
		if (atomic_load(&header->state) != ARENA_FINISHED)
			futex_wait(&header->room, seen, LOOK_MS);
	}
}
