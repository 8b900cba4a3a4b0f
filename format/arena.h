/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shared memory between the plugins in the guest's processes and the collector.
 *
 * The memory outlives its writers: however a guest dies, the collector reads every block
 * up to the last one entered. A recording has one memory, with one arena for each running
 * process image. It is sparse: unused parts take no pages.
 *
 *	+-------+--------- arena 0 ---------------------------------------+- arena 1 -
 *	| board | header | heads | tails | messages | ring 0 | ring 1 ... | header ...
 *	+-------+---------------------------------------------------------+-----------
 *
 * A process takes a free slot on the board, fills its arena's header, and marks the slot
 * ready. The collector frees the slot when the process is gone. A forked child takes a
 * slot of its own before it runs any guest code.
 *
 * A lane belongs to a vCPU index: a ring of block ids, 4 bytes each. The guest thread is its
 * only writer, the collector its only reader. The first LANES_LARGE lanes have large rings.
 * More threads than that share processors, so that small rings last as long.
 *
 * A *position* counts ids since the arena began. `tail` is a position. `head` is only a byte
 * offset in the ring, because that makes the hot path shortest. The ring is never completely
 * full, so the tail and the offset determine the head's position. A store to `head` releases the
 * ids before it. The heads are adjacent because the plugin maps them at an address that its code
 * knows. Ids are per process; a forked child continues its parent's numbering.
 *
 * Messages carry rare data: new blocks and their text, modules, the beginning and end of threads,
 * their moves between lanes, and events with their position in a lane. Writers of messages hold
 * the plugin's lock, so one order covers all lanes. A block's message is complete before its id is
 * in any lane: a reader that first reads a lane's head and then all messages knows every id below
 * that head.
 *
 * Where data beside the path is wanted, each lane has a second ring, of *values*: 8-byte
 * words in the order of execution, the addresses and data of memory accesses. Which words
 * come is known from the ids (format/values.h), so the ring has nothing but words. What
 * the ids do not say is a *firing*: an id in the lane that is no block's, defined by a
 * MESSAGE_FIRING; its words are in the value ring before the id is in the lane.
 *
 * Both sides wait on futexes: the collector on `doorbell`, for work; the plugin on `room`, for
 * space. The plugin trusts this memory. The collector does not: the guest can overwrite it.
 */
#ifndef FORMAT_ARENA_H
#define FORMAT_ARENA_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/outlet.h"
#include "format/guest_linux.h"
#include "format/handout.h"
#include "format/lend.h"
#include "format/orders.h"

#define ARENA_MAGIC 0x0a4b4d57 /* "WMK\n" */
#define ARENA_VERSION 24
/* Of the plugin's second loading (plugin/core/callbacks.c). */
#define SPARE_ARGUMENT ",spare=yes"

#define LANE_LARGE_IDS (1u << 19)    /* ids in a ring: 2 MiB, filled in about 1 to 5 ms */
#define LANE_SMALL_IDS (1u << 16)    /* the same for lanes from LANES_LARGE on */
#define LANE_SEGMENT (1u << 12)	     /* ids between two checks of the tail */
#define LANE_LARGE_VALUES (1u << 20) /* words in a ring of values: 8 MiB */
#define LANE_SMALL_VALUES (1u << 14) /* more than a block's accesses have, 2048 at most */
#define VALUE_SEGMENT (1u << 10)     /* words between two checks of the tail */
#define LANES_LARGE 16 /* with more threads than this, several share a processor */
#define LANES_MAX 8192
#define MESSAGE_RING_BYTES (1u << 18)
#define MESSAGE_WAKE (MESSAGE_RING_BYTES / 4) /* unread bytes that wake the collector */
#define MESSAGE_BYTES_MAX (64u << 10)

#define SLOTS_MAX 4096 /* process images that run at the same time */
#define SLOT_NONE UINT32_MAX

/*
 * A word of board.slot[]: the state in the lowest bits, the pid above. Pid 0: not known.
 */
enum slot_state {
	SLOT_FREE = 0,	/* its arena is all zeros */
	SLOT_TAKEN = 1, /* by a process that has not run guest code yet */
	SLOT_READY = 2, /* its arena has data to collect */
};
#define SLOT_STATE_BITS 2

/*
 * The collector holds the first process of a recording (ptrace): the process's parent
 * sees its end only when the file is complete, and the collector learns its exit status.
 * The plugin asks for this before the guest runs; see collect/warden.c.
 */
enum hold_state {
	HOLD_NONE = 0,
	HOLD_ASKED = 1, /* by the plugin, which waits for one of the next two */
	HOLD_GIVEN = 2,
	HOLD_REFUSED = 3, /* the kernel does not allow it */
};

struct hold {
	uint32_t pid;		   /* the first process */
	uint32_t judges;	   /* enum hold_judges */
	_Atomic uint32_t state;	   /* futex: enum hold_state */
	_Atomic uint32_t tid;	   /* the thread of that process that the plugin offers */
	_Atomic uint32_t becoming; /* how many of its threads are in execve() */
	_Atomic uint32_t leaving;  /* ... of these for a program that is not recorded */
	_Atomic uint32_t waits;	   /* it waits in its exit although it is held */
	_Atomic int32_t status; /* exit status to use instead of its own; -1: its own */
};

/* When the recorder decides the exit status of the first process. */
enum hold_judges {
	JUDGES_NEVER = 0,
	JUDGES_START = 1, /* only when QEMU fails to start the guest */
	JUDGES_END = 2,	  /* also at its end: the process waits for hold.status */
};

struct board {
	uint32_t magic, version;
	uint32_t collector_pid; /* the plugins check that it lives while they wait */
	uint32_t follow;  /* record forked children and programs started by execve() */
	uint32_t precise; /* every instruction is a block */
	uint32_t values;  /* enum values_wanted; fetches are of processes with guides */
	char path[64];	  /* by which another process opens this memory */
	struct handout handout;	 /* ... or asks for it */
	char qemu_version[32];	 /* "7.2.22", of all processes; empty: not known */
	char lends[LENDS_BYTES]; /* what guides add to programs (lend.h); empty: nothing */
	struct outlet outlet;	 /* where stderr led when the recording started */
	_Atomic uint32_t left_out; /* forked processes that are not recorded on purpose */
	_Atomic uint32_t lost;	   /* processes that found no free slot */
	_Atomic uint32_t foreign; /* processes that became a program of another machine */
	char foreign_program[64]; /* such a program */
	struct hold hold;
	_Atomic uint32_t over; /* futex: 1 when the file is complete and reported */

	_Alignas(64) _Atomic uint32_t doorbell; /* futex: the plugins add 1 to wake */
	_Atomic uint32_t sleeping;		/* the collector waits at the doorbell */

	/*
	 * All slots exist from the start: a process takes the first free one. When none is free, it
	 * adds 1 to `asked`, rings the doorbell, and sleeps on `looked`. The collector frees the
	 * slots of dead processes, adds 1 to `looked`, and raises `refused` to the last request that
	 * it cannot serve. Refused processes run unrecorded: those in the slots may live for ever.
	 */
	_Alignas(64) _Atomic uint32_t slots; /* number of arenas in the memory */
	_Atomic uint32_t top;		     /* every slot ever taken is below it */
	_Atomic uint32_t asked, refused;
	_Atomic uint32_t looked; /* futex */
	_Alignas(64) _Atomic uint32_t slot[SLOTS_MAX];

	/* Most ids of a lane that the collector has not read yet; 0: as many as fit. */
	_Atomic uint32_t backlog;
	uint64_t rings_bytes; /* what the rings of a process may hold; 0: no bound */

	struct orders orders;	   /* what the collector wants recorded */
	struct guest_linux kernel; /* of the machine, written before it runs */
};

enum arena_state {
	ARENA_RUNNING = 0,
	ARENA_EXITED = 1, /* the process ended in order: no more data follows */
};

struct arena_header {
	uint32_t magic;		/* ARENA_MAGIC while the slot is in use */
	_Atomic uint32_t state; /* enum arena_state */
	uint32_t guest_pid;	/* the plugin's pid as the collector sees it; or 0 */
	uint32_t parent;	/* slot of the process it was forked from, or SLOT_NONE */
	uint32_t inherited;	/* ids 1..inherited are those of the parent */
	uint64_t begin_ns;	/* CLOCK_MONOTONIC: when it became a process of its own */
	uint32_t sizes_rule;	/* enum sizes_rule of the guest's ISA */
	uint32_t blind;		/* this host cannot show where a signal arrives */
	uint32_t values;	/* enum values_wanted: what it records beside the path */
	char isa[32];		/* the ISA as QEMU names it: "riscv64" */
	char program[512];	/* path of the guest program, cut when it is longer */
	char guide[GUIDE_NAME_BYTES]; /* of a managed program; "": none */
	_Atomic uint32_t lanes;	      /* lanes used so far have indexes below it */
	_Atomic uint32_t lost;	 /* threads not recorded: more than LANES_MAX at once */
	_Atomic uint32_t unseen; /* values at places that QEMU did not show */
	_Atomic uint32_t exits;	 /* exit_group() was called, with status ... */
	_Atomic uint32_t exit_status;

	/* Forks begun; children of these that have a slot; forks that failed. */
	_Atomic uint32_t forks, forks_placed, forks_failed;

	_Alignas(64) _Atomic uint32_t room; /* futex: one more after making room */
	_Atomic uint32_t waiting;	    /* threads that wait for room */

	_Alignas(64) _Atomic uint64_t message_head; /* bytes, written by the plugin */
	_Alignas(64) _Atomic uint64_t message_tail; /* bytes, written by the collector */
};

/*
 * A lane as its writer needs it, in one cache line.
 *
 * Windows and filters leave code out. A gap id then stands in the lane: an id like a
 * block's, whose MESSAGE_BLOCK has no instructions. At least one gap id is between two
 * blocks that did not run one after the other.
 */
struct lane_head {
	_Alignas(64) _Atomic uint32_t head; /* before it is 0, once the ring's size */
	_Atomic uint32_t laps;		    /* complete rounds, the writer's own count */
	uint32_t *ids; /* address of the ring in the writer's process */
	/*
	 * Instructions that the thread executed, and how many of them were recorded. Only
	 * code that windows or filters instrument counts. The difference is what was left
	 * out.
	 */
	uint64_t executed, recorded;
	uint64_t next; /* value of `executed` at which it next checks for work */
	uint64_t last; /* the piece entered last: see plugin/core/pieces.c */

	/* The position after the block in which the thread last called the kernel. */
	_Atomic uint64_t called;
};
_Static_assert(sizeof(struct lane_head) == 64, "one cache line");

struct lane_tail {
	_Alignas(64) _Atomic uint64_t tail; /* a position, written by the collector */
};

/*
 * A lane's ring of values as its writer needs it, in one cache line: unused, all zeros,
 * when none are wanted. `head` and `laps` are like those of struct lane_head.
 */
struct value_head {
	_Alignas(64) _Atomic uint32_t head; /* in bytes */
	_Atomic uint32_t laps;
	uint64_t *words; /* address of the ring in the writer's process */
	/*
	 * The block entered last, 0 in a gap. QEMU calls callbacks of blocks that a
	 * thread has left; only a site of this block may write a word.
	 */
	uint32_t block;
	/*
	 * The offset of the first word of a firing whose id is not in the lane yet, plus
	 * 1; else 0. When a thread dies there, these words belong to nobody.
	 */
	_Atomic uint32_t firing;
	/*
	 * Of machines: the id, of a block or gap, that the lane got last, but for firings.
	 * QEMU runs one translation at several addresses, each with an id; then `block` is
	 * that of the translation.
	 */
	uint32_t place;
};
_Static_assert(sizeof(struct value_head) == 64, "one cache line");

/*
 * A lane's two heads are written one after the other, for each block and each access. Two
 * lines at the same offset in their pages would then be slow: processors compare the low
 * 12 bits of addresses before they know the rest (3.5 instead of 1.8 times the time of an
 * untraced run, measured). So the second array begins in the middle of a page.
 */
#define VALUE_HEADS_OFF 2048

/*
 * Checks that both sides count the same words: mark i of a lane is the position in its
 * values when the last id of segment i of its ring was stored.
 */
#define VALUE_MARKS (LANE_LARGE_IDS / LANE_SEGMENT)
struct value_marks {
	uint64_t at[VALUE_MARKS];
};

struct arena {
	struct arena_header header;
	_Alignas(4096) struct lane_head heads[LANES_MAX];
	_Alignas(4096) struct lane_tail tails[LANES_MAX];
	_Alignas(4096) uint8_t messages[MESSAGE_RING_BYTES];
	/* lane_ring() selects the ring of a lane. */
	_Alignas(4096) uint32_t large[LANES_LARGE][LANE_LARGE_IDS];
	uint32_t small[LANES_MAX - LANES_LARGE][LANE_SMALL_IDS];
	/* Not at the same place in a page as the lane's other head: see VALUE_HEADS_OFF. */
	_Alignas(4096) uint8_t apart[VALUE_HEADS_OFF];
	struct value_head value_heads[LANES_MAX];
	_Alignas(4096) struct lane_tail value_tails[LANES_MAX];
	_Alignas(4096) struct value_marks value_marks[LANES_MAX];
	/* lane_values() selects the ring of a lane. */
	_Alignas(4096) uint64_t large_values[LANES_LARGE][LANE_LARGE_VALUES];
	uint64_t small_values[LANES_MAX - LANES_LARGE][LANE_SMALL_VALUES];
};
_Static_assert(sizeof(struct arena) <= 1ull << 32, "many arenas fit an address space");

/*
 * The ring of lane `vcpu`, which is below LANES_MAX, and its size in ids: a power of two.
 */
static inline uint32_t *lane_ring(struct arena *arena, unsigned vcpu)
{
	return vcpu < LANES_LARGE ? arena->large[vcpu] : arena->small[vcpu - LANES_LARGE];
}

static inline uint32_t lane_ids(unsigned vcpu)
{
	return vcpu < LANES_LARGE ? LANE_LARGE_IDS : LANE_SMALL_IDS;
}

/* The same of its values, in words. */
static inline uint64_t *lane_values(struct arena *arena, unsigned vcpu)
{
	return vcpu < LANES_LARGE ? arena->large_values[vcpu] :
				    arena->small_values[vcpu - LANES_LARGE];
}

static inline uint32_t lane_words(unsigned vcpu)
{
	return vcpu < LANES_LARGE ? LANE_LARGE_VALUES : LANE_SMALL_VALUES;
}

/* Unread ids at which the collector is woken. */
static inline uint32_t lane_wake(unsigned vcpu)
{
	return vcpu < LANES_LARGE ? LANE_LARGE_IDS / 4 : LANE_SMALL_IDS / 4;
}

/*
 * A message is a header, then `bytes` of payload, padded to a multiple of 8. It may wrap
 * around the end of the ring between any two words of 8 bytes. Payload fields are in host
 * order: both sides run on the same machine. Fields are aligned unless noted.
 */
enum message_type {
	MESSAGE_BLOCK = 1,  /* struct message_block, sizes[insns], code[bytes], program */
	MESSAGE_TEXT = 2,   /* one record of a DISA section (see format/blocks.h) */
	MESSAGE_MODULE = 3, /* struct message_module, path without its NUL */
	MESSAGE_THREAD = 4, /* struct message_thread: a thread begins on a lane */
	MESSAGE_THREAD_IS = 5,	/* the same struct: its tid or name became known */
	MESSAGE_THREAD_END = 6, /* the same struct */
	MESSAGE_EVENT = 7,	/* struct message_event, fields, text */
	MESSAGE_LEFT = 8,	/* struct message_left */
	MESSAGE_ROUTE = 9,	/* struct message_route; never sent in user mode */
	MESSAGE_FIRING = 10,	/* struct message_firing */
	/* Of machines, whose image has several spaces: */
	MESSAGE_SPACE = 11,	/* struct message_space, path of the program */
	MESSAGE_SPACE_END = 12, /* struct message_space_end */
	MESSAGE_MOVE = 13,	/* struct message_move */
	MESSAGE_LOADED = 16,	/* struct message_loaded, data */
	/* Of user mode: */
	MESSAGE_DUMP = 14, /* struct message_dump */
	MESSAGE_NOTE = 15, /* struct message_note, struct message_place[places], data */
	MESSAGE_NAME = 17, /* struct message_name, the name */
	MESSAGE_ELF = 18,  /* uint64_t address, and the ELF file that is there */
};

struct message_header {
	uint32_t type;	/* enum message_type */
	uint32_t bytes; /* of the payload, without padding */
	uint64_t check; /* message_check() */
};

struct message_block {
	uint64_t address;
	uint32_t id; /* the previous block's id plus 1 */
	uint16_t insns, bytes;
	uint32_t apart;	  /* 1: code of another file ran here; share with no process */
	uint32_t program; /* bytes of its program (format/values.h), after its code */
};

/* An id like a block's, for a lane: instruction `insn` of `block` has written words. */
struct message_firing {
	uint32_t id; /* the previous id plus 1 */
	uint32_t block;
	uint16_t insn;
	uint8_t kind;  /* enum value_kind */
	uint8_t size;  /* log2 of the bytes accessed; of a register, its words less 1 */
	uint32_t what; /* as in FORMAT.md, 8.2; of an access 0 */
};

struct message_module {
	uint64_t start, end, file_off;
	uint64_t dev, ino, mtime_ns; /* of the file, from stat(); 0: not known */
	uint64_t ns;		     /* CLOCK_MONOTONIC */
	uint32_t space;		     /* its number in the image; user mode: 0 */
	uint32_t file; /* orders name it by this number: of ORDER_MACHINE; user mode: 0 */
};

/* The guest mapped a list of code that it makes at run time: program/made/jitdump.c. */
struct message_dump {
	int32_t fd; /* of the image's process */
	uint32_t reserved;
};

/*
 * A process of the machine begins. The image's own space, the machine, is number 0; the
 * others are 1, 2, 3, ...
 */
struct message_space {
	uint64_t ns;	 /* CLOCK_MONOTONIC */
	uint32_t number; /* the previous one's plus 1 */
	uint32_t parent; /* the process it was forked from, or was before; 0: none */
	uint32_t pid, reserved;
};

/* None of its threads runs any more. */
struct message_space_end {
	uint64_t ns; /* CLOCK_MONOTONIC */
	uint32_t number;
	int32_t status; /* as waitpid() gives it */
};

/* The thread on a lane is in another space from `position` on. */
struct message_move {
	uint64_t position;
	uint32_t vcpu, space;
};

/* The thread's name follows when it is known. */
struct message_thread {
	uint64_t position; /* of the lane's head when it was sent */
	uint64_t passed;   /* lane_passed() at that moment */
	uint64_t ns;	   /* CLOCK_MONOTONIC */
	uint32_t vcpu, tid;
	uint32_t called; /* the block before it ended in a system call */
	uint32_t thread; /* its number in the image, < LANES_MAX; user mode: vcpu */
	uint32_t space;	 /* where it begins, the number; user mode: 0 */
	uint32_t reserved;
};

/* Another thread gave this one its name. */
struct message_name {
	uint64_t ns; /* CLOCK_MONOTONIC */
	uint64_t tid;
};

#define LANE_NONE UINT32_MAX
#define THREAD_NONE UINT32_MAX

/*
 * From `position` on, the ids of a lane belong to another thread, or to nobody:
 * THREAD_NONE. The thread has begun and is on no lane: one that moves between lanes
 * leaves the first by a message of its own before it enters the second.
 */
struct message_route {
	uint64_t position;
	uint64_t ns; /* CLOCK_MONOTONIC */
	uint32_t vcpu, thread;
};

/*
 * The fields of the event's kind follow, 8 bytes each, then its text: format/events.def.
 */
struct message_event {
	uint64_t position;
	uint64_t ns;   /* CLOCK_MONOTONIC */
	uint32_t vcpu; /* LANE_NONE: the event has no place in a lane */
	uint16_t kind;
	uint16_t called; /* the block before it ended in a system call */
};

/*
 * A block of a lane was left at `pc`. That instruction began: QEMU runs it again, alone, or
 * it raised an exception.
 */
struct message_left {
	uint64_t position; /* after the block's id */
	uint64_t pc;
	uint32_t vcpu;
	uint32_t done; /* not 0: the instruction has run alone, its values are in the lane */
};

/*
 * The guest told something (format/note.h). Long notes come in several messages, one after
 * the other: `left` is what of the data is in later ones, and in the last one it is 0. The
 * sender's place is that of the last message; the other threads' are in any of them.
 */
struct message_note {
	uint64_t position;
	uint64_t ns; /* CLOCK_MONOTONIC */
	uint32_t vcpu, kind;
	uint32_t left, places;
};

/*
 * The machine's kernel has loaded a module (program/kernel/loaded.h has the data), told in
 * several messages, one after the other: `more` follow.
 */
struct message_loaded {
	uint64_t ns; /* CLOCK_MONOTONIC */
	uint32_t more;
	uint32_t file; /* as in struct message_module */
};

/* How far another lane was. */
struct message_place {
	uint64_t position;
	uint32_t vcpu, reserved;
};

#define BOARD_BYTES (16u << 20) /* sparse, like the arenas */
_Static_assert(sizeof(struct board) <= BOARD_BYTES, "the board fits its place");

/* The offset of a slot's arena. For slot n, also the size of a memory with n arenas. */
static inline uint64_t arena_off(uint32_t slot)
{
	return BOARD_BYTES + (uint64_t)slot * sizeof(struct arena);
}

/* The sum of the 8-byte words; `from` must be aligned to 8. */
static inline uint64_t words_sum(const void *from, size_t bytes)
{
	const uint64_t *words = from;
	uint64_t sum = 0;

	for (size_t i = 0; i < bytes / sizeof(*words); i++)
		sum += words[i];
	return sum;
}

/*
 * The `check` of a header at `position`; `sum` is that of the payload's words, padding
 * included. It tells a message from the remains of an earlier lap, and from zeros.
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

/*
 * Reads a plain field once: the other side may change it at any time, so a value that was
 * checked must not be loaded again.
 */
static inline uint32_t read_once(const uint32_t *field)
{
	return *(const volatile uint32_t *)field;
}

/*
 * Instructions that the lane's thread executed unrecorded, as far as they were counted.
 */
static inline uint64_t lane_passed(const struct lane_head *head)
{
	return *(const volatile uint64_t *)&head->executed -
	       *(const volatile uint64_t *)&head->recorded;
}

/* The position of a lane's head, from the writer's fields. */
static inline uint64_t lane_written(const struct lane_head *head, unsigned vcpu)
{
	return (uint64_t)atomic_load(&head->laps) * lane_ids(vcpu) +
	       atomic_load(&head->head) / 4;
}

/*
 * The id that was written last, or 0 when the lane is new. Only its writer may call this.
 */
static inline uint32_t lane_last(const struct lane_head *head, unsigned vcpu)
{
	uint32_t next = atomic_load_explicit(&head->head, memory_order_relaxed) / 4;

	return head->ids[(next - 1) % lane_ids(vcpu)];
}

/*
 * The position of the lane's head for its reader. `tail` is the reader's own copy. The
 * result is less than one ring beyond it, whatever the shared memory contains.
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

/*
 * Whether the instruction at `pc` raised SIGBUS or SIGSEGV because it could not be fetched. One that
 * accesses itself looks the same, so this counts where a block begins only: the block that ran
 * last, which begins there, ran to its end, and was to run again.
 */
static inline bool signal_is_of_fetch(uint64_t signal, uint64_t pc, uint64_t address)
{
	return (signal == 7 || signal == 11) && address == pc;
}

#endif
