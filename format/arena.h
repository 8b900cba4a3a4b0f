/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shared memory between the plugin in a guest's process and the collector.
 *
 * Whatever kills the guest, what it wrote here stays: the collector still reads every
 * block up to the last one entered. There is one arena for each guest process:
 *
 *	+--------+-------+--------------+--------+--------+-- ...
 *	| header | heads | message ring | lane 0 | lane 1 |   (sparse: unused lanes cost nothing)
 *	+--------+-------+--------------+--------+--------+-- ...
 *
 * A lane belongs to a vCPU index: a ring of block ids, 4 bytes each. The guest thread is
 * its only writer, the collector its only reader. A *position* counts ids since the arena
 * began; `tail` is one. `head` is only the place in the ring, in bytes, because the hot
 * path is shortest so: which position that is follows from the tail, since the ring is
 * never quite full. A store to `head` releases the ids before it. The heads lie together,
 * because the plugin maps them at a place that its code knows.
 *
 * Messages carry what is rare: new blocks, their text, modules, threads that begin and
 * end, events with their position in a lane. Writers of messages hold the plugin's lock. A
 * block's message is complete before its id can be in any lane: who reads a lane's head
 * first and then all messages knows every id below that head.
 *
 * Waiting is by futex on `doorbell` (the collector's, for work) and `room` (the
 * plugin's, for space). The plugin trusts the collector; the collector trusts nothing
 * here: the guest may scribble over it.
 */
#ifndef FORMAT_ARENA_H
#define FORMAT_ARENA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define ARENA_MAGIC 0x0a4b4d57 /* "WMK\n" */
#define ARENA_VERSION 1

#define LANE_IDS (1u << 19) /* ids in a lane's ring: 2 MiB, some 1 to 5 ms of a guest */
#define LANE_SEGMENT (1u << 14)	 /* ids between two looks at the tail */
#define LANE_WAKE (LANE_IDS / 8) /* ids for which the collector is woken */
#define LANES_MAX 256
#define MESSAGE_RING_BYTES (1u << 20)
#define MESSAGE_BYTES_MAX (64u << 10)

enum arena_state {
	ARENA_NEW = 0,	    /* the plugin has not been loaded */
	ARENA_RUNNING = 1,  /* recording */
	ARENA_EXITED = 2,   /* the process ended in order: nothing more will come */
	ARENA_FINISHED = 3, /* the collector has finished the file */
};

struct arena_header {
	uint32_t magic, version;
	_Atomic uint32_t state; /* enum arena_state */
	uint32_t collector_pid; /* whom the plugin waits for */
	uint32_t guest_pid;	/* the plugin's process */
	uint32_t sizes_rule;	/* enum sizes_rule of the guest's ISA */
	char isa[32];		/* QEMU's name of it: "riscv64" */
	_Atomic uint32_t lanes; /* lanes used so far: indexes below it */
	_Atomic uint32_t lost;	/* threads not recorded: more than LANES_MAX at once */
	_Atomic uint32_t forks; /* children not recorded */

	_Alignas(64) _Atomic uint32_t doorbell; /* futex: the plugin adds 1 to wake */
	_Atomic uint32_t sleeping;		/* the collector waits at the doorbell */

	_Alignas(64) _Atomic uint32_t
		room;		  /* futex: the collector adds 1 after making room */
	_Atomic uint32_t waiting; /* threads that wait for room */

	_Alignas(64) _Atomic uint64_t message_head; /* bytes, written by the plugin */
	_Alignas(64) _Atomic uint64_t message_tail; /* bytes, written by the collector */
};

#define LANE_BYTES (LANE_IDS * 4u)

/* Of a lane, what its writer needs, in one cache line. */
struct lane_head {
	_Alignas(64) _Atomic uint32_t head; /* LANE_BYTES for a moment, before it is 0 */
	_Atomic uint32_t laps;		    /* times around, the writer's own account */
	uint32_t *ids;			    /* the writer's own address of the ring */
};

struct lane {
	_Alignas(4096) _Atomic uint64_t tail; /* a position, written by the collector */
	_Alignas(4096) uint32_t ids[LANE_IDS];
};

struct arena {
	struct arena_header header;
	_Alignas(4096) struct lane_head heads[LANES_MAX];
	_Alignas(4096) uint8_t messages[MESSAGE_RING_BYTES];
	struct lane lanes[LANES_MAX];
};

/*
 * Messages: a header, then `bytes` of payload, padded to a multiple of 8; a message may
 * wrap around the end of the ring. Payload fields are in host order (both sides are the
 * same machine) and unaligned only where noted.
 */
enum message_type {
	MESSAGE_BLOCK = 1,	/* struct message_block, sizes[insns], code[bytes] */
	MESSAGE_TEXT = 2,	/* one record of a DISA section (see format/blocks.h) */
	MESSAGE_MODULE = 3,	/* struct message_module, path without its NUL */
	MESSAGE_THREAD = 4,	/* struct message_thread: a thread begins on a lane */
	MESSAGE_THREAD_END = 5, /* struct message_thread */
	MESSAGE_EVENT = 6,	/* struct message_event, data */
};

struct message_header {
	uint32_t type;	/* enum message_type */
	uint32_t bytes; /* of the payload, without padding */
};

struct message_block {
	uint64_t address;
	uint32_t id; /* the one after the last */
	uint16_t insns, bytes;
};

struct message_module {
	uint64_t start, end, file_off;
};

struct message_thread {
	uint64_t position; /* of the lane's head at that moment */
	uint32_t vcpu, tid;
};

struct message_event {
	uint64_t position;
	uint32_t vcpu, kind;
};

static inline uint64_t message_space(uint64_t payload_bytes)
{
	return (sizeof(struct message_header) + payload_bytes + 7) & ~7ull;
}

/* The position of a lane's head, by what its writer knows. */
static inline uint64_t lane_written(const struct lane_head *head)
{
	return (uint64_t)atomic_load(&head->laps) * LANE_IDS +
	       atomic_load(&head->head) / 4;
}

/* The same by what its reader knows: at most a ring beyond its tail, whatever is there. */
static inline uint64_t lane_readable(const struct arena *arena, unsigned vcpu)
{
	uint64_t tail =
		atomic_load_explicit(&arena->lanes[vcpu].tail, memory_order_relaxed);
	uint32_t head =
		atomic_load_explicit(&arena->heads[vcpu].head, memory_order_acquire);

	return tail + (head / 4 - (uint32_t)tail) % LANE_IDS;
}

#endif
