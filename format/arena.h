/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shared memory between the plugins in the guest's processes and the collector.
 *
 * Whatever kills a guest, what it wrote here stays: the collector still reads every
 * block up to the last one entered. There is one memory for a recording, and in it an
 * arena for each process image that runs now (sparse: what is unused costs nothing):
 *
 *	+-------+--------- arena 0 ---------------------------------------+- arena 1 -
 *	| board | header | heads | tails | messages | ring 0 | ring 1 ... | header ...
 *	+-------+---------------------------------------------------------+-----------
 *
 * A process takes a free slot on the board, fills its arena's header, and makes the slot
 * ready; the collector frees it when the process is no more. A forked child takes a slot of
 * its own before it runs any guest code.
 *
 * A lane belongs to a vCPU index: a ring of block ids, 4 bytes each. The guest thread is
 * its only writer, the collector its only reader. The first lanes have large rings; where
 * more threads run, each has a part of a processor and fills a small ring in as much time.
 *
 * A *position* counts ids since the arena began; `tail` is one. `head` is only an offset in
 * the ring, in bytes, because that makes the hot path shortest. Its position follows from
 * the tail, since the ring is never quite full. A store to `head` releases the ids before
 * it. The heads lie together because the plugin maps them at an address that its code
 * knows. Ids are the process's own; a forked child continues its parent's numbering.
 *
 * Messages carry what is rare: new blocks, their text, modules, threads that begin, end, and
 * move from lane to lane, events with their position in a lane. Writers of messages hold the
 * plugin's lock, so messages are in one order for all lanes. A block's message is complete
 * before its id is in any lane: a reader that reads a lane's head first and then all
 * messages knows every id below that head.
 *
 * Waiting is by futex on `doorbell` (the collector's, for work) and `room` (the
 * plugin's, for space). The plugin trusts the collector; the collector trusts nothing
 * here: the guest may scribble over it.
 */
#ifndef FORMAT_ARENA_H
#define FORMAT_ARENA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/outlet.h"
#include "format/orders.h"

#define ARENA_MAGIC 0x0a4b4d57 /* "WMK\n" */
#define ARENA_VERSION 9

#define LANE_LARGE_IDS (1u << 19) /* ids in a ring: 2 MiB, some 1 to 5 ms of a guest */
#define LANE_SMALL_IDS (1u << 16) /* ... of the lanes from LANES_LARGE on */
#define LANE_SEGMENT (1u << 12)	  /* ids between two looks at the tail */
#define LANES_LARGE 16		  /* more threads than these share the processors */
#define LANES_MAX 8192
#define MESSAGE_RING_BYTES (1u << 18)
#define MESSAGE_WAKE (MESSAGE_RING_BYTES / 4) /* bytes for which the collector is woken */
#define MESSAGE_BYTES_MAX (64u << 10)

#define SLOTS_MAX 4096 /* process images at once */
#define SLOT_NONE UINT32_MAX

/* A slot: its state in the lowest bits, above them the pid of its process; 0: not known. */
enum slot_state {
	SLOT_FREE = 0,	/* and its arena all zeros */
	SLOT_TAKEN = 1, /* by a process that has not run guest code yet */
	SLOT_READY = 2, /* there is something to record */
};
#define SLOT_STATE_BITS 2

/*
 * The collector holds the process that a recording begins with: whoever waits for the
 * process sees its end only when the file is complete, and the collector learns how it
 * ended. The plugin asks before the guest runs; see collect/warden.c.
 */
enum hold_state {
	HOLD_NONE = 0,
	HOLD_ASKED = 1, /* by the plugin, which waits for one of: */
	HOLD_GIVEN = 2,
	HOLD_REFUSED = 3, /* the kernel does not let the collector do that */
};

struct hold {
	uint32_t pid;		   /* the first process */
	uint32_t judges;	   /* enum hold_judges */
	_Atomic uint32_t state;	   /* futex: enum hold_state */
	_Atomic uint32_t tid;	   /* the thread of it that the plugin offers */
	_Atomic uint32_t becoming; /* the process is in execve() */
	_Atomic int32_t status;	   /* that it is to exit with instead; -1: its own */
};

/* Whether the exit status of the first process can become the recorder's. */
enum hold_judges {
	JUDGES_NEVER = 0,
	JUDGES_START = 1, /* when QEMU does not even start the guest */
	JUDGES_END = 2,	  /* and at its end, too: the process waits for hold.status */
};

struct board {
	uint32_t magic, version;
	uint32_t collector_pid;	   /* whom the plugins wait for */
	uint32_t follow;	   /* children are recorded, and programs they become */
	uint32_t precise;	   /* every instruction is a block */
	char path[64];		   /* by which another process opens this memory */
	char qemu_version[32];	   /* "7.2.22", of all of them; empty: not known */
	struct outlet outlet;	   /* where stderr led when the recording was started */
	_Atomic uint32_t left_out; /* forked processes that nobody wanted to be recorded */
	_Atomic uint32_t lost;	   /* processes that found no free slot */
	struct hold hold;
	_Atomic uint32_t over; /* futex: 1 when the file is complete, and all is said */

	_Alignas(64) _Atomic uint32_t doorbell; /* futex: the plugins add 1 to wake */
	_Atomic uint32_t sleeping;		/* the collector waits at the doorbell */

	/*
	 * All slots exist from the start: a process takes the first free one without waiting.
	 * When none is free, it adds 1 to `asked`, rings, and sleeps on `looked`. The
	 * collector frees the slots of dead processes, adds 1 to `looked`, and stores in
	 * `refused` up to which of those who asked there was none: they run unrecorded, because
	 * the processes in the slots may live for ever.
	 */
	_Alignas(64) _Atomic uint32_t slots; /* how many arenas the memory has */
	_Atomic uint32_t top;		     /* all slots ever taken are below it */
	_Atomic uint32_t asked, refused;
	_Atomic uint32_t looked; /* futex */
	_Alignas(64) _Atomic uint32_t slot[SLOTS_MAX];

	/* Ids that a lane may have which the collector has not taken; 0: what fits. */
	_Atomic uint32_t backlog;

	struct orders orders; /* what the collector wants */
};

enum arena_state {
	ARENA_RUNNING = 0,
	ARENA_EXITED = 1, /* the process ended in order: nothing more will come */
};

struct arena_header {
	uint32_t magic; /* as the board's, from when the slot was taken to when it is free */
	_Atomic uint32_t state; /* enum arena_state */
	uint32_t guest_pid;	/* the plugin's process, as the collector sees it; or 0 */
	uint32_t parent;	/* slot of the process it was forked from, or SLOT_NONE */
	uint32_t inherited;	/* ids it has from there: 1..inherited */
	uint64_t begin_ns;   /* CLOCK_MONOTONIC: since then it is a process of its own */
	uint32_t sizes_rule; /* enum sizes_rule of the guest's ISA */
	uint32_t blind;	     /* where signals hit cannot be seen on this host */
	char isa[32];	     /* QEMU's name of it: "riscv64" */
	char program[512];   /* the guest program's path, cut when it is longer */
	_Atomic uint32_t lanes; /* lanes used so far: indexes below it */
	_Atomic uint32_t lost;	/* threads not recorded: more than LANES_MAX at once */
	_Atomic uint32_t exits; /* exit_group() was called, with status ... */
	_Atomic uint32_t exit_status;

	/* Forks begun; of these, children that have a slot, and forks that failed. */
	_Atomic uint32_t forks, forks_placed, forks_failed;

	_Alignas(64) _Atomic uint32_t
		room;		  /* futex: the collector adds 1 after making room */
	_Atomic uint32_t waiting; /* threads that wait for room */

	_Alignas(64) _Atomic uint64_t message_head; /* bytes, written by the plugin */
	_Alignas(64) _Atomic uint64_t message_tail; /* bytes, written by the collector */
};

/*
 * Of a lane, what its writer needs, in one cache line. Where windows and filters leave
 * something out the lane has a gap, an id like a block's whose MESSAGE_BLOCK
 * has no instructions: at least one between two blocks that did not follow each other.
 */
struct lane_head {
	_Alignas(64) _Atomic uint32_t
		head;	       /* the ring's size for a moment, before it is 0 */
	_Atomic uint32_t laps; /* times around, the writer's own account */
	uint32_t *ids;	       /* the writer's own address of the ring */
	/*
	 * Instructions that the thread executed, and those of them that were recorded. Only
	 * code that must look counts: what is left are those that were left out.
	 */
	uint64_t executed, recorded;
	uint64_t next; /* the count of `executed` at which it looks for work */
	uint64_t last; /* the piece it entered last: see plugin/core/pieces.c */

	/* The position after the block in which the thread last called the kernel. */
	_Atomic uint64_t called;
};
_Static_assert(sizeof(struct lane_head) == 64, "one cache line");

struct lane_tail {
	_Alignas(64) _Atomic uint64_t tail; /* a position, written by the collector */
};

struct arena {
	struct arena_header header;
	_Alignas(4096) struct lane_head heads[LANES_MAX];
	_Alignas(4096) struct lane_tail tails[LANES_MAX];
	_Alignas(4096) uint8_t messages[MESSAGE_RING_BYTES];
	/* The rings: lane_ring() says which is whose. */
	_Alignas(4096) uint32_t large[LANES_LARGE][LANE_LARGE_IDS];
	uint32_t small[LANES_MAX - LANES_LARGE][LANE_SMALL_IDS];
};
_Static_assert(sizeof(struct arena) <= 1ull << 32, "many arenas fit an address space");

/* The ring of lane `vcpu`, below LANES_MAX, and how many ids it has: a power of two. */
static inline uint32_t *lane_ring(struct arena *arena, unsigned vcpu)
{
	return vcpu < LANES_LARGE ? arena->large[vcpu] : arena->small[vcpu - LANES_LARGE];
}

static inline uint32_t lane_ids(unsigned vcpu)
{
	return vcpu < LANES_LARGE ? LANE_LARGE_IDS : LANE_SMALL_IDS;
}

/* Ids for which the collector is woken. */
static inline uint32_t lane_wake(unsigned vcpu)
{
	return vcpu < LANES_LARGE ? LANE_LARGE_IDS / 8 : LANE_SMALL_IDS / 4;
}

/*
 * Messages: a header, then `bytes` of payload, padded to a multiple of 8; a message may
 * wrap around the end of the ring, between any two words of 8 bytes. Payload fields are in host order (both sides are the
 * same machine) and unaligned only where noted.
 */
enum message_type {
	MESSAGE_BLOCK = 1,	/* struct message_block, sizes[insns], code[bytes] */
	MESSAGE_TEXT = 2,	/* one record of a DISA section (see format/blocks.h) */
	MESSAGE_MODULE = 3,	/* struct message_module, path without its NUL */
	MESSAGE_THREAD = 4,	/* struct message_thread: a thread begins on a lane */
	MESSAGE_THREAD_IS = 5,	/* the same, when its id or name has become known */
	MESSAGE_THREAD_END = 6, /* the same */
	MESSAGE_EVENT = 7,	/* struct message_event, fields, text */
	MESSAGE_LEFT = 8,	/* struct message_left */
	MESSAGE_ROUTE = 9,	/* struct message_route; none in user mode */
};

struct message_header {
	uint32_t type;	/* enum message_type */
	uint32_t bytes; /* of the payload, without padding */
	uint64_t check; /* message_check() */
};

struct message_block {
	uint64_t address;
	uint32_t id; /* the one after the last */
	uint16_t insns, bytes;
	uint32_t apart; /* no other process's: code of another file ran at its place */
	uint32_t unused;
};

struct message_module {
	uint64_t start, end, file_off;
	uint64_t dev, ino, mtime_ns; /* of the file, as stat() has them; or 0 */
	uint64_t ns;		     /* CLOCK_MONOTONIC */
};

/* A name may follow: then it is the thread's. */
struct message_thread {
	uint64_t position; /* of the lane's head at that moment */
	uint64_t passed;   /* the same of lane_passed() */
	uint64_t ns;	   /* CLOCK_MONOTONIC */
	uint32_t vcpu, tid;
	uint32_t called; /* the block before it ended in a system call */
	uint32_t thread; /* its number in the image, below LANES_MAX; in user mode, vcpu */
};

#define LANE_NONE UINT32_MAX
#define THREAD_NONE UINT32_MAX

/*
 * From `position` on, the ids of a lane belong to another thread, which has begun and is on no
 * lane; or to nobody, THREAD_NONE. A thread that leaves one lane for another has left the
 * first one, by a message of its own, before it comes to the second.
 */
struct message_route {
	uint64_t position;
	uint32_t vcpu, thread;
};

/* The fields of its kind follow, 8 bytes each, then text. See format/events.def. */
struct message_event {
	uint64_t position;
	uint64_t ns;   /* CLOCK_MONOTONIC */
	uint32_t vcpu; /* LANE_NONE: it is of no thread's sequence */
	uint16_t kind;
	uint16_t called; /* the block before it ended in a system call */
};

/* A lane's block was left at `pc`, which began: QEMU runs that instruction alone. */
struct message_left {
	uint64_t position; /* after the block's id */
	uint64_t pc;
	uint32_t vcpu, reserved;
};

#define BOARD_BYTES (16u << 20) /* sparse, too */
_Static_assert(sizeof(struct board) <= BOARD_BYTES, "the board fits its place");

/* Where the arena of a slot is in the memory, and how long the memory is for so many. */
static inline uint64_t arena_off(uint32_t slot)
{
	return BOARD_BYTES + (uint64_t)slot * sizeof(struct arena);
}

/* The sum of words of 8 bytes; `from` is aligned to them. */
static inline uint64_t words_sum(const void *from, size_t bytes)
{
	const uint64_t *words = from;
	uint64_t sum = 0;

	for (size_t i = 0; i < bytes / sizeof(*words); i++)
		sum += words[i];
	return sum;
}

/*
 * A header's `check`, of the position it is at and of the sum of the words after it, padding
 * included: what is left in the ring of a former lap, or of nothing at all, is no message.
 */
static inline uint64_t message_check(uint64_t position, uint32_t type, uint32_t bytes,
				     uint64_t sum)
{
	return ~(position + ((uint64_t)bytes << 32 | type) + sum);
}

static inline uint32_t slot_word(uint32_t pid, enum slot_state state)
{
	return pid << SLOT_STATE_BITS | state;
}

static inline enum slot_state slot_state(uint32_t word)
{
	return word & ((1u << SLOT_STATE_BITS) - 1);
}

static inline uint64_t message_space(uint64_t payload_bytes)
{
	return (sizeof(struct message_header) + payload_bytes + 7) & ~7ull;
}

/* Of plain fields: what the other side may change meanwhile is to be read once. */
static inline uint32_t read_once(const uint32_t *field)
{
	return *(const volatile uint32_t *)field;
}

/* Instructions that the lane's thread executed unrecorded, as far as they are counted. */
static inline uint64_t lane_passed(const struct lane_head *head)
{
	return *(const volatile uint64_t *)&head->executed -
	       *(const volatile uint64_t *)&head->recorded;
}

/* The position of a lane's head, by what its writer knows. */
static inline uint64_t lane_written(const struct lane_head *head, unsigned vcpu)
{
	return (uint64_t)atomic_load(&head->laps) * lane_ids(vcpu) +
	       atomic_load(&head->head) / 4;
}

/* The id that was written last; 0: there was none yet. For its writer. */
static inline uint32_t lane_last(const struct lane_head *head, unsigned vcpu)
{
	uint32_t next = atomic_load_explicit(&head->head, memory_order_relaxed) / 4;

	return head->ids[(next - 1) % lane_ids(vcpu)];
}

/*
 * The position of its head by what its reader knows, its own account of the tail: at most a ring beyond it,
 * whatever is there.
 */
static inline uint64_t lane_readable(const struct arena *arena, unsigned vcpu,
				     uint64_t tail)
{
	uint32_t head =
		atomic_load_explicit(&arena->heads[vcpu].head, memory_order_acquire);

	return tail + (head / 4 - (uint32_t)tail) % lane_ids(vcpu);
}

/*
 * Signals arrive between two blocks, unless an instruction raises them: SIGILL, SIGTRAP,
 * SIGBUS, SIGFPE or SIGSEGV with an si_code above 0.
 */
static inline bool signal_is_raised(uint64_t signal, int32_t code)
{
	static const uint32_t raised = 1 << 4 | 1 << 5 | 1 << 7 | 1 << 8 | 1 << 11;

	return signal <= 31 && (raised >> signal & 1) && code > 0;
}

#endif
