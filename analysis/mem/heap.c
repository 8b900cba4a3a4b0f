// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Takes the values of allocators in the order of the clock. The result is a list of
 * changes of each heap, and for each thread which of them it sees from which instruction
 * on. Its own changes are exact; those of other threads come when the clock says so. Both lists
 * are as long as the run, so they are logs outside of memory (heap_log.h).
 *
 * A call of an allocator waits on the thread's list until it returns. The value returned
 * belongs to the newest call of the same place; calls above it have been left, by
 * longjmp() or an exception. An allocator that is called by another one, malloc() by
 * operator new, returns first. What the outer one returns replaces its object, and with
 * it the name.
 *
 * The caller's function is the one that control returns to: values of a return are those
 * of the first instruction after the call.
 *
 * Example: main calls malloc(24) at instruction 100 and is back at 180 with 0x5000: from
 * 180 on, 0x5000 to 0x5017 is "heap: main (24)". A child that is forked at 200 has it,
 * too.
 */
#include "analysis/mem/heap-data.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/accesses.h"
#include "analysis/mem/allocators.h"
#include "analysis/together.h"
#include "base/append.h"
#include "base/error.h"
#include "program/objects.h"
#include "trace/trace.h"
#include "trace/u64map.h"

/*
 * Allocators nest a few levels deep. Calls left by longjmp() stay until here; then the
 * oldest is dropped.
 */
enum { CALLS_MAX = 256 };

/* A call of an allocator that has not returned. */
struct call {
	uint64_t insn; /* the first one of the allocator */
	uint16_t place;
	uint8_t known; /* bits of arguments[] */
	uint64_t arguments[ALLOCATOR_ARGUMENTS];
};

/*
 * A space while it is read. Slots are numbered in the order of their first objects;
 * settle() orders them by address at the end.
 */
struct reading {
	struct u64map slots; /* of addresses: the slot + 1 */
	uint32_t *live;	     /* [n_starts] number of the object there; 0: none */
	bool entered;
};

struct making {
	const struct wm_trace *trace;
	struct functions *functions;
	struct allocators allocators;
	struct heap *heap;
	struct reading *readings; /* [n_spaces] */
	struct u64map callers;	  /* of function and size, mixed: the first such object */
	uint32_t *next;		  /* [n_objects] of the same mixture; 0: none */
	struct wm_error failure;  /* of a log; code 0: none, so what failed is memory */
};

struct state {
	struct making *making;
	unsigned stream;
	uint32_t space;
	struct call calls[CALLS_MAX]; /* [n] */
	unsigned n;
};

static int fail(const struct making *making, struct wm_error *err)
{
	if (!making->failure.code)
		return wm_fail_nomem(err, "names of the heap");
	if (err)
		*err = making->failure;
	return making->failure.code;
}

/* ---- objects ----------------------------------------------------------------------- */

/*
 * The number of the objects of a function and a size; 0: no memory. Different pairs may
 * have one key, so objects of a key form a list: callers[] has its first, next[] the
 * others.
 */
static uint32_t object_of(struct making *making, uint32_t function, uint64_t bytes)
{
	const struct heap_object object = { function, bytes };
	struct heap *heap = making->heap;
	uint32_t *first = u64map_at(&making->callers, bytes * 0x10001 ^ function);
	uint32_t number = first ? *first : 0;
	size_t n = heap->n_objects;

	if (!first)
		return 0;
	for (; number; number = making->next[number - 1])
		if (heap->objects[number - 1].function == function &&
		    heap->objects[number - 1].bytes == bytes)
			return number;
	/* next[] grows in step with objects[]: `n` is a copy of their count. */
	if (!APPEND(making->next, n, *first))
		return 0;
	if (!APPEND(heap->objects, heap->n_objects, object))
		return 0;
	return *first = heap->n_objects;
}

/* The slot of an address, made if it is new; false: no memory. */
static bool slot_of(struct making *making, uint32_t space, uint64_t address,
		    uint32_t *slot)
{
	struct heap_space *of = &making->heap->spaces[space];
	struct reading *reading = &making->readings[space];
	uint32_t *cell = u64map_at(&reading->slots, address), none = 0;
	size_t n = of->n_starts;

	if (!cell)
		return false;
	if (!*cell) {
		if (!APPEND(reading->live, n, none) ||
		    !APPEND(of->starts, of->n_starts, address))
			return false;
		*cell = of->n_starts;
	}
	*slot = *cell - 1;
	return true;
}

/* An object begins at an address; number 0: the one there ends. False: no memory. */
static bool change(struct making *making, uint32_t space, uint64_t address,
		   uint32_t number)
{
	struct heap_space *of = &making->heap->spaces[space];
	struct reading *reading = &making->readings[space];
	uint64_t made[HEAP_CHANGE] = { [HEAP_CHANGE_NUMBER] = number };
	uint32_t slot;

	/* An object of before the recording is not known, and its end changes nothing. */
	if (!number && !u64map_get(&reading->slots, address))
		return true;
	if (!slot_of(making, space, address, &slot))
		return false;
	/* No object is live there: free() called by operator delete, for example. */
	if (!number && !reading->live[slot])
		return true;
	reading->live[slot] = number;
	made[HEAP_CHANGE_SLOT] = slot;
	of->n_changes++;
	return !heap_log_put(&of->changes, made, HEAP_CHANGE, &making->failure);
}

/* ---- threads ------------------------------------------------------------------------- */

/*
 * From `insn` on the thread sees what has changed so far. Marks without a change are left
 * out.
 */
static bool mark(struct state *state, uint64_t insn)
{
	struct making *making = state->making;
	struct heap_marks *marks = &making->heap->marks[state->stream];
	const struct heap_mark *last = &marks->last, now = {
		.insn = insn,
		.changes = making->heap->spaces[state->space].n_changes,
		.space = state->space,
	};
	const uint64_t made[HEAP_MARK] = { now.insn - last->insn,
					   now.changes - last->changes, now.space };

	if (marks->any && last->space == now.space && last->changes == now.changes)
		return true;
	marks->last = now;
	marks->any = true;
	return !heap_log_put(&marks->log, made, HEAP_MARK, &making->failure);
}

/*
 * A forked process begins with its parent's heap, as it is when the child's first part
 * comes in the order of the clock. Once for each space.
 */
static bool inherit(struct making *making, uint32_t space)
{
	struct reading *parent;
	uint32_t from;
	bool good = true;

	if (making->readings[space].entered)
		return true;
	making->readings[space].entered = true;
	if (!objects_parent(making->trace, space, &from))
		return true;
	parent = &making->readings[from];
	for (uint32_t i = 0; good && i < making->heap->spaces[from].n_starts; i++)
		if (parent->live[i])
			good = change(making, space, making->heap->spaces[from].starts[i],
				      parent->live[i]);
	return good;
}

static int begin(void *to, void *setup, const struct segment *segment,
		 struct wm_error *err)
{
	struct state *state = to;

	state->making = setup;
	state->stream = segment->stream;
	state->space = segment->space;
	/*
	 * Called again when the thread moves to another space: execve() leaves no call.
	 */
	state->n = 0;
	return inherit(setup, state->space) ? 0 : fail(setup, err);
}

/* ---- calls ------------------------------------------------------------------------------ */

/*
 * The call that an argument belongs to. All arguments of a call come at the same
 * instruction and place; the first of them begins the call.
 */
static struct call *push(struct state *state, uint64_t insn, uint16_t place)
{
	struct call *top = state->n ? &state->calls[state->n - 1] : NULL;

	if (top && top->insn == insn && top->place == place)
		return top;
	if (state->n == CALLS_MAX) {
		memmove(state->calls, state->calls + 1,
			(CALLS_MAX - 1) * sizeof(*state->calls));
		state->n--;
	}
	top = &state->calls[state->n++];
	*top = (struct call){ .insn = insn, .place = place };
	return top;
}

/*
 * Removes the newest call of a place, and those above it, which will not return. False:
 * the call began before the recording.
 */
static bool pop(struct state *state, uint16_t place, struct call *call)
{
	unsigned n = state->n;

	while (n && state->calls[n - 1].place != place)
		n--;
	if (!n)
		return false;
	*call = state->calls[n - 1];
	state->n = n - 1;
	return true;
}

static bool knows(const struct call *call, int argument)
{
	return argument >= 0 && call->known >> argument & 1;
}

/*
 * A call has returned `address`; false: no memory. A size that is not known counts as 0,
 * and makes no object.
 */
static bool allocate(struct state *state, const struct allocator *allocator,
		     const struct call *call, uint64_t address, uint32_t function)
{
	struct making *making = state->making;
	uint64_t bytes =
		knows(call, allocator->bytes) ? call->arguments[allocator->bytes] : 0;
	uint32_t number;

	if (allocator->count >= 0)
		bytes *= knows(call, allocator->count) ?
				 call->arguments[allocator->count] :
				 0;
	/*
	 * A realloc() that fails leaves the old object; realloc() to 0 bytes frees it and
	 * may return NULL.
	 */
	if (knows(call, allocator->freed) && (address || !bytes) &&
	    !change(making, state->space, call->arguments[allocator->freed], 0))
		return false;
	if (!address || !bytes)
		return true;
	number = object_of(making, function, bytes);
	return number && change(making, state->space, address, number);
}

static bool take_argument(struct state *state, const struct allocator *allocator,
			  const struct wm_access *access, uint64_t insn)
{
	unsigned argument =
		allocator_argument(&state->making->allocators, access->address);
	struct call *call;

	if (argument == ALLOCATOR_ARGUMENTS)
		return true;
	/*
	 * A function that only frees takes effect when it is called: while it runs, the
	 * memory may be given to another thread.
	 */
	if (allocator->bytes < 0)
		return argument != (unsigned)allocator->freed ||
		       change(state->making, state->space, access->data[0], 0);
	call = push(state, insn, access->place);
	call->arguments[argument] = access->data[0];
	call->known |= (uint8_t)(1u << argument);
	return true;
}

static bool take_returned(struct state *state, const struct allocator *allocator,
			  const struct wm_access *access, uint32_t id)
{
	struct making *making = state->making;
	const struct wm_block *block = &making->trace->table.blocks[id];
	uint64_t pc = block->address;
	uint32_t function;
	struct call call;

	if ((int)access->address != making->allocators.returned ||
	    !pop(state, access->place, &call))
		return true;
	/* The address that control has returned to lies in the caller. */
	for (uint32_t i = 0; i < access->insn; i++)
		pc += block->sizes[i];
	function = functions_at(making->functions, state->space, pc, id, NULL);
	return function && allocate(state, allocator, &call, access->data[0], function);
}

static int take(void *to, const struct stretch *part, const struct wm_access *accesses,
		size_t n, struct wm_error *err)
{
	struct state *state = to;
	struct access_places places =
		access_places_of(state->making->trace->table.blocks, part);
	/* Other threads may have changed the heap since this thread's last part. */
	bool good = mark(state, part->insn);

	for (size_t i = 0; good && i < n; i++) {
		const struct wm_access *access = &accesses[i];
		const struct allocator *allocator =
			allocator_of(&state->making->allocators, access);
		uint64_t insn;

		if (!allocator)
			continue;
		insn = access_insn(&places, access);
		if (access->kind == WM_ACCESS_REGISTER)
			good = take_argument(state, allocator, access, insn);
		else if (access->kind == WM_ACCESS_RETURNED)
			good = take_returned(state, allocator, access,
					     part->ids[access->block]);
		/* Its own change is visible from this very instruction on. */
		good = good && mark(state, insn);
	}
	return good ? 0 : fail(state->making, err);
}

/* The result is in `making`: a state has nothing to hand over. */
static int end_stream(void *state, void *setup, unsigned stream, struct wm_error *err)
{
	(void)state;
	(void)setup;
	(void)stream;
	(void)err;
	return 0;
}

static void end(void *state)
{
	(void)state;
}

static const struct analysis heap_analysis = {
	.name = "heap",
	.state_bytes = sizeof(struct state),
	.across = true,
	.begin = begin,
	.accesses = take,
	.stream = end_stream,
	.end = end,
};

/* ---- settling --------------------------------------------------------------------------- */

struct start {
	uint64_t address;
	uint32_t slot;
};

static int by_address(const void *left, const void *right)
{
	const struct start *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* Finds where each slot of a space is by address, which heap_view.c bisects. */
static bool settle(struct heap_space *space)
{
	struct start *starts = calloc(space->n_starts + 1ul, sizeof(*starts));
	bool good;

	space->slots = calloc(space->n_starts + 1ul, sizeof(*space->slots));
	good = starts && space->slots;
	for (uint32_t i = 0; good && i < space->n_starts; i++)
		starts[i] = (struct start){ space->starts[i], i };
	if (good)
		qsort(starts, space->n_starts, sizeof(*starts), by_address);
	for (uint32_t i = 0; good && i < space->n_starts; i++) {
		space->starts[i] = starts[i].address;
		space->slots[starts[i].slot] = i;
	}
	free(starts);
	return good;
}

/* Nothing is added any more: what was read is made to be looked up. */
static int settle_all(struct making *making, struct wm_error *err)
{
	struct heap *heap = making->heap;
	int ret = 0;

	for (uint32_t i = 0; !ret && i < heap->n_spaces; i++) {
		ret = heap_log_end(&heap->spaces[i].changes, err);
		if (!ret && !settle(&heap->spaces[i]))
			ret = fail(making, err);
	}
	for (unsigned i = 0; !ret && i < heap->n_streams; i++)
		ret = heap_log_end(&heap->marks[i].log, err);
	return ret;
}

static bool make_room(struct making *making)
{
	struct heap *heap = making->heap;
	bool good;

	heap->n_spaces = making->trace->space_count;
	heap->n_streams = making->trace->stream_count;
	heap->spaces = calloc(heap->n_spaces + 1ul, sizeof(*heap->spaces));
	heap->marks = calloc(heap->n_streams + 1ul, sizeof(*heap->marks));
	making->readings = calloc(heap->n_spaces + 1ul, sizeof(*making->readings));
	good = heap->spaces && heap->marks && making->readings &&
	       !u64map_init(&making->callers);
	for (uint32_t i = 0; good && i < heap->n_spaces; i++)
		good = !u64map_init(&making->readings[i].slots);
	return good;
}

static int make(struct making *making, struct wm_error *err)
{
	struct heap *heap = making->heap;
	struct selection all = { .to = UINT64_MAX };
	unsigned *streams;
	int ret;

	if (!make_room(making))
		return fail(making, err);
	streams = calloc(heap->n_streams + 1ul, sizeof(*streams));
	if (!streams)
		return fail(making, err);
	for (; all.n < heap->n_streams; all.n++)
		streams[all.n] = all.n;
	all.streams = streams;
	/*
	 * All threads and all of the time, whatever the user selects: an object that a
	 * selected instruction accesses may have been allocated by any thread long ago.
	 */
	ret = analysis_run_together(&heap_analysis, making, making->trace, &all, err);
	free(streams);
	return ret ? ret : settle_all(making, err);
}

static void end_making(struct making *making)
{
	for (uint32_t i = 0; making->readings && i < making->heap->n_spaces; i++) {
		u64map_fini(&making->readings[i].slots);
		free(making->readings[i].live);
	}
	free(making->readings);
	free(making->next);
	u64map_fini(&making->callers);
}

int heap_new(struct heap **out, const struct wm_trace *trace, struct functions *functions,
	     struct wm_error *err)
{
	struct making making = { .trace = trace, .functions = functions };
	int ret = allocators_init(&making.allocators, trace, err);

	*out = NULL;
	/* Without recorded allocators no walk is done at all. */
	if (!ret && making.allocators.any) {
		*out = making.heap = calloc(1, sizeof(*making.heap));
		ret = making.heap ? make(&making, err) : fail(&making, err);
		if (making.heap)
			end_making(&making);
	}
	allocators_fini(&making.allocators);
	if (ret) {
		heap_free(*out);
		*out = NULL;
	}
	return ret;
}

void heap_free(struct heap *heap)
{
	if (!heap)
		return;
	for (uint32_t i = 0; heap->spaces && i < heap->n_spaces; i++) {
		heap_log_fini(&heap->spaces[i].changes);
		free(heap->spaces[i].starts);
		free(heap->spaces[i].slots);
	}
	for (unsigned i = 0; heap->marks && i < heap->n_streams; i++)
		heap_log_fini(&heap->marks[i].log);
	free(heap->objects);
	free(heap->spaces);
	free(heap->marks);
	free(heap);
}

uint32_t heap_count(const struct heap *heap)
{
	return heap ? heap->n_objects : 0;
}

const struct heap_object *heap_get(const struct heap *heap, uint32_t number)
{
	return &heap->objects[number - 1];
}
