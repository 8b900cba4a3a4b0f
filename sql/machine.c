// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Relations of what a whole machine did: "modes", stretches of a thread in one mode, and
 * "turns", stretches of a thread on one hart. A trace of a program has no rows of either.
 *
 * Both have the blocks of each stretch at hand. Instructions are counted for the columns that a
 * query uses, by a cursor that goes ahead through one thread: so rows are in the order of
 * threads, and turns, which the library tells in the order of time, are sorted when the
 * iteration begins.
 *
 * Example: thread 1 has turns to hart 0 at block 0 and to hart 1 at block 70, of 100 blocks. Its
 * rows are {block 0, blocks 70, hart 0} and {block 70, blocks 30, hart 1}.
 */
#include <stdlib.h>

#include "sql/relations.h"

/* A block of a thread and how many instructions began before it. */
struct place {
	uint64_t block, insn;
	bool counted;
};

/* A stretch of a thread, and how its places become instructions. */
struct stretch {
	unsigned thread;
	struct wm_stream stream;
	struct place from, to;
	struct wm_cursor *cursor; /* of the thread; NULL: not needed yet */
};

static bool is_of_machine(const struct wm_trace *trace)
{
	struct wm_space space;

	for (unsigned i = 0; !wm_trace_space(trace, i, &space); i++)
		if (space.kind == WM_SPACE_MACHINE)
			return true;
	return false;
}

static int begin_thread(struct stretch *stretch, const struct wm_trace *trace,
			unsigned thread)
{
	wm_cursor_free(stretch->cursor);
	*stretch = (struct stretch){ .thread = thread };
	return wm_trace_stream(trace, thread, &stretch->stream);
}

/* What ends at a place that was counted begins the next stretch. */
static void set_blocks(struct stretch *stretch, uint64_t from, uint64_t to)
{
	if (stretch->to.block == from)
		stretch->from = stretch->to;
	else
		stretch->from = (struct place){ .block = from };
	stretch->to = (struct place){ .block = to };
}

static int count_to(struct stretch *stretch, const struct wm_trace *trace,
		    struct place *place, struct wm_error *err)
{
	struct wm_step step = { .insn_ordinal = stretch->stream.insns };
	int ret = 0;

	if (place->counted)
		return 0;
	if (!stretch->cursor)
		ret = wm_cursor_new(&stretch->cursor, trace, stretch->thread, err);
	if (!ret && place->block < stretch->stream.blocks)
		ret = wm_cursor_seek_block(stretch->cursor, place->block, err);
	if (!ret && place->block < stretch->stream.blocks)
		ret = wm_cursor_next_block(stretch->cursor, &step, err);
	place->insn = step.insn_ordinal;
	place->counted = !ret;
	return ret;
}

enum { THREAD, INSN, BLOCK, INSNS, BLOCKS, OWN };

#define COLUMNS \
	"thread INTEGER, insn INTEGER, block INTEGER, insns INTEGER, blocks INTEGER, "

static int put_stretch(struct stretch *stretch, const struct wm_trace *trace,
		       sqlite3_context *context, int column, struct wm_error *err)
{
	int ret = 0;

	if (column == INSN || column == INSNS)
		ret = count_to(stretch, trace, &stretch->from, err);
	if (!ret && column == INSNS)
		ret = count_to(stretch, trace, &stretch->to, err);
	if (ret)
		return ret;
	if (column == THREAD)
		put_number(context, stretch->thread);
	else if (column == INSN)
		put_number(context, stretch->from.insn);
	else if (column == BLOCK)
		put_number(context, stretch->from.block);
	else if (column == INSNS)
		put_number(context, stretch->to.insn - stretch->from.insn);
	else
		put_number(context, stretch->to.block - stretch->from.block);
	return 0;
}

/* The first thread of the range; behind all threads if the trace has no rows. */
static unsigned first_thread(const struct rows *rows)
{
	uint64_t first = rows->range.of[RANGE_THREAD].least;
	unsigned threads = rows->subject->summary.streams;

	/* The bound may exceed an unsigned int: compare before the cast. */
	return first < threads && is_of_machine(rows->subject->trace) ? (unsigned)first :
									threads;
}

static bool is_behind(const struct rows *rows, unsigned thread)
{
	return thread >= rows->subject->summary.streams ||
	       thread > rows->range.of[RANGE_THREAD].most;
}

/* ---- modes ----------------------------------------------------------------------------- */

struct modes {
	struct rows rows;
	struct stretch stretch;
	unsigned thread;
	struct subject_before before; /* the thread, for numbers of rows */
	struct wm_modes *modes;	      /* of the thread; NULL: it has not begun */
	struct wm_mode_change now, next;
	bool last; /* there is no `next` */
};

static uint64_t count_modes(const struct subject *subject)
{
	return 1000 + subject->summary.chunks * 100;
}

static int open_modes(struct rows *rows, struct wm_error *err)
{
	struct modes *modes = (struct modes *)rows;

	(void)err;
	modes->thread = first_thread(rows);
	return 0;
}

static int look_ahead(struct modes *modes, struct wm_error *err)
{
	int ret = wm_modes_next(modes->modes, &modes->next, err);

	modes->last = ret == WM_END;
	return modes->last ? 0 : ret;
}

static int begin_modes(struct modes *modes, struct wm_error *err)
{
	const struct wm_trace *trace = modes->rows.subject->trace;
	int ret = begin_thread(&modes->stretch, trace, modes->thread);

	if (!ret)
		ret = subject_add_before(modes->rows.subject, modes->thread,
					 &modes->before);
	if (!ret)
		ret = wm_modes_new(&modes->modes, trace, modes->thread, err);
	return ret ? ret : look_ahead(modes, err);
}

static void end_modes(struct modes *modes)
{
	wm_modes_free(modes->modes);
	modes->modes = NULL;
	modes->thread++;
}

/* The next one of the thread that has blocks; WM_END: none has. */
static int next_of_thread(struct modes *modes, struct wm_error *err)
{
	struct stretch *stretch = &modes->stretch;
	int ret = modes->modes ? 0 : begin_modes(modes, err);

	if (ret)
		return ret;
	modes->now = modes->next;
	if (modes->last || modes->now.block_ordinal >= stretch->stream.blocks)
		return WM_END;
	ret = look_ahead(modes, err);
	set_blocks(stretch, modes->now.block_ordinal,
		   modes->last ? stretch->stream.blocks : modes->next.block_ordinal);
	/* A thread has a place more than it has blocks. */
	modes->rows.number =
		modes->before.blocks + modes->thread + modes->now.block_ordinal;
	return ret;
}

static int next_mode(struct rows *rows, struct wm_error *err)
{
	struct modes *modes = (struct modes *)rows;

	for (; !is_behind(rows, modes->thread); end_modes(modes)) {
		int ret = next_of_thread(modes, err);

		if (ret != WM_END)
			return ret;
	}
	rows->ended = true;
	return 0;
}

static int put_mode(struct rows *rows, sqlite3_context *context, int column,
		    struct wm_error *err)
{
	struct modes *modes = (struct modes *)rows;

	if (column < OWN)
		return put_stretch(&modes->stretch, rows->subject->trace, context, column,
				   err);
	put_text(context, wm_modes_name(modes->now.mode));
	return 0;
}

static void close_modes(struct rows *rows)
{
	struct modes *modes = (struct modes *)rows;

	wm_modes_free(modes->modes);
	wm_cursor_free(modes->stretch.cursor);
}

const struct relation relation_modes = {
	.name = "modes",
	.columns = COLUMNS "mode TEXT",
	.keys = { [RANGE_THREAD] = THREAD + 1 },
	.rows_bytes = sizeof(struct modes),
	.count = count_modes,
	.open = open_modes,
	.next = next_mode,
	.column = put_mode,
	.close = close_modes,
};

/* ---- turns ----------------------------------------------------------------------------- */

enum { HART = OWN, NS };

/* A thread that has no turn in the schedule ran on one hart: it has one without a time. */
struct turns {
	struct rows rows;
	struct stretch stretch;
	struct wm_turn *all; /* [n], by thread, each thread's in their order */
	size_t n, room, at;  /* `at`: after the current row */
	bool begun;	     /* the stretch is of the thread of the current row */
};

static uint64_t count_turns(const struct subject *subject)
{
	return 1000 + subject->summary.streams;
}

static int add_turn(struct turns *turns, const struct wm_turn *turn, struct wm_error *err)
{
	if (turns->n == turns->room) {
		size_t room = turns->room * 2 + 1024;
		struct wm_turn *grown =
			reallocarray(turns->all, room, sizeof(*turns->all));

		if (!grown)
			return wm_error_set(err, WM_E_NOMEM, "no memory for a schedule");
		turns->all = grown;
		turns->room = room;
	}
	turns->all[turns->n++] = *turn;
	return 0;
}

static int read_schedule(struct turns *turns, bool *has_turns, struct wm_error *err)
{
	struct wm_schedule *schedule;
	struct wm_turn turn;
	int ret = wm_schedule_new(&schedule, turns->rows.subject->trace, err);

	if (ret)
		return ret;
	while (!ret) {
		ret = wm_schedule_next(schedule, &turn, err);
		if (!ret)
			has_turns[turn.stream] = true;
		if (!ret)
			ret = add_turn(turns, &turn, err);
	}
	wm_schedule_free(schedule);
	return ret == WM_END ? 0 : ret;
}

static int add_others(struct turns *turns, const bool *has_turns, struct wm_error *err)
{
	const struct subject *subject = turns->rows.subject;
	struct wm_stream stream;
	int ret = 0;

	for (unsigned i = 0; !ret && i < subject->summary.streams; i++)
		if (!has_turns[i] && !wm_trace_stream(subject->trace, i, &stream))
			ret = add_turn(turns,
				       &(struct wm_turn){ .hart = stream.vcpu,
							  .stream = i },
				       err);
	return ret;
}

/* The blocks of a thread's turns do not descend, but several may begin at one. */
static int by_thread(const void *a, const void *b)
{
	const struct wm_turn *x = a, *y = b;

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	if (x->block_ordinal != y->block_ordinal)
		return x->block_ordinal < y->block_ordinal ? -1 : 1;
	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

static int open_turns(struct rows *rows, struct wm_error *err)
{
	struct turns *turns = (struct turns *)rows;
	bool *has_turns;
	int ret;

	if (is_behind(rows, first_thread(rows)))
		return 0;
	if (wm_trace_meta(rows->subject->trace, "last"))
		return wm_error_set(err, WM_E_RANGE,
				    "turns need the schedule of all of a run; record "
				    "--last keeps none");
	has_turns = calloc(rows->subject->summary.streams, sizeof(*has_turns));
	if (!has_turns)
		return wm_error_set(err, WM_E_NOMEM, "no memory for a schedule");
	ret = read_schedule(turns, has_turns, err);
	if (!ret)
		ret = add_others(turns, has_turns, err);
	free(has_turns);
	if (turns->n)
		qsort(turns->all, turns->n, sizeof(*turns->all), by_thread);
	return ret;
}

/* Turns of blocks that are not in the file end where the thread does. */
static int set_turn(struct turns *turns, const struct wm_turn *turn, uint64_t end)
{
	struct stretch *stretch = &turns->stretch;
	uint64_t from = turn->block_ordinal;
	int ret = 0;

	if (!turns->begun || stretch->thread != turn->stream)
		ret = begin_thread(stretch, turns->rows.subject->trace, turn->stream);
	turns->begun = !ret;
	if (end > stretch->stream.blocks)
		end = stretch->stream.blocks;
	set_blocks(stretch, from < end ? from : end, end);
	return ret;
}

/* Rows are numbered by all turns, those included that are not in the range. */
static int next_turn(struct rows *rows, struct wm_error *err)
{
	struct turns *turns = (struct turns *)rows;
	const struct wm_turn *turn;
	bool last;

	(void)err;
	do {
		rows->ended = turns->at == turns->n;
		if (rows->ended)
			return 0;
		turn = &turns->all[turns->at++];
	} while (!range_has(&rows->range, RANGE_THREAD, turn->stream));
	rows->number = turns->at;
	last = turns->at == turns->n || turn[1].stream != turn->stream;
	return set_turn(turns, turn, last ? UINT64_MAX : turn[1].block_ordinal);
}

static int put_turn(struct rows *rows, sqlite3_context *context, int column,
		    struct wm_error *err)
{
	struct turns *turns = (struct turns *)rows;
	const struct wm_turn *turn = &turns->all[turns->at - 1];

	if (column < OWN)
		return put_stretch(&turns->stretch, rows->subject->trace, context, column,
				   err);
	if (column == HART)
		put_number(context, turn->hart);
	else
		put_time(context, rows->subject, turn->ns);
	return 0;
}

static void close_turns(struct rows *rows)
{
	struct turns *turns = (struct turns *)rows;

	wm_cursor_free(turns->stretch.cursor);
	free(turns->all);
}

const struct relation relation_turns = {
	.name = "turns",
	.columns = COLUMNS "hart INTEGER, ns INTEGER",
	.keys = { [RANGE_THREAD] = THREAD + 1 },
	.rows_bytes = sizeof(struct turns),
	.count = count_turns,
	.open = open_turns,
	.next = next_turn,
	.column = put_turn,
	.close = close_turns,
};
