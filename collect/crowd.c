// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A process that a pid is known of already is a program that this pid has become by
 * execve(): the one before has ended. A place goes back when its process is no more, and
 * when the children it forked have taken what they need from it. How many of these there
 * are counters in its arena tell; a child that was killed before it could count is found
 * missing when nobody has that arena mapped any more.
 *
 * The board is the guests' to write to. What the collector does goes by its own account of
 * who is where; what the board says otherwise is put right, and said to have been wrong.
 */
#include "collect/crowd.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/futex.h"
#include "base/pid.h"
#include "collect/lineage.h"
#include "collect/tell.h"
#include "collect/users.h"
#include "format/records.h"

#define SEARCH_NS 200000000ull /* from one search through /proc to the next */
#define LOOKS_MAX 1000	       /* at a board that somebody keeps changing */

static enum place_state state_at(const struct crowd *crowd, uint32_t place)
{
	return place_state(atomic_load(&crowd->memory->board->place[place]));
}

static struct process *find_pid(const struct crowd *crowd, uint32_t pid)
{
	for (uint32_t i = 0; i < crowd->top; i++)
		if (crowd_live(crowd, i) && crowd->at[i]->life.pid == pid)
			return crowd->at[i];
	return NULL;
}

/* The nearest ancestor of `pid` that is recorded: a program in between was not. */
static struct process *find_ancestor(const struct crowd *crowd, uint32_t pid)
{
	struct process *found = NULL;

	for (unsigned i = 0; !found && i < LINEAGE_MAX && pid > 1; i++) {
		pid = lineage_parent(pid);
		found = find_pid(crowd, pid);
	}
	return found;
}

/* ---- those who come -------------------------------------------------------------------- */

/* What the process's place says of its parent, when it is a forked child. */
static struct process *forked_from(const struct crowd *crowd, const struct arena *arena)
{
	uint32_t place = read_once(&arena->header.parent);

	return place < PLACES_MAX ? crowd->at[place] : NULL;
}

/* How a process came to be: forked, or become another program, or the first. */
static void tell_origin(const struct process *process, const struct process *parent,
			const struct process *before)
{
	if (parent)
		tell_fork(parent, process->life.pid, process->arena->header.begin_ns);
	else if (before)
		tell_exec(process);
}

/* A process that has become ready at `place`; false when it must wait for another. */
static bool meet(struct crowd *crowd, uint32_t place)
{
	struct arena *arena = memory_map(crowd->memory, place);
	struct process *before, *parent, *above;
	uint32_t word = atomic_load(&crowd->memory->board->place[place]), pid;

	if (!arena)
		return false;
	pid = read_once(&arena->header.guest_pid);
	if (!pid)
		pid = users_of(crowd->memory, place, 0);
	before = find_pid(crowd, pid);
	parent = forked_from(crowd, arena);
	above = parent ? parent : before ? before : find_ancestor(crowd, pid);
	if (parent)
		process_drain(parent, DRAIN_ALL); /* the ids it hands on */
	if (before)
		process_end(before, -1);
	crowd->at[place] = process_new(crowd->recording, arena, pid, parent,
				       above ? above->index : SPACE_NONE);
	if (crowd->at[place]) {
		crowd->word[place] = word;
		tell_origin(crowd->at[place], parent, before);
		return true;
	}
	output_cut(&crowd->recording->out, output_no_memory);
	return false;
}

/* ---- the board ------------------------------------------------------------------------- */

#define TOLD_BYTES offsetof(struct board, left_out) /* which never changes */

static void scribbled(const struct crowd *crowd)
{
	output_cut(&crowd->recording->out, output_scribbled);
}

bool crowd_begin(struct crowd *crowd)
{
	const struct board *board = crowd->memory->board;

	crowd->told = malloc(TOLD_BYTES);
	if (!crowd->told)
		return false;
	memcpy(crowd->told, board, TOLD_BYTES);
	if (read_once(&board->magic) != ARENA_MAGIC)
		scribbled(crowd);
	return true;
}

/* Puts right what the board says of itself, and of the processes that are known. */
static void look_at_board(const struct crowd *crowd)
{
	struct board *board = crowd->memory->board;

	if (crowd->told && memcmp(board, crowd->told, TOLD_BYTES) != 0) {
		scribbled(crowd);
		memcpy(board, crowd->told, TOLD_BYTES);
	}
	if (atomic_load(&board->places) != crowd->memory->places) {
		scribbled(crowd);
		atomic_store(&board->places, crowd->memory->places);
	}
	for (uint32_t i = 0; i < crowd->top; i++) {
		if (!crowd->at[i] || atomic_load(&board->place[i]) == crowd->word[i])
			continue;
		scribbled(crowd);
		atomic_store(&board->place[i], crowd->word[i]);
	}
}

/* Follows the board: only ever upwards, whatever it says. */
static void look_higher(struct crowd *crowd)
{
	uint32_t top = atomic_load(&crowd->memory->board->top);

	if (top > crowd->memory->places)
		top = crowd->memory->places;
	if (top > crowd->top)
		crowd->top = top;
}

/* Those who are ready and have not been met, to crowd->comers[]; how many there are. */
static unsigned list_comers(struct crowd *crowd)
{
	unsigned n = 0;

	look_higher(crowd);
	for (uint32_t i = 0; i < crowd->top; i++)
		if (!crowd->at[i] && state_at(crowd, i) == PLACE_READY)
			crowd->comers[n++].place = i;
	return n;
}

static int compare_comers(const void *one, const void *other)
{
	const struct comer *a = one, *b = other;

	return a->begin_ns < b->begin_ns ? -1 : a->begin_ns > b->begin_ns;
}

/*
 * The same, the oldest first. Who a process was forked from, or was before execve(), is older,
 * and was ready before: so when a second look finds no more than the first, none of them is
 * missing, whatever place it has.
 */
static unsigned sort_comers(struct crowd *crowd)
{
	struct arena_header header;
	unsigned n = list_comers(crowd), before = n + 1;

	for (unsigned looks = 0; n && n != before && looks < LOOKS_MAX; looks++) {
		before = n;
		n = list_comers(crowd);
	}
	for (unsigned i = 0; i < n; i++)
		crowd->comers[i].begin_ns =
			memory_header(crowd->memory, crowd->comers[i].place, &header) ?
				header.begin_ns :
				0;
	qsort(crowd->comers, n, sizeof(*crowd->comers), compare_comers);
	return n;
}

struct arena *crowd_look(struct crowd *crowd)
{
	return sort_comers(crowd) ? memory_map(crowd->memory, crowd->comers[0].place) :
				    NULL;
}

bool crowd_meet(struct crowd *crowd)
{
	bool worked = false;
	unsigned n;

	look_at_board(crowd);
	n = sort_comers(crowd);
	for (unsigned i = 0; i < n; i++)
		worked |= meet(crowd, crowd->comers[i].place);
	return worked;
}

/* ---- those who go ------------------------------------------------------------------------ */

/*
 * Whether a dead process's place is needed by children that it forked and that have no place
 * of their own yet. Where counters say so for long, the kernel is asked.
 */
static bool is_needed(struct crowd *crowd, uint32_t place)
{
	uint64_t now_ns = clock_ns();

	if (!process_expects(crowd->at[place]))
		return false;
	if (now_ns - crowd->searched_ns < SEARCH_NS)
		return true;
	crowd->searched_ns = now_ns;
	return users_of(crowd->memory, place, crowd->at[place]->life.pid);
}

static bool is_first(const struct process *process, const struct first_process *first)
{
	return first->pid && process->life.pid == first->pid;
}

bool crowd_is_over(const struct crowd *crowd, uint32_t place,
		   const struct first_process *first)
{
	const struct process *process = crowd->at[place];

	return is_first(process, first) ? first->ended : life_is_over(&process->life);
}

static void end(struct process *process, const struct first_process *first)
{
	process_end(process, is_first(process, first) ? first->status : -1);
}

static void bury(struct crowd *crowd, uint32_t place, const struct first_process *first)
{
	struct process *process = crowd->at[place];

	if (!crowd_is_over(crowd, place, first))
		return;
	end(process, first);
	if (is_needed(crowd, place))
		return;
	/* Its last children have places, but may have taken them just now. */
	crowd_meet(crowd);
	crowd->at[place] = NULL;
	process_free(process);
	memory_recycle(crowd->memory, place);
}

/* Takes a place back from a process that has ended before there was anything to record. */
static void clear(const struct crowd *crowd, uint32_t place)
{
	uint32_t word = atomic_load(&crowd->memory->board->place[place]);
	uint32_t pid = word >> PLACE_STATE_BITS;

	if (place_state(word) == PLACE_TAKEN && pid && pid_is_gone(pid))
		memory_recycle(crowd->memory, place);
}

void crowd_bury(struct crowd *crowd, const struct first_process *first)
{
	for (uint32_t i = 0; i < crowd->top; i++) {
		if (crowd->at[i])
			bury(crowd, i, first);
		else if (state_at(crowd, i) == PLACE_TAKEN)
			clear(crowd, i);
	}
}

void crowd_answer(struct crowd *crowd, const struct first_process *first)
{
	struct board *board = crowd->memory->board;
	uint32_t asked = atomic_load(&board->asked);
	bool any = false;

	if (asked == crowd->answered)
		return;
	crowd->answered = asked;
	crowd_bury(crowd, first);
	for (uint32_t i = 0; i < crowd->memory->places && !any; i++)
		any = state_at(crowd, i) == PLACE_FREE;
	if (!any)
		atomic_store(&board->refused, asked);
	atomic_fetch_add(&board->looked, 1);
	futex_wake_all(&board->looked);
}

unsigned crowd_running(const struct crowd *crowd, uint32_t *expected)
{
	unsigned running = 0;

	*expected = 0;
	for (uint32_t i = 0; i < crowd->top; i++) {
		if (!crowd->at[i])
			continue;
		running += !crowd->at[i]->ended;
		*expected += process_expects(crowd->at[i]);
	}
	return running;
}

/* Whether somebody was there who never could be met. */
static bool missed_any(const struct crowd *crowd)
{
	struct arena_header header;

	for (uint32_t i = 0; i < crowd->top; i++)
		if (!crowd->at[i] && state_at(crowd, i) == PLACE_FREE &&
		    memory_header(crowd->memory, i, &header) && header.magic)
			return true;
	return false;
}

void crowd_end(const struct crowd *crowd, const struct first_process *first, bool all)
{
	for (uint32_t i = 0; i < crowd->top; i++)
		if (crowd->at[i] && (all || crowd_is_over(crowd, i, first)))
			end(crowd->at[i], first);
	if (all && missed_any(crowd))
		scribbled(crowd);
}

void crowd_fini(struct crowd *crowd)
{
	free(crowd->told);
	for (uint32_t i = 0; i < crowd->top; i++)
		process_free(crowd->at[i]);
}
