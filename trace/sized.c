// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The public functions that fill in a caller's struct, whatever version of waymark.h the
 * caller was compiled with.
 *
 * An inline function of that header hands over sizeof() of the struct it knows. A caller
 * of our own version has its struct filled in directly. For any other, ours is filled in,
 * and as much of it is copied as both know (base/sized.h).
 *
 *	caller's struct wm_chunk	72 bytes, without `lost` and what came later
 *	ours			80 bytes: the first 72 are copied
 *	caller newer than we are	88 bytes: all 80 are copied, followed by 8 zeros
 *
 * Invariant: structs only grow, and new members come last. So a size says which members a
 * struct has.
 */
#include "base/sized.h"

#include <stdlib.h>

#include "base/error.h"
#include "trace/facts.h"

/* Returns what `call` does, which fills in *mine. */
#define FILL(type, out, bytes, call)                                            \
	do {                                                                    \
		struct type own, *mine = (bytes) == sizeof(own) ? (out) : &own; \
		int ret = (call);                                               \
                                                                                \
		if (mine == &own && ret == 0)                                   \
			SIZED_PUT(out, bytes, mine);                            \
		return ret;                                                     \
	} while (0)

/* Has no result, so FILL() does not fit. */
void wm_trace_summary_sized(const struct wm_trace *trace, struct wm_summary *summary,
			    size_t bytes)
{
	struct wm_summary mine;

	trace_summary(trace, &mine);
	SIZED_PUT(summary, bytes, &mine);
}

int wm_trace_space_sized(const struct wm_trace *trace, unsigned index,
			 struct wm_space *space, size_t bytes)
{
	FILL(wm_space, space, bytes, trace_space(trace, index, mine));
}

int wm_trace_process_sized(const struct wm_trace *trace, unsigned index,
			   struct wm_process *process, size_t bytes)
{
	FILL(wm_process, process, bytes, trace_process(trace, index, mine));
}

int wm_trace_stream_sized(const struct wm_trace *trace, unsigned index,
			  struct wm_stream *stream, size_t bytes)
{
	FILL(wm_stream, stream, bytes, trace_stream(trace, index, mine));
}

int wm_trace_module_sized(const struct wm_trace *trace, unsigned index,
			  struct wm_module *module, size_t bytes)
{
	FILL(wm_module, module, bytes, trace_module(trace, index, mine));
}

int wm_trace_chunk_sized(const struct wm_trace *trace, uint64_t index,
			 struct wm_chunk *chunk, size_t bytes)
{
	FILL(wm_chunk, chunk, bytes, trace_chunk(trace, index, mine));
}

int wm_trace_block_sized(const struct wm_trace *trace, uint32_t id,
			 struct wm_block *block, size_t bytes)
{
	FILL(wm_block, block, bytes, trace_block(trace, id, mine));
}

int wm_trace_verify_sized(const struct wm_trace *trace, struct wm_check *check,
			  size_t bytes, struct wm_error *err)
{
	struct wm_check mine;
	int ret;

	/*
	 * What the caller asks for is in the same struct: members that it does not know
	 * are 0.
	 */
	SIZED_GET(&mine, check, bytes);
	ret = trace_verify(trace, &mine, err);
	SIZED_PUT(check, bytes, &mine);
	return ret;
}

/* ---- the sequence -------------------------------------------------------- */

int wm_cursor_next_block_sized(struct wm_cursor *cursor, struct wm_step *step,
			       size_t bytes, struct wm_error *err)
{
	FILL(wm_step, step, bytes, cursor_next_block(cursor, mine, err));
}

int wm_cursor_next_insn_sized(struct wm_cursor *cursor, struct wm_step *step,
			      size_t bytes, struct wm_error *err)
{
	FILL(wm_step, step, bytes, cursor_next_insn(cursor, mine, err));
}

int wm_cursor_next_run_sized(struct wm_cursor *cursor, const uint32_t **ids, size_t *n,
			     struct wm_step *step, size_t bytes, struct wm_error *err)
{
	FILL(wm_step, step, bytes, cursor_next_run(cursor, ids, n, mine, err));
}

int wm_cursor_next_event_sized(struct wm_cursor *cursor, struct wm_event *event,
			       size_t bytes, struct wm_error *err)
{
	FILL(wm_event, event, bytes, cursor_next_event(cursor, mine, err));
}

int wm_cursor_event_here_sized(struct wm_cursor *cursor, struct wm_event *event,
			       size_t bytes)
{
	FILL(wm_event, event, bytes, cursor_event_here(cursor, mine));
}

int wm_timeline_next_sized(struct wm_timeline *timeline, uint32_t *process,
			   struct wm_event *event, size_t bytes)
{
	FILL(wm_event, event, bytes, timeline_next(timeline, process, mine));
}

int wm_modes_next_sized(struct wm_modes *modes, struct wm_mode_change *change,
			size_t bytes, struct wm_error *err)
{
	FILL(wm_mode_change, change, bytes, modes_next(modes, mine, err));
}

int wm_schedule_next_sized(struct wm_schedule *schedule, struct wm_turn *turn,
			   size_t bytes, struct wm_error *err)
{
	FILL(wm_turn, turn, bytes, schedule_next(schedule, mine, err));
}

/* ---- arrays -------------------------------------------------------------- */

/*
 * Turns *array[n] with elements of `mine` bytes into one with elements of `theirs` bytes.
 * The array is ours and the caller walks it with its own sizeof(), so every element must
 * move.
 */
static int resize_elements(void **array, size_t n, size_t mine, size_t theirs,
			   struct wm_error *err)
{
	char *old = *array, *copy;

	if (mine == theirs)
		return 0;
	copy = calloc(n + 1, theirs);
	/* 1 more, so that an empty array is not NULL. */
	for (size_t i = 0; copy && i < n; i++)
		sized_copy(copy + i * theirs, theirs, old + i * mine, mine);
	/* The old array is freed either way: without memory the caller gets none. */
	free(old);
	*array = copy;
	return copy ? 0 : wm_fail_nomem(err, "an array");
}

int wm_trace_histogram_sized(const struct wm_trace *trace, uint64_t chunk,
			     struct wm_count **counts, size_t bytes, size_t *n,
			     struct wm_error *err)
{
	int ret = trace_histogram(trace, chunk, counts, n, err);

	return ret ? ret :
		     resize_elements((void **)counts, *n, sizeof(**counts), bytes, err);
}

int wm_trace_partials_sized(const struct wm_trace *trace, uint64_t chunk,
			    struct wm_partial **partials, size_t bytes, size_t *n,
			    struct wm_error *err)
{
	int ret = trace_get_partials(trace, chunk, partials, n, err);

	return ret ? ret :
		     resize_elements((void **)partials, *n, sizeof(**partials), bytes,
				     err);
}
