// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes the heaps of a trace. What allocators did is gathered by thread (heap_ops.h) and taken
 * in the order of the clock: a list of changes of each heap, which is as long as the run, so it
 * is a log outside of memory (heap_log.h). heap_marks.c says for each thread which of them
 * it sees from which instruction on.
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

#include "analysis/mem/heap_turns.h"
#include "base/append.h"
#include "base/error.h"
#include "program/objects.h"
#include "trace/trace.h"
#include "trace/u64map.h"

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
	struct heap_log *ops;	  /* [n_streams] */
	struct reading *readings; /* [n_spaces] */
	struct u64map callers;	  /* of function and size, mixed: the first such object */
	uint32_t *next;		  /* [n_objects] of the same mixture; 0: none */
	struct wm_error failure;  /* of a log; code 0: none, so what failed is memory */
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

/* ---- in the order of the clock ----------------------------------------------------- */

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

/* False: no memory. */
static bool enter(struct making *making, unsigned stream, uint32_t space)
{
	struct heap_marks *marks = &making->heap->marks[stream];

	marks->space = space;
	marks->n_spaces++;
	making->heap->spaces[space].n_streams++;
	return inherit(making, space);
}

/* An object begins; false: no memory. */
static bool allocate(struct making *making, uint32_t space, const struct heap_op *op)
{
	const struct wm_block *block = &making->trace->table.blocks[op->id];
	uint64_t pc = block->address;
	uint32_t function, number;

	/* The address that control has returned to lies in the caller. */
	for (uint32_t i = 0; i < op->index; i++)
		pc += block->sizes[i];
	function = functions_at(making->functions, space, pc, (uint32_t)op->id, NULL);
	if (!function)
		return false;
	number = object_of(making, function, op->bytes);
	return number && change(making, space, op->address, number);
}

/* What an op changed is seen from now on. */
static bool put_time(struct making *making, uint32_t space, unsigned stream,
		     const struct heap_op *op)
{
	struct heap_space *of = &making->heap->spaces[space];
	const struct heap_time *last = &of->last_time;
	const struct heap_time now = { op->ns, op->insn, of->n_changes, stream };
	const uint64_t made[HEAP_TIME] = {
		[HEAP_TIME_NS] = now.ns - last->ns,
		/* Instructions of another thread may be lower: differences are modulo 2^64. */
		[HEAP_TIME_INSN] = now.insn - last->insn,
		[HEAP_TIME_CHANGES] = now.changes - last->changes,
		[HEAP_TIME_STREAM] = stream,
	};

	if (now.changes == last->changes)
		return true;
	of->last_time = now;
	return !heap_log_put(&of->times, made, HEAP_TIME, &making->failure);
}

static bool take(struct making *making, const struct heap_op *op, unsigned stream)
{
	uint32_t space = making->heap->marks[stream].space;
	bool good;

	if (op->kind == HEAP_ENTER) {
		space = (uint32_t)op->address;
		good = enter(making, stream, space);
	} else if (op->kind == HEAP_FREE) {
		good = change(making, space, op->address, 0);
	} else {
		good = allocate(making, space, op);
	}
	return good && put_time(making, space, stream, op);
}

static int take_all(struct making *making, struct wm_error *err)
{
	struct heap_turns turns;
	bool good = heap_turns_init(&turns, making->ops, making->heap->n_streams);
	const struct heap_op *op;
	unsigned stream;

	while (good && (op = heap_turns_next(&turns, &stream)))
		good = take(making, op, stream);
	heap_turns_fini(&turns);
	return good ? 0 : fail(making, err);
}

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
		if (!ret)
			ret = heap_log_end(&heap->spaces[i].times, err);
		if (!ret && !settle(&heap->spaces[i]))
			ret = fail(making, err);
	}
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
	making->ops = calloc(heap->n_streams + 1ul, sizeof(*making->ops));
	good = heap->spaces && heap->marks && making->readings && making->ops &&
	       !u64map_init(&making->callers);
	for (uint32_t i = 0; good && i < heap->n_spaces; i++)
		good = !u64map_init(&making->readings[i].slots);
	return good;
}

/* What was read has served. */
static void end_reading(struct making *making)
{
	const struct heap *heap = making->heap;

	for (unsigned i = 0; making->ops && i < heap->n_streams; i++)
		heap_log_fini(&making->ops[i]);
	for (uint32_t i = 0; making->readings && i < heap->n_spaces; i++) {
		u64map_fini(&making->readings[i].slots);
		free(making->readings[i].live);
	}
	free(making->ops);
	free(making->readings);
	free(making->next);
	u64map_fini(&making->callers);
}

static int make(struct making *making, unsigned threads, struct wm_error *err)
{
	int ret = make_room(making) ? 0 : fail(making, err);

	if (!ret)
		ret = heap_ops_gather(making->ops, making->trace, &making->allocators,
				      threads, err);
	if (!ret)
		ret = take_all(making, err);
	/* Before memory is needed for more than one of them. */
	end_reading(making);
	if (!ret)
		ret = settle_all(making, err);
	return ret ? ret : heap_marks_make(making->heap, making->trace, threads, err);
}

int heap_new(struct heap **out, const struct wm_trace *trace, struct functions *functions,
	     unsigned threads, struct wm_error *err)
{
	struct making making = { .trace = trace, .functions = functions };
	int ret = allocators_init(&making.allocators, trace, err);

	*out = NULL;
	/* Without recorded allocators no walk is done at all. */
	if (!ret && making.allocators.any) {
		*out = making.heap = calloc(1, sizeof(*making.heap));
		ret = making.heap ? make(&making, threads, err) : fail(&making, err);
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
		heap_log_fini(&heap->spaces[i].times);
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
