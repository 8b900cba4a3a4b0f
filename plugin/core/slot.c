// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Guests close file descriptors they do not know, so the plugin keeps none. It maps
 * memory again by mremap() with an old size of 0, which duplicates a mapping of shared
 * pages. mremap() may also map pages after the ones it is given, so from the mapped board
 * every arena can be reached, also in a forked child.
 *
 * Slots are taken without a lock: a compare-and-swap makes a free slot's word (pid,
 * SLOT_TAKEN). When all are taken, the process asks the collector to look for dead
 * owners, with a ticket number, and gives up when `refused` has reached its ticket.
 *
 * Invariant: lane_heads[] is always safe to write to. A process without a slot has
 * private memory there, which nobody reads. A forked child gets its own arena, or private
 * memory, before it runs guest code, so it never writes to its parent's.
 */
#include "plugin/core/slot.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/futex.h"
#include "format/values.h"
#include "plugin/core/doorbell.h"
#include "plugin/core/notice.h"

_Alignas(4096) struct lane_head lane_heads[VCPUS_MAX];
_Alignas(4096) struct value_pages value_pages;

/* QEMU's buffer of translated code has 1 GiB at most, if nobody asks for more. */
#define CODE_ROOM ((size_t)5 << 28)

/* Of an arena's pages of such heads. */
#define VALUE_PAGES_BYTES (VALUE_HEADS_OFF + sizeof(((struct arena *)0)->value_heads))

static struct stat file; /* the shared memory's */
static struct board *board;
static struct arena *arena;
static uint32_t slot = SLOT_NONE;
static int refusal;		/* errno of the slot's mapping, which failed; or 0 */
static uint32_t *scratch;	/* [LANE_LARGE_IDS] */
static uint64_t *scratch_words; /* [LANE_LARGE_VALUES]; NULL: no values are wanted */

/* Maps `bytes` at `at`, or anywhere when that is NULL; NULL on failure. */
static void *map_private(void *at, size_t bytes)
{
	void *memory =
		mmap(at, bytes, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED : 0),
		     -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/*
 * Another mapping of an arena's memory; NULL on failure.
 *
 * The mapping of the board ends before the arenas; only a new, longer duplicate reaches them. The
 * part in front is given back, so a process has address space for its own arena only.
 *
 * An arena has more than 2 GiB of addresses. Afterwards QEMU maps its translated code, at the next
 * free addresses below. From beyond the arena that code could call the plugin only through a
 * register, and the callback at each block would take half as long again. So some addresses above
 * the arena are taken while it is mapped, and are free for the code then.
 */
static struct arena *map_arena(uint32_t at)
{
	size_t off = arena_off(at);
	size_t bytes = off + sizeof(*arena);
	void *room = mmap(NULL, CODE_ROOM, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	char *all = mremap(board, 0, bytes, MREMAP_MAYMOVE);

	if (room != MAP_FAILED) {
		munmap(room, CODE_ROOM);
		/* Both may be more addresses than the process may have. */
		if (all == MAP_FAILED)
			all = mremap(board, 0, bytes, MREMAP_MAYMOVE);
	}
	if (all == MAP_FAILED)
		return NULL;
	munmap(all, off);
	return (struct arena *)(all + off);
}

static bool map_over(void *heads, size_t bytes, void *at)
{
	return mremap(heads, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at) != MAP_FAILED;
}

/*
 * Maps an arena's heads over lane_heads[] and value_pages, whose addresses the
 * callbacks' code contains.
 */
static bool map_heads(struct arena *of)
{
	return map_over(of->heads, sizeof(of->heads), lane_heads) &&
	       (!scratch_words || map_over(of->apart, VALUE_PAGES_BYTES, &value_pages));
}

static bool is_memory(const struct stat *st)
{
	return st->st_dev == file.st_dev && st->st_ino == file.st_ino;
}

/*
 * Whether this /proc is the collector's: board->path leads to the shared memory. A process
 * that has changed its user may not look there; then the same mount says it, if it is known.
 */
static bool is_collectors_proc(void)
{
	static dev_t known; /* children inherit it */
	struct stat proc, st;

	if (stat("/proc", &proc) < 0)
		return false;
	if (stat(board->path, &st) < 0)
		return errno == EACCES && known && proc.st_dev == known;
	if (!is_memory(&st))
		return false;
	known = proc.st_dev;
	return true;
}

/*
 * This process's id as the collector sees it, also from inside a pid namespace.
 * /proc/self says it if this /proc is the collector's. Else 0: the collector finds it out.
 */
static uint32_t own_pid(void)
{
	char text[16] = "";
	unsigned pid;

	if (is_collectors_proc() && readlink("/proc/self", text, sizeof(text) - 1) > 0 &&
	    sscanf(text, "%u", &pid) == 1)
		return pid;
	return 0;
}

/* Slot `at` was taken: raises `top`, up to which the collector looks. */
static void raise_top(uint32_t at)
{
	uint32_t top = atomic_load(&board->top);

	/* Only ever upwards: another process may have taken a higher slot meanwhile. */
	while (top <= at && !atomic_compare_exchange_weak(&board->top, &top, at + 1))
		;
}

/* The first free slot, for process `pid`. Low ones need the least address space. */
static uint32_t take_free(uint32_t pid)
{
	uint32_t slots = atomic_load(&board->slots);

	/*
	 * `slots` is in shared memory: a value that a guest has overwritten must not lead
	 * past the array.
	 */
	for (uint32_t i = 0; i < slots && i < SLOTS_MAX; i++) {
		uint32_t unused = SLOT_FREE;

		/*
		 * The plain load first: a failing compare-and-swap would take the cache
		 * line from other processes that search at the same time.
		 */
		if (atomic_load_explicit(&board->slot[i], memory_order_relaxed) ==
			    SLOT_FREE &&
		    atomic_compare_exchange_strong(&board->slot[i], &unused,
						   slot_word(pid, SLOT_TAKEN))) {
			raise_top(i);
			return i;
		}
	}
	return SLOT_NONE;
}

/* The same, after the collector has looked for slots of dead processes. */
static uint32_t take_late(uint32_t pid)
{
	for (;;) {
		/*
		 * `looked` is read before the ticket is drawn, so an answer to this
		 * ticket always ends the wait.
		 */
		uint32_t seen = atomic_load(&board->looked), found;
		uint32_t ticket = atomic_fetch_add(&board->asked, 1) + 1;
		bool refused;

		doorbell_ring();
		futex_wait(&board->looked, seen, COLLECTOR_POLL_MS);
		/*
		 * Read this first: a slot that is freed afterwards is not refused. A
		 * signed difference, because both counters may wrap.
		 */
		refused = (int32_t)(atomic_load(&board->refused) - ticket) >= 0;
		found = take_free(pid);
		if (found != SLOT_NONE || refused || collector_is_gone())
			return found;
	}
}

/* Takes a slot and maps its arena. */
static bool take(void)
{
	uint32_t pid = own_pid();
	struct arena *mapped;

	slot = take_free(pid);
	if (slot == SLOT_NONE)
		slot = take_late(pid);
	mapped = slot == SLOT_NONE ? NULL : map_arena(slot);
	if (mapped && map_heads(mapped)) {
		arena = mapped;
		arena->header.magic = ARENA_MAGIC;
		arena->header.guest_pid = pid;
		return true;
	}
	refusal = slot == SLOT_NONE ? 0 : errno;
	if (mapped)
		munmap(mapped, sizeof(*mapped));
	if (slot != SLOT_NONE)
		/*
		 * The header is still all zeros, as it must be for the next owner:
		 * nothing was written to the arena.
		 */
		atomic_store(&board->slot[slot], SLOT_FREE);
	slot = SLOT_NONE;
	return false;
}

static bool map_board(int fd)
{
	if (fstat(fd, &file) < 0 || (size_t)file.st_size < arena_off(1)) {
		notice("the plugin was given no shared memory");
		return false;
	}
	board = mmap(NULL, BOARD_BYTES, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_NORESERVE, fd, 0);
	/* The largest ring's size, because a vCPU of any index may write there. */
	scratch = map_private(NULL, LANE_LARGE_IDS * sizeof(*scratch));
	if (board != MAP_FAILED && scratch) {
		/*
		 * All mappings of arenas have that from this one: the core of a guest would
		 * have gigabytes of zeros, whose pages would all be allocated for that.
		 */
		(void)madvise(board, BOARD_BYTES, MADV_DONTDUMP);
		return true;
	}
	/* Data, because the plugin's own variables and `scratch` count there. */
	notice("cannot map the shared memory: %s (see ulimit -v and -d)",
	       strerror(errno));
	return false;
}

/* What this process is to record beside the path. */
static uint32_t wanted_values(bool fetches)
{
	uint32_t values = board->values;

	return values & VALUES_SITES && !fetches ?
		       values & ~(uint32_t)(VALUES_SITES | VALUES_STEPS | VALUES_LOADS) :
		       values;
}

/* The same for values, if any are wanted. */
static bool map_scratch_words(uint32_t values)
{
	if (!values)
		return true;
	scratch_words = map_private(NULL, LANE_LARGE_VALUES * sizeof(*scratch_words));
	return scratch_words;
}

bool slot_open(int fd, const char *guide, bool fetches)
{
	bool mapped = map_board(fd);
	uint32_t values;

	close(fd);
	if (!mapped)
		return false;
	/*
	 * Plugin and collector may come from different installations; nothing after
	 * `version` can be trusted to lie where it is expected.
	 */
	if (board->magic != ARENA_MAGIC || board->version != ARENA_VERSION) {
		notice("plugin and command are of different versions");
		return false;
	}
	doorbell_init(board);
	values = wanted_values(fetches);
	if (map_scratch_words(values) && take()) {
		arena->header.parent = SLOT_NONE;
		arena->header.values = values;
		snprintf(arena->header.guide, sizeof(arena->header.guide), "%s",
			 guide ? guide : "");
		arena->header.begin_ns = clock_ns();
		return true;
	}
	atomic_fetch_add(&board->lost, 1);
	if (refusal)
		notice("no addresses for the shared memory: %s (see ulimit -v)",
		       strerror(refusal));
	else
		notice("no place for this process in the shared memory");
	return false;
}

struct board *slot_board(void)
{
	return board;
}

bool slot_is_memory(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && is_memory(&st);
}

struct arena *slot_arena(void)
{
	return arena;
}

uint32_t slot_lanes(void)
{
	uint32_t lanes = atomic_load(&arena->header.lanes);

	return lanes < LANES_MAX ? lanes : LANES_MAX;
}

uint32_t *slot_ids(unsigned vcpu)
{
	return slot == SLOT_NONE || vcpu >= LANES_MAX ? scratch : lane_ring(arena, vcpu);
}

uint64_t *slot_words(unsigned vcpu)
{
	return slot == SLOT_NONE || vcpu >= LANES_MAX || !scratch_words ?
		       scratch_words :
		       lane_values(arena, vcpu);
}

/* Later calls find SLOT_READY and store nothing. */
void slot_ready(void)
{
	uint32_t word;

	if (slot == SLOT_NONE)
		return;
	word = atomic_load_explicit(&board->slot[slot], memory_order_relaxed);
	if (slot_state(word) == SLOT_TAKEN)
		atomic_store(&board->slot[slot],
			     slot_word(arena->header.guest_pid, SLOT_READY));
}

/* Replaces mappings of the parent's arena by private memory. */
static void become_private(void)
{
	static bool is_private; /* children inherit it */

	slot = SLOT_NONE;
	/*
	 * A child of a child without a slot has private memory already, inherited by the
	 * fork.
	 */
	if (is_private)
		return;
	is_private = true;
	/*
	 * MAP_FIXED replaces the shared pages in one step, so there is no moment at which
	 * lane_heads[] is unmapped.
	 */
	map_private(lane_heads, sizeof(arena->heads));
	map_private(&value_pages, VALUE_PAGES_BYTES);
	for (unsigned i = 0; i < slot_lanes(); i++) {
		lane_heads[i].ids = scratch;
		value_head(i)->words = scratch_words;
	}
	map_private(arena, sizeof(*arena));
}

void slot_leave(void)
{
	atomic_fetch_add(board->follow ? &board->lost : &board->left_out, 1);
	become_private();
}

bool slot_fork(uint32_t inherited, uint64_t begin_ns)
{
	struct arena *parents = arena;
	uint32_t parent = slot;

	if (parent == SLOT_NONE || !take()) {
		if (parent != SLOT_NONE)
			/*
			 * The collector waits for as many children as there were forks; a
			 * failure ends its wait.
			 */
			atomic_fetch_add(&parents->header.forks_failed, 1);
		slot_leave();
		return false;
	}
	/* After fork() the same QEMU runs the same guest: nothing of this can differ. */
	memcpy(arena->header.isa, parents->header.isa, sizeof(arena->header.isa));
	memcpy(arena->header.program, parents->header.program,
	       sizeof(arena->header.program));
	memcpy(arena->header.guide, parents->header.guide, sizeof(arena->header.guide));
	arena->header.sizes_rule = parents->header.sizes_rule;
	arena->header.blind = parents->header.blind;
	arena->header.values = parents->header.values;
	arena->header.parent = parent;
	arena->header.inherited = inherited;
	arena->header.begin_ns = begin_ns;
	slot_ready();
	/* Last: after this the parent's slot may go to another process. */
	atomic_fetch_add(&parents->header.forks_placed, 1);
	munmap(parents, sizeof(*parents));
	return true;
}
