// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The plugin's end of the shared memory. Messages go into one ring for the whole process,
 * under a lock; a release store of message_head publishes them. Ids go into a ring for
 * each vCPU without a lock (plugin/core/lane.h); this file sees a lane once every
 * LANE_SEGMENT ids.
 *
 * Invariant: nothing here harms the guest. Each wait for the collector has a timeout,
 * after which the collector is looked for. When it is gone, let_go() clears `alive`: from
 * then on nobody waits and nothing is sent, one line on stderr reports it, and the guest
 * runs on untraced.
 *
 * Example: with the head 24 bytes before the ring's end, a message with a payload of 40
 * bytes takes 56: the header's 16 and the payload's first 8 before the end, the other 32
 * at the start. The header is stored last, with a checksum over both parts.
 */
#include "plugin/core/link.h"

#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/futex.h"
#include "format/values.h"
#include "plugin/core/doorbell.h"
#include "plugin/core/notice.h"

static struct board *board;
static struct arena *arena;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool alive;  /* there is someone to write for */
static _Atomic bool orphan; /* the collector has gone */

bool link_open(int fd, const char *guide, bool fetches)
{
	if (!slot_open(fd, guide, fetches))
		return false;
	board = slot_board();
	arena = slot_arena();
	atomic_store(&alive, true);
	return true;
}

bool link_follows(void)
{
	return board->follow;
}

bool link_alive(void)
{
	return atomic_load_explicit(&alive, memory_order_relaxed);
}

static void let_go(void)
{
	/* Several threads may notice at the same time; one line on stderr is enough. */
	if (atomic_exchange(&orphan, true))
		return;
	atomic_store(&alive, false);
	/*
	 * After a regular end of the recording there is nothing to report: the file is
	 * complete.
	 */
	if (!atomic_load(&board->over))
		notice("the collector is gone; the guest runs on untraced");
}

/*
 * Waits once, at most COLLECTOR_POLL_MS, for *tail to come within `room` of `head`.
 * `waiting` is raised before the tail is read, and the collector adds 1 to `room` after
 * it has moved the tail. So either this sees the new tail, or `room` no longer has the
 * value `seen` and futex_wait() returns at once.
 */
static void wait_once(_Atomic uint64_t *tail, uint64_t head, uint64_t room)
{
	struct arena_header *header = &arena->header;
	uint32_t seen = atomic_load(&header->room);

	atomic_fetch_add(&header->waiting, 1);
	doorbell_ring();
	if (head - atomic_load(tail) > room)
		futex_wait(&header->room, seen, COLLECTOR_POLL_MS);
	atomic_fetch_sub(&header->waiting, 1);
}

/*
 * Waits until *tail has come within `room` of `head`; false when there is no collector.
 */
static bool wait_room(_Atomic uint64_t *tail, uint64_t head, uint64_t room)
{
	while (head - atomic_load(tail) > room) {
		wait_once(tail, head, room);
		/*
		 * The search for the collector reads /proc, so it comes after a timed
		 * wait, never first.
		 */
		if (head - atomic_load(tail) > room && collector_is_gone())
			return false;
		if (!link_alive())
			return false;
	}
	return true;
}

/* The sum of words [at, end) of the message ring. */
static uint64_t ring_sum(uint64_t at, uint64_t end)
{
	size_t off = at % MESSAGE_RING_BYTES, bytes = end - at;
	/*
	 * Heads and payloads are padded to 8 bytes and the ring is a multiple of 8, so no
	 * word of the sum straddles the end.
	 */
	size_t first = MESSAGE_RING_BYTES - off;

	if (first > bytes)
		first = bytes;
	return words_sum(arena->messages + off, first) +
	       words_sum(arena->messages, bytes - first);
}

static uint64_t put(uint64_t at, const void *data, size_t bytes)
{
	size_t off = at % MESSAGE_RING_BYTES, first = MESSAGE_RING_BYTES - off;

	if (!bytes) /* then `data` may be NULL */
		return at;
	if (first > bytes)
		first = bytes;
	memcpy(arena->messages + off, data, first);
	if (first < bytes)
		memcpy(arena->messages, (const char *)data + first, bytes - first);
	return at + bytes;
}

void link_send(enum message_type type, const struct message_part *parts, unsigned n)
{
	struct message_header header = { .type = type };
	uint64_t head = atomic_load(&arena->header.message_head), at = head, space;

	for (unsigned i = 0; i < n; i++)
		header.bytes += (uint32_t)parts[i].bytes;
	/* The padding is whatever the ring had there; the checksum covers it as it is. */
	space = message_space(header.bytes);
	if (!link_alive())
		return;
	if (!wait_room(&arena->header.message_tail, head, MESSAGE_RING_BYTES - space)) {
		let_go();
		return;
	}
	/*
	 * The payload first, then the header, whose checksum covers both: what is half
	 * written is no message, whatever happens to message_head.
	 */
	at += sizeof(header);
	for (unsigned i = 0; i < n; i++)
		at = put(at, parts[i].data, parts[i].bytes);
	header.check = message_check(head, type, header.bytes,
				     ring_sum(head + sizeof(header), head + space));
	put(head, &header, sizeof(header));
	atomic_store_explicit(&arena->header.message_head, head + space,
			      memory_order_release);
	/* One ring of the doorbell per quarter of the buffer, not per message. */
	if (head / MESSAGE_WAKE != (head + space) / MESSAGE_WAKE)
		doorbell_ring();
}

void link_settle(void)
{
	uint64_t head = atomic_load(&arena->header.message_head);

	/*
	 * Room 0: all messages must have been taken. The caller holds the lock, so `head`
	 * cannot move.
	 */
	while (atomic_load(&arena->header.message_tail) != head && link_alive() &&
	       !collector_is_gone())
		wait_once(&arena->header.message_tail, head, 0);
}

uint64_t link_position(unsigned vcpu)
{
	return lane_written(&lane_heads[vcpu], vcpu);
}

uint32_t link_last_id(unsigned vcpu)
{
	/* The id that was stored last may be a firing's. */
	if (value_head(vcpu)->block && !values_are_rare(arena->header.values))
		return value_head(vcpu)->block;
	return link_position(vcpu) ? lane_last(&lane_heads[vcpu], vcpu) : 0;
}

bool link_has_called(unsigned vcpu)
{
	return atomic_load_explicit(&lane_heads[vcpu].called, memory_order_relaxed) ==
	       link_position(vcpu);
}

static void send_event(unsigned vcpu, uint32_t kind, const uint64_t *fields, unsigned n,
		       const char *text)
{
	struct message_event event = {
		.ns = clock_ns(),
		.vcpu = vcpu,
		.kind = (uint16_t)kind,
	};

	/*
	 * Threads beyond the last lane are not recorded, so their events have no
	 * position.
	 */
	if (!link_alive() || (vcpu >= LANES_MAX && vcpu != LANE_NONE))
		return;
	if (vcpu != LANE_NONE) {
		event.position = link_position(vcpu);
		event.called = link_has_called(vcpu);
	}
	link_send(MESSAGE_EVENT,
		  (struct message_part[]){ { &event, sizeof(event) },
					   { fields, n * sizeof(*fields) },
					   { text, text ? strlen(text) : 0 } },
		  3);
}

void link_event_locked(unsigned vcpu, uint32_t kind, const uint64_t *fields, unsigned n,
		       const char *text)
{
	probes_fire(kind, fields, n, text);
	if (link_keeps(kind))
		send_event(vcpu, kind, fields, n, text);
}

void link_event_needed(unsigned vcpu, uint32_t kind, const uint64_t *fields, unsigned n)
{
	link_lock();
	send_event(vcpu, kind, fields, n, NULL);
	link_unlock();
}

void link_called(unsigned vcpu)
{
	atomic_store_explicit(&lane_heads[vcpu].called, link_position(vcpu),
			      memory_order_relaxed);
}

void link_left(unsigned vcpu, uint64_t pc, bool done)
{
	struct message_left left = {
		.position = link_position(vcpu), .pc = pc, .vcpu = vcpu, .done = done
	};

	/*
	 * A block that ended in a system call ran to its end: it cannot also have been
	 * left early.
	 */
	if (vcpu >= LANES_MAX || !link_alive() || link_has_called(vcpu))
		return;
	link_lock();
	link_send(MESSAGE_LEFT, &(struct message_part){ &left, sizeof(left) }, 1);
	link_unlock();
}

void link_event(unsigned vcpu, uint32_t kind, const uint64_t *fields, unsigned n,
		const char *text)
{
	link_lock();
	link_event_locked(vcpu, kind, fields, n, text);
	link_unlock();
}

static bool has_begun;

void link_begin(void)
{
	has_begun = true;
	if (link_alive())
		slot_ready();
}

bool link_has_begun(void)
{
	return has_begun;
}

/* ---- fork ---------------------------------------------------------------- */

/*
 * When the fork began. The child inherits the blocks and modules that the parent sent up
 * to then.
 */
static uint64_t fork_ns;

void link_before_fork(void)
{
	/*
	 * Held across fork(): the child copies a ring and tables in which no message is
	 * half written.
	 */
	pthread_mutex_lock(&lock);
	fork_ns = clock_ns();
	if (link_alive() && board->follow)
		atomic_fetch_add(&arena->header.forks, 1);
}

void link_after_fork(void)
{
	pthread_mutex_unlock(&lock);
}

void link_fork_failed(void)
{
	if (link_alive() && board->follow)
		atomic_fetch_add(&arena->header.forks_failed, 1);
}

bool link_in_child(uint32_t inherited)
{
	uint32_t lanes = slot_lanes();

	/* The copy is locked by the parent's thread, which does not exist here. */
	pthread_mutex_init(&lock, NULL);
	if (!link_alive() || !board->follow) {
		slot_leave(); /* two writers of one lane would run over its end */
		atomic_store(&alive, false);
		return false;
	}
	atomic_store(&alive, slot_fork(inherited, fork_ns));
	if (!link_alive())
		return false;
	arena = slot_arena();
	for (uint32_t i = 0; i < lanes; i++)
		link_attach(i);
	return true;
}

/* ---- lanes --------------------------------------------------------------- */

void link_lock(void)
{
	uint64_t head;

	pthread_mutex_lock(&lock);
	/* A message usually follows; the collector's core had its cache lines last. */
	head = atomic_load_explicit(&arena->header.message_head, memory_order_relaxed);
	__builtin_prefetch(arena->messages + head % MESSAGE_RING_BYTES, 1);
}

void link_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

void link_attach(unsigned vcpu)
{
	struct arena_header *header = &arena->header;
	struct lane_head *lane = &lane_heads[vcpu];

	lane->ids = slot_ids(vcpu);
	/*
	 * `head` and `laps` stay: a new thread on this vCPU index continues the lane's
	 * positions.
	 */
	lane->executed = lane->recorded = lane->next = lane->last = 0;
	if (slot_words(vcpu)) {
		value_head(vcpu)->words = slot_words(vcpu);
		value_head(vcpu)->block = value_head(vcpu)->place = 0;
	}
	if (!link_alive())
		return;
	if (vcpu >= LANES_MAX)
		/* Counted in the file's end. The thread runs with scratch memory. */
		atomic_fetch_add(&header->lost, 1);
	else if (atomic_load(&header->lanes) <= vcpu)
		atomic_store(&header->lanes, vcpu + 1);
}

/*
 * How many items of `bytes` a lane may be ahead of the collector: its share, and no more than
 * `most`. Of a thousand threads that run, the collector may get a thousandth of the processor,
 * and notices too late what they hold. Half of the room is divided, because the first threads
 * begin while there are few.
 */
static uint64_t share(uint64_t most, size_t bytes)
{
	uint32_t lanes = atomic_load_explicit(&arena->header.lanes, memory_order_relaxed);
	uint64_t items = board->rings_bytes / 2 / (lanes ? lanes : 1) / bytes;

	return board->rings_bytes && items < most ? items : most;
}

/* How many undrained ids a lane may have before its thread waits: a segment at least. */
static uint64_t backlog(unsigned vcpu)
{
	/*
	 * The writer checks once per segment, so it may be a segment beyond its last
	 * check. One more segment keeps the ring from ever being quite full, which
	 * lane_readable() relies on: a full ring would look empty.
	 */
	uint64_t most = share(lane_ids(vcpu) - 2 * LANE_SEGMENT, sizeof(uint32_t));
	uint64_t wanted = atomic_load_explicit(&board->backlog, memory_order_relaxed);

	if (wanted && wanted < most)
		most = wanted;
	return most > LANE_SEGMENT ? most : LANE_SEGMENT;
}

/* The position of a lane's values, from the writer's fields. */
static uint64_t values_written(unsigned vcpu)
{
	const struct value_head *values = value_head(vcpu);

	return (uint64_t)atomic_load(&values->laps) * lane_words(vcpu) +
	       atomic_load(&values->head) / sizeof(uint64_t);
}

/* The id that ends the segment has been stored, and nothing after it. */
static void put_mark(unsigned vcpu)
{
	uint32_t head = atomic_load(&lane_heads[vcpu].head) / sizeof(uint32_t);

	arena->value_marks[vcpu].at[head / LANE_SEGMENT - 1] = values_written(vcpu);
}

void link_segment_end(unsigned vcpu)
{
	struct lane_head *lane = &lane_heads[vcpu];
	_Atomic uint64_t *tail;
	uint64_t position;

	if (arena->header.values && vcpu < LANES_MAX)
		put_mark(vcpu);

	/*
	 * Before the store of 0, `head` is at the ring's size. lane_readable() takes it
	 * modulo the ring, so the collector sees the same position in both cases.
	 */
	if (atomic_load(&lane->head) >= lane_ids(vcpu) * sizeof(uint32_t)) {
		atomic_fetch_add(&lane->laps, 1);
		atomic_store(&lane->head, 0);
	}
	/*
	 * The wrap above must happen for scratch memory as well, or its writer would run
	 * over its end.
	 */
	if (vcpu >= LANES_MAX || !link_alive())
		return;
	position = lane_written(lane, vcpu);
	tail = &arena->tails[vcpu].tail;
	if (position - atomic_load(tail) >= lane_wake(vcpu))
		doorbell_ring();
	if (!wait_room(tail, position, backlog(vcpu)))
		let_go();
}

/* How many words may wait for the collector. */
static uint64_t values_backlog(unsigned vcpu)
{
	/*
	 * The words of the block that runs wait until it is known how much of it ran,
	 * which is at the next id: there must be room for all of them.
	 */
	uint64_t least = 4 * VALUE_SEGMENT;
	uint64_t most = share(lane_words(vcpu) - 2 * VALUE_SEGMENT, sizeof(uint64_t));

	if (atomic_load_explicit(&board->backlog, memory_order_relaxed) || most < least)
		return least;
	return most;
}

void link_values_end(unsigned vcpu)
{
	struct value_head *values = value_head(vcpu);
	_Atomic uint64_t *tail;
	uint64_t position;

	/* As in link_segment_end(). */
	if (atomic_load(&values->head) >= lane_words(vcpu) * sizeof(uint64_t)) {
		atomic_fetch_add(&values->laps, 1);
		atomic_store(&values->head, 0);
	}
	if (vcpu >= LANES_MAX || !link_alive())
		return;
	position = values_written(vcpu);
	tail = &arena->value_tails[vcpu].tail;
	if (position - atomic_load(tail) >= lane_words(vcpu) / 8)
		doorbell_ring();
	if (!wait_room(tail, position, values_backlog(vcpu)))
		let_go();
}

void link_exit(void)
{
	if (!link_alive())
		return;
	atomic_store(&arena->header.state, ARENA_EXITED);
	doorbell_ring();
}
