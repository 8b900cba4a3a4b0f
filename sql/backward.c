// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Traces are read forwards. So a window of instructions at the end is read, its rows are kept, and
 * given from the last one on; then the window before it. Windows grow, so that a query for the last
 * few rows reads few, and one for all of them seldom seeks.
 *
 * A row that is kept is a copy of the relation's struct. Its column() reads only what the struct
 * itself has, the subject and the trace; what it points to beside these was freed with the window.
 *
 * Example: a thread of 1,000 instructions: windows 936..1000 and 808..935. 1,000 is the ordinal of a
 * gap behind the last instruction.
 */
#include "sql/backward.h"

#include <stdlib.h>
#include <string.h>

enum { WINDOW_LEAST = 64, WINDOW_MOST = 1 << 17 };

struct backward {
	const struct relation *relation;
	struct subject *subject;
	struct range range;
	uint64_t end; /* rows of this ordinal and greater ones were given */
	uint64_t window;
	char *kept; /* [n] of relation->rows_bytes */
	size_t n, allocated;
};

struct backward *backward_new(const struct relation *relation, struct subject *subject,
			      const struct range *range)
{
	struct backward *backward = calloc(1, sizeof(*backward));
	uint64_t thread = range->of[RANGE_THREAD].least;
	uint64_t last = range->of[RANGE_INSN].most;
	struct wm_stream stream = { 0 };

	if (!backward)
		return NULL;
	*backward = (struct backward){ .relation = relation,
				       .subject = subject,
				       .range = *range,
				       .window = WINDOW_LEAST };
	/* Of a thread that is not there are no rows. */
	if (thread < subject->summary.streams &&
	    !wm_trace_stream(subject->trace, (unsigned)thread, &stream))
		backward->end = (last < stream.insns ? last : stream.insns) + 1;
	return backward;
}

void backward_free(struct backward *backward)
{
	if (backward)
		free(backward->kept);
	free(backward);
}

static int keep(struct backward *backward, const struct rows *rows, struct wm_error *err)
{
	size_t bytes = backward->relation->rows_bytes;
	size_t room = backward->n ? 2 * backward->n : WINDOW_LEAST;
	char *grown;

	if (backward->n == backward->allocated) {
		grown = reallocarray(backward->kept, room, bytes);
		if (!grown)
			return wm_error_set(err, WM_E_NOMEM, "no memory for rows");
		backward->kept = grown;
		backward->allocated = room;
	}
	memcpy(backward->kept + backward->n++ * bytes, rows, bytes);
	return 0;
}

/* Keeps the rows from ordinal `first` to backward->end; a range alone may have more. */
static int keep_all(struct backward *backward, struct rows *rows, uint64_t first,
		    struct wm_error *err)
{
	const struct relation *relation = backward->relation;
	int ret = relation->open(rows, err);

	for (;;) {
		uint64_t ordinal;

		if (!ret)
			ret = relation->next(rows, err);
		if (ret || rows->ended)
			return ret == WM_END ? 0 : ret;
		ordinal = relation->ordinal(rows);
		if (ordinal >= first && ordinal < backward->end)
			ret = keep(backward, rows, err);
		rows->number++;
	}
}

static int read_window(struct backward *backward, uint64_t first, struct wm_error *err)
{
	struct rows *rows = calloc(1, backward->relation->rows_bytes);
	int ret;

	if (!rows)
		return wm_error_set(err, WM_E_NOMEM, "no memory for rows");
	rows->relation = backward->relation;
	rows->subject = backward->subject;
	rows->range = backward->range;
	rows->range.of[RANGE_INSN].least = first;
	rows->range.of[RANGE_INSN].most = backward->end - 1;
	ret = keep_all(backward, rows, first, err);
	rows->relation->close(rows);
	free(rows);
	return ret;
}

int backward_next(struct backward *backward, struct rows **rows, struct wm_error *err)
{
	uint64_t least = backward->range.of[RANGE_INSN].least;
	int ret = 0;

	while (!ret && !backward->n) {
		uint64_t first = least;

		if (backward->end <= least)
			return WM_END;
		if (backward->end - least > backward->window)
			first = backward->end - backward->window;
		ret = read_window(backward, first, err);
		backward->end = first;
		if (backward->window < WINDOW_MOST)
			backward->window *= 2;
	}
	if (!ret)
		*rows = (struct rows *)(backward->kept +
					--backward->n * backward->relation->rows_bytes);
	return ret;
}
