// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Each thread is retraced alone, so its memory is that of one cursor for each thread here,
 * however many the program had. What they did is put in order afterwards (heap_turns.h).
 *
 * A call of an allocator waits on the thread's list until it returns. The value returned
 * belongs to the newest call of the same place; calls above it have been left, by
 * longjmp() or an exception. An allocator that is called by another one, malloc() by
 * operator new, returns first. What the outer one returns replaces its object, and with
 * it the name.
 *
 * Invariant: state->ns is no earlier than anything that the thread did so far. A clock that
 * goes back would let a thread come before itself.
 */
#include "analysis/mem/heap_ops.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/accesses.h"
#include "base/error.h"

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

struct setup {
	const struct wm_trace *trace;
	const struct allocators *allocators;
	struct heap_log *logs;
};

struct state {
	const struct setup *setup;
	struct heap_log *log;
	uint32_t space;
	bool entering;		      /* nothing of `space` came yet */
	bool begun;		      /* there is a space */
	uint64_t ns;		      /* the latest time so far */
	struct heap_op last;	      /* the last one in the log */
	struct call calls[CALLS_MAX]; /* [n] */
	unsigned n;
};

/* ---- the log --------------------------------------------------------------------- */

/* How many numbers there are of each op, and of HEAP_MAKE besides. */
enum { NUMBERS = 4, NUMBERS_MADE = 3 };

/* Times and instructions never go back, so what was added since the last op is short. */
static int put(struct state *state, struct heap_op op, struct wm_error *err)
{
	const uint64_t all[] = { state->ns - state->last.ns, op.insn - state->last.insn,
				 op.kind, op.address };
	const uint64_t made[] = { op.bytes, op.id, op.index };
	int ret = heap_log_put(state->log, all, NUMBERS, err);

	op.ns = state->ns;
	state->last = op;
	return ret || op.kind != HEAP_MAKE ?
		       ret :
		       heap_log_put(state->log, made, NUMBERS_MADE, err);
}

struct heap_ops_reader heap_ops_read(const struct heap_log *log)
{
	return (struct heap_ops_reader){ .in = heap_log_read(log) };
}

bool heap_ops_next(struct heap_ops_reader *reader)
{
	struct heap_op *op = &reader->op;
	uint64_t all[NUMBERS], made[NUMBERS_MADE] = { 0 };

	if (!heap_log_next(&reader->in, all, NUMBERS))
		return false;
	if (all[2] == HEAP_MAKE)
		heap_log_next(&reader->in, made, NUMBERS_MADE);
	*op = (struct heap_op){ op->ns + all[0], op->insn + all[1], all[2], all[3],
				made[0],	 made[1],	    made[2] };
	return true;
}

/* ---- where the thread is ----------------------------------------------------------- */

static int begin(void *to, void *setup, const struct segment *segment,
		 struct wm_error *err)
{
	struct state *state = to;

	(void)err;
	state->setup = setup;
	state->log = &state->setup->logs[segment->stream];
	if (state->begun && state->space == segment->space)
		return 0;
	state->begun = state->entering = true;
	state->space = segment->space;
	state->n = 0; /* execve() leaves no call */
	return 0;
}

/* Something of the thread comes at a time. */
static int reach(struct state *state, uint64_t ns, uint64_t insn, struct wm_error *err)
{
	if (ns > state->ns)
		state->ns = ns;
	if (!state->entering)
		return 0;
	state->entering = false;
	return put(state,
		   (struct heap_op){
			   .insn = insn, .kind = HEAP_ENTER, .address = state->space },
		   err);
}

static int event(void *to, const struct wm_event *event, struct wm_error *err)
{
	return reach(to, event->ns, event->insn_ordinal, err);
}

/* ---- calls ------------------------------------------------------------------------- */

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

static int take_argument(struct state *state, const struct allocator *allocator,
			 const struct wm_access *access, uint64_t insn,
			 struct wm_error *err)
{
	unsigned argument = allocator_argument(state->setup->allocators, access->address);
	struct call *call;

	if (argument == ALLOCATOR_ARGUMENTS)
		return 0;
	/*
	 * A function that only frees takes effect when it is called: while it runs, the
	 * memory may be given to another thread.
	 */
	if (allocator->bytes < 0)
		return argument != (unsigned)allocator->freed ?
			       0 :
			       put(state,
				   (struct heap_op){ .insn = insn,
						     .kind = HEAP_FREE,
						     .address = access->data[0] },
				   err);
	call = push(state, insn, access->place);
	call->arguments[argument] = access->data[0];
	call->known |= (uint8_t)(1u << argument);
	return 0;
}

/* A size that is not known counts as 0, and makes no object. */
static uint64_t size_of(const struct allocator *allocator, const struct call *call)
{
	uint64_t bytes =
		knows(call, allocator->bytes) ? call->arguments[allocator->bytes] : 0;

	if (allocator->count < 0)
		return bytes;
	return knows(call, allocator->count) ? bytes * call->arguments[allocator->count] :
					       0;
}

/* A call has returned to instruction op.insn, with op.address. */
static int allocate(struct state *state, const struct allocator *allocator,
		    const struct call *call, struct heap_op op, struct wm_error *err)
{
	int ret = 0;

	op.bytes = size_of(allocator, call);
	/*
	 * A realloc() that fails leaves the old object; realloc() to 0 bytes frees it and
	 * may return NULL.
	 */
	if (knows(call, allocator->freed) && (op.address || !op.bytes))
		ret = put(state,
			  (struct heap_op){ .insn = op.insn,
					    .kind = HEAP_FREE,
					    .address =
						    call->arguments[allocator->freed] },
			  err);
	return ret || !op.address || !op.bytes ? ret : put(state, op, err);
}

static int take_returned(struct state *state, const struct allocator *allocator,
			 const struct wm_access *access, const struct stretch *part,
			 uint64_t insn, struct wm_error *err)
{
	const struct heap_op op = { .insn = insn,
				    .kind = HEAP_MAKE,
				    .address = access->data[0],
				    .id = part->ids[access->block],
				    .index = access->insn };
	struct call call;

	if ((int)access->address != state->setup->allocators->returned ||
	    !pop(state, access->place, &call))
		return 0;
	return allocate(state, allocator, &call, op, err);
}

/* ---- a part ------------------------------------------------------------------------ */

static uint64_t ns_of(const struct stretch *part, size_t block)
{
	return clock_at(part->when, part->block + block);
}

static int take(void *to, const struct stretch *part, const struct wm_access *accesses,
		size_t n, struct wm_error *err)
{
	struct state *state = to;
	struct access_places places =
		access_places_of(state->setup->trace->table.blocks, part);
	int ret = reach(state, ns_of(part, 0), part->insn, err);

	for (size_t i = 0; !ret && i < n; i++) {
		const struct wm_access *access = &accesses[i];
		const struct allocator *allocator =
			allocator_of(state->setup->allocators, access);
		uint64_t insn;

		if (!allocator)
			continue;
		insn = access_insn(&places, access);
		ret = reach(state, ns_of(part, access->block), insn, err);
		if (!ret && access->kind == WM_ACCESS_REGISTER)
			ret = take_argument(state, allocator, access, insn, err);
		else if (!ret && access->kind == WM_ACCESS_RETURNED)
			ret = take_returned(state, allocator, access, part, insn, err);
	}
	return ret ? ret : reach(state, ns_of(part, part->n - 1), part->insn, err);
}

/* The thread is complete: its log has the little memory of one that is read. */
static int end_stream(void *from, void *setup, unsigned stream, struct wm_error *err)
{
	(void)from;
	return heap_log_end(&((struct setup *)setup)->logs[stream], err);
}

static void end(void *state)
{
	(void)state;
}

static const struct analysis heap_ops = {
	.name = "heap",
	.state_bytes = sizeof(struct state),
	.across = true,
	.in_order = true,
	.timed = true,
	.begin = begin,
	.accesses = take,
	.event = event,
	.stream = end_stream,
	.end = end,
};

int heap_ops_gather(struct heap_log *logs, const struct wm_trace *trace,
		    const struct allocators *allocators, unsigned threads,
		    struct wm_error *err)
{
	struct setup setup = { trace, allocators, logs };
	struct selection all = { .to = UINT64_MAX, .threads = threads };
	unsigned *streams = calloc(trace->stream_count + 1ul, sizeof(*streams));
	int ret;

	if (!streams)
		return wm_fail_nomem(err, "names of the heap");
	for (; all.n < trace->stream_count; all.n++)
		streams[all.n] = all.n;
	all.streams = streams;
	/*
	 * All threads and all of the time, whatever the user selects: an object that a
	 * selected instruction accesses may have been allocated by any thread long ago.
	 */
	ret = analysis_run(&heap_ops, &setup, trace, &all, err);
	free(streams);
	return ret;
}
