// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A process id that is known already belongs to a program that this process has become
 * by execve(): the image before it has ended. A slot on the board is free again when
 * its image is no more, and when the children that it forked have taken what they need
 * from it. Counters in the arena have how many children are still to come. A child that
 * is killed before it can count is found missing when no process has the parent's arena
 * mapped any more.
 *
 * Guests can write to the board. The collector goes by its own account of which image is
 * at which slot; where the board differs it is put right, and the file says that
 * something was overwritten.
 */
#include "collect/images.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/futex.h"
#include "base/pid.h"
#include "collect/lifecycle.h"
#include "format/records.h"

#define ANCESTORS_MAX 64       /* that are looked back */
#define SEARCH_NS 200000000ull /* from one search through /proc to the next */
#define LOOKS_MAX 1000	       /* at a board that somebody keeps changing */

static enum slot_state state_at(const struct images *images, uint32_t slot)
{
	return slot_state(atomic_load(&images->memory->board->slot[slot]));
}

static struct image *find_pid(const struct images *images, uint32_t pid)
{
	for (uint32_t i = 0; i < images->top; i++)
		if (images_live(images, i) && images->at[i]->life.pid == pid)
			return images->at[i];
	return NULL;
}

/* The nearest ancestor of `pid` that is recorded: a program in between was not. */
static struct image *find_ancestor(const struct images *images, uint32_t pid)
{
	struct image *found = NULL;

	/*
	 * The bound ends the search in a pid namespace where parents cannot be followed.
	 */
	for (unsigned i = 0; !found && i < ANCESTORS_MAX && pid > 1; i++) {
		pid = pid_parent(pid);
		found = find_pid(images, pid);
	}
	return found;
}

/* ---- those who come ------------------------------------------------------ */

/*
 * The image that the process was forked from, by its arena's header; NULL for other
 * processes.
 */
static struct image *forked_from(const struct images *images, const struct arena *arena)
{
	uint32_t slot = read_once(&arena->header.parent);

	return slot < SLOTS_MAX ? images->at[slot] : NULL;
}

/* How a process came to be: forked, or become another program, or the first. */
static void note_origin(struct recording *rec, const struct image *image,
			const struct image *parent, const struct image *before)
{
	if (parent)
		lifecycle_fork(rec, parent, image->life.pid,
			       image->arena->header.begin_ns);
	else if (before)
		lifecycle_exec(rec, image);
}

/* A process that has become ready at `slot`; false when it must wait for another. */
static bool admit(struct images *images, uint32_t slot)
{
	struct arena *arena = memory_map(images->memory, slot);
	struct image *before, *parent, *above;
	uint32_t word = atomic_load(&images->memory->board->slot[slot]), pid;

	if (!arena)
		return false;
	pid = read_once(&arena->header.guest_pid);
	if (!pid)
		/*
		 * The plugin runs in another pid namespace and does not know its id here.
		 */
		pid = memory_user(images->memory, slot, 0);
	before = find_pid(images, pid);
	parent = forked_from(images, arena);
	/*
	 * The first that is known: the process it was forked from, the program it was
	 * before execve(), or an ancestor.
	 */
	above = parent ? parent : before ? before : find_ancestor(images, pid);
	if (parent)
		image_drain(parent, images->recording,
			    DRAIN_ALL); /* the ids it hands on */
	if (before)
		image_end(before, images->recording, -1);
	images->at[slot] = image_new(images->recording, arena, pid, parent,
				     above ? above->space : SPACE_NONE);
	if (images->at[slot]) {
		images->word[slot] = word;
		note_origin(images->recording, images->at[slot], parent, before);
		return true;
	}
	output_cut(&images->recording->out, output_no_memory);
	return false;
}

/* ---- the board ----------------------------------------------------------- */

#define CONSTANT_BYTES offsetof(struct board, left_out) /* which never changes */

static void scribbled(const struct images *images)
{
	output_cut(&images->recording->out, output_scribbled);
}

bool images_begin(struct images *images)
{
	const struct board *board = images->memory->board;

	/* A copy of what plugins read and nobody writes, to compare the board with. */
	images->constant = malloc(CONSTANT_BYTES);
	if (!images->constant)
		return false;
	memcpy(images->constant, board, CONSTANT_BYTES);
	if (read_once(&board->magic) != ARENA_MAGIC)
		scribbled(images);
	return true;
}

/*
 * Restores what the collector owns on the board: the constant part, the number of slots,
 * and the words of the slots of known processes.
 */
static void look_at_board(const struct images *images)
{
	struct board *board = images->memory->board;

	/* Put right, not only reported: other plugins read it. */
	if (images->constant && memcmp(board, images->constant, CONSTANT_BYTES) != 0) {
		scribbled(images);
		memcpy(board, images->constant, CONSTANT_BYTES);
	}
	if (atomic_load(&board->slots) != images->memory->slots) {
		scribbled(images);
		atomic_store(&board->slots, images->memory->slots);
	}
	for (uint32_t i = 0; i < images->top; i++) {
		if (!images->at[i] || atomic_load(&board->slot[i]) == images->word[i])
			continue;
		scribbled(images);
		atomic_store(&board->slot[i], images->word[i]);
	}
}

/* Raises our `top` to the board's. It never falls, whatever the board contains. */
static void look_higher(struct images *images)
{
	uint32_t top = atomic_load(&images->memory->board->top);

	/* `top` bounds loops over arrays, and the board is the guest's to write. */
	if (top > images->memory->slots)
		top = images->memory->slots;
	if (top > images->top)
		images->top = top;
}

/*
 * Those who are ready and have not been met, to images->arrivals[]; how many there are.
 */
static unsigned list_arrivals(struct images *images)
{
	unsigned n = 0;

	look_higher(images);
	for (uint32_t i = 0; i < images->top; i++)
		if (!images->at[i] && state_at(images, i) == SLOT_READY)
			images->arrivals[n++].slot = i;
	return n;
}

static int compare_arrivals(const void *one, const void *other)
{
	const struct arrival *a = one, *b = other;

	return a->begin_ns < b->begin_ns ? -1 : a->begin_ns > b->begin_ns;
}

/*
 * The same, the oldest first. Who a process was forked from, or was before execve(), is
 * older, and was ready before: so when a second look finds no more than the first, none
 * of them is missing, whatever slot it has.
 */
static unsigned sort_arrivals(struct images *images)
{
	struct arena_header header;
	/* `before` differs from n at first, so there is always a second look. */
	unsigned n = list_arrivals(images), before = n + 1;

	for (unsigned looks = 0; n && n != before && looks < LOOKS_MAX; looks++) {
		before = n;
		n = list_arrivals(images);
	}
	for (unsigned i = 0; i < n; i++)
		/*
		 * Read by pread(): mapping every arena only to sort would cost more. The
		 * time may be forged, which changes the order of records and nothing
		 * else.
		 */
		images->arrivals[i].begin_ns =
			memory_header(images->memory, images->arrivals[i].slot, &header) ?
				header.begin_ns :
				0;
	qsort(images->arrivals, n, sizeof(*images->arrivals), compare_arrivals);
	return n;
}

struct arena *images_oldest(struct images *images)
{
	return sort_arrivals(images) ?
		       memory_map(images->memory, images->arrivals[0].slot) :
		       NULL;
}

bool images_admit(struct images *images)
{
	bool worked = false;
	unsigned n;

	look_at_board(images);
	n = sort_arrivals(images);
	for (unsigned i = 0; i < n; i++)
		worked |= admit(images, images->arrivals[i].slot);
	return worked;
}

/* ---- those who go -------------------------------------------------------- */

/*
 * Whether a dead process's slot is needed by children that it forked and that have no
 * slot of their own yet. Where counters claim that for long, the kernel is asked.
 */
static bool is_needed(struct images *images, uint32_t slot)
{
	uint64_t now_ns = clock_ns();

	if (!image_expects(images->at[slot]))
		return false;
	/* A search reads the maps of every process: at most five times a second. */
	if (now_ns - images->searched_ns < SEARCH_NS)
		return true;
	images->searched_ns = now_ns;
	return memory_user(images->memory, slot, images->at[slot]->life.pid);
}

static bool is_first(const struct image *image, const struct first_process *first)
{
	return first->pid && image->life.pid == first->pid;
}

bool images_is_over(const struct images *images, uint32_t slot,
		    const struct first_process *first)
{
	const struct image *image = images->at[slot];

	/* The warden knows when the first process ended, and how. */
	return is_first(image, first) ? first->ended : life_is_over(&image->life);
}

static void end(const struct images *images, uint32_t slot,
		const struct first_process *first)
{
	struct image *image = images->at[slot];

	image_end(image, images->recording,
		  is_first(image, first) ? first->status : life_status(&image->life));
}

/*
 * The slot is given back last, after one more look for arrivals: from then on another
 * process may take it, and a child that was forked from here would find a stranger's ids.
 */
static void reap(struct images *images, uint32_t slot, const struct first_process *first)
{
	struct image *image = images->at[slot];

	if (!images_is_over(images, slot, first))
		return;
	/* What it may have become by execve() is what ended, and not this program. */
	images_admit(images);
	end(images, slot, first);
	if (is_needed(images, slot))
		return;
	/* Its last children have slots, but may have taken them just now. */
	images_admit(images);
	/*
	 * Unmapped before the slot is cleared, so nothing of ours still reads the arena.
	 */
	images->at[slot] = NULL;
	image_free(image);
	memory_recycle(images->memory, slot);
}

/* Takes a slot back from a process that has ended before there was anything to record. */
static void clear(const struct images *images, uint32_t slot)
{
	uint32_t word = atomic_load(&images->memory->board->slot[slot]);
	uint32_t pid = word >> SLOT_STATE_BITS;

	/* A process without a known id stays: whether it has ended is not known. */
	if (slot_state(word) == SLOT_TAKEN && pid && pid_is_gone(pid))
		memory_recycle(images->memory, slot);
}

void images_reap(struct images *images, const struct first_process *first)
{
	for (uint32_t i = 0; i < images->top; i++) {
		if (images->at[i])
			reap(images, i, first);
		else if (state_at(images, i) == SLOT_TAKEN)
			clear(images, i);
	}
}

bool images_asked(const struct images *images, uint32_t *asked)
{
	*asked = atomic_load(&images->memory->board->asked);
	return *asked != images->answered;
}

/*
 * Processes that found every slot taken sleep until `looked` changes. All that asked
 * before this look get the same answer: there is a slot now, or `refused` says that there
 * is none.
 */
void images_answer(struct images *images, uint32_t asked,
		   const struct first_process *first)
{
	struct board *board = images->memory->board;
	bool any = false;

	images->answered = asked;
	images_reap(images, first);
	for (uint32_t i = 0; i < images->memory->slots && !any; i++)
		any = state_at(images, i) == SLOT_FREE;
	if (!any)
		atomic_store(&board->refused, asked);
	/* After `refused`: a process that wakes finds its answer. */
	atomic_fetch_add(&board->looked, 1);
	futex_wake_all(&board->looked);
}

unsigned images_running(const struct images *images, uint32_t *expected)
{
	unsigned running = 0;

	*expected = 0;
	for (uint32_t i = 0; i < images->top; i++) {
		if (!images->at[i])
			continue;
		running += !images->at[i]->ended;
		*expected += image_expects(images->at[i]);
	}
	return running;
}

/*
 * Whether a process took a slot and was never admitted, because its slot's word was lost.
 */
static bool missed_any(const struct images *images)
{
	struct arena_header header;

	for (uint32_t i = 0; i < images->top; i++)
		/*
		 * A free slot has an arena of zeros. A magic there means that the slot's
		 * word was overwritten while a process was in it.
		 */
		if (!images->at[i] && state_at(images, i) == SLOT_FREE &&
		    memory_header(images->memory, i, &header) && header.magic)
			return true;
	return false;
}

void images_end(const struct images *images, const struct first_process *first, bool all)
{
	for (uint32_t i = 0; i < images->top; i++)
		if (images->at[i] && (all || images_is_over(images, i, first)))
			end(images, i, first);
	if (all && missed_any(images))
		scribbled(images);
}

/* Streams leave their pool here, so this comes before recording_fini(). */
void images_fini(struct images *images)
{
	free(images->constant);
	for (uint32_t i = 0; i < images->top; i++)
		image_free(images->at[i]);
}

/* ---- for people ---------------------------------------------------------- */

static void put_name(struct buf *text, const struct image *image, bool is_next)
{
	const char *program = image->program ? image->program : "";
	const char *slash = strrchr(program, '/');
	char word[64];
	int n = snprintf(word, sizeof(word), "%s%u (%.32s)", is_next ? ", " : "",
			 image->life.pid, slash ? slash + 1 : program);

	buf_put(text, word, (size_t)n);
}

char *images_list(const struct images *images, const char *before)
{
	struct buf text = BUF_INIT;
	bool any = false;

	buf_put(&text, before, strlen(before));
	for (uint32_t i = 0; i < images->top; i++) {
		if (!images_live(images, i))
			continue;
		put_name(&text, images->at[i], any);
		any = true;
	}
	buf_put_u8(&text, 0);
	if (any && !text.failed)
		return (char *)text.data;
	buf_fini(&text);
	return NULL;
}
