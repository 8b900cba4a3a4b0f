// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bytecodes are read forwards only, so a step back reads a part of the thread that ends at the
 * position, and keeps what the step needs of it: the frames, and where each was one bytecode and
 * one line before. When the part began too late to know, the next one is longer.
 *
 * A step forwards reads such a part, too, for the frame that the position is in, and then goes on
 * from there. Frames have numbers that ascend: of a later number, and begun, is what is called.
 *
 * Example, `f` calls `g`, and the position is at its second line:
 *
 *	f:1 	begun, 1		F to here: where the frame below g's was last
 *	g:10	begun, 2		N to here: where g came to the line before
 *	g:11	position
 *	g:12				n to here: frame 2, another line
 *	f:1				f to here: frame 1, not later than 2
 *
 * Invariant: what is handed out as known does not depend on where a part begins. The line in which
 * a part begins may have begun before, and so has no begin (METHOD_NOWHERE).
 */
#include "browse/bytewalk.h"

#include "base/error.h"
#include "browse/byteparts.h"
#include "browse/method_stack.h"
#include "managed/method_place.h"

enum {
	NEAR = 1 << 21,	      /* instructions */
	FIRST_PART = 1 << 20, /* instructions */
	LONGER = 8,	      /* each part than the one before */
	AHEAD_MOST = 1 << 21, /* instructions, of a look */
	POLL_STEPS = 1 << 18, /* bytecodes between two calls of go_on() */
};

int bytewalk_init(struct bytewalk *walk, const struct wm_trace *trace,
		  const struct units *units, struct wm_error *err)
{
	*walk = (struct bytewalk){ .units = units };
	return byteparts_new(&walk->parts, trace, units, err);
}

void bytewalk_fini(struct bytewalk *walk)
{
	byteparts_free(walk->parts);
}

/* Whether the user still waits for it. */
struct patience {
	const struct bytewalk *walk;
	uint64_t steps; /* so far */
	bool stopped;
};

struct reading {
	const struct bytewalk *walk;
	uint64_t insn; /* the position */
	struct method_stack stack;
	struct patience patience;

	/* Up to the position. */
	bool from_begin; /* nothing is before what was read */
	struct bytecode_at
		at;	 /* the bytecode that is executed; insn METHOD_NOWHERE: none */
	uint64_t before; /* where the one before it begins */
	/* The line that is executed, wherever: its begin, and that of the one before it. */
	const struct unit *line_of;
	uint32_t line;
	uint64_t line_insn, line_before;
	struct bytecode_at *rows; /* [room] a ring of the latest; NULL: not kept */
	size_t room, n_rows;

	/* Behind it. */
	enum bytewalk_step step;
	uint64_t base; /* serial of the frame that the position is in; 0: not known */
	uint64_t born; /* and of the latest frame then */
	uint64_t found;
};

static int ask_whether(struct patience *patience)
{
	const struct bytewalk *walk = patience->walk;

	if (++patience->steps % POLL_STEPS || !walk->go_on || walk->go_on(walk->cookie))
		return 0;
	patience->stopped = true;
	return WM_END;
}

static struct bytecode_at bytecode_of(const struct walk_step *step)
{
	return (struct bytecode_at){ step->insn, step->unit, step->offset,
				     step->unit ? bytecode_kind(step).mark : ' ', false };
}

/* ---- up to the position -------------------------------------------------- */

/* The thread comes to a line, wherever it is. */
static void come_to_line(struct reading *reading, const struct walk_step *step)
{
	uint32_t line = step->unit ? unit_line(step->unit, step->offset) : 0;

	if (!line || (line == reading->line && step->unit == reading->line_of))
		return;
	if (reading->line_insn != step->insn)
		reading->line_before = reading->line_insn;
	reading->line_insn = reading->line || reading->from_begin ? step->insn :
								    METHOD_NOWHERE;
	reading->line = line;
	reading->line_of = step->unit;
}

static int take_past(void *cookie, const struct walk_step *step, struct wm_error *err)
{
	struct reading *reading = cookie;
	int ret = method_stack_step(&reading->stack, step, err);

	if (ret || (step->unit && !walk_step_is_news(step)))
		return ret;
	if (reading->at.insn != step->insn)
		reading->before = reading->at.insn;
	reading->at = bytecode_of(step);
	if (reading->rows)
		reading->rows[reading->n_rows++ % reading->room] = reading->at;
	come_to_line(reading, step);
	return ask_whether(&reading->patience);
}

/* Forgets what was read, and reads the `part` instructions up to the position. */
static int read_past(struct reading *reading, uint64_t part, struct wm_error *err)
{
	const struct bytewalk *walk = reading->walk;
	uint64_t from = reading->insn >= part ? reading->insn - part + 1 : 0;
	int ret;

	reading->from_begin = !from;
	reading->stack.n = 0;
	reading->at = (struct bytecode_at){ .insn = METHOD_NOWHERE };
	reading->before = METHOD_NOWHERE;
	reading->line_of = NULL;
	reading->line = 0;
	reading->line_insn = reading->line_before = METHOD_NOWHERE;
	reading->n_rows = 0;
	ret = byteparts_walk(walk->parts, walk->stream, from, reading->insn + 1,
			     take_past, reading, err);
	return ret ? ret : reading->patience.stopped ? BYTEWALK_STOPPED : 0;
}

static void reading_init(struct reading *reading, const struct bytewalk *walk,
			 uint64_t insn)
{
	*reading = (struct reading){ .walk = walk,
				     .insn = insn,
				     .stack = { .units = walk->units },
				     .patience = { .walk = walk } };
}

static void reading_fini(struct reading *reading)
{
	method_stack_fini(&reading->stack);
}

/* How many instructions the next part has, when one of `part` did not do. */
static uint64_t longer(uint64_t part)
{
	return part > UINT64_MAX / LONGER ? UINT64_MAX : part * LONGER;
}

/*
 * Takes away frames of the stack, below the one on top, whose interpreter has returned; with `first`
 * only those above the first that is there.
 */
static int drop_ended(struct reading *reading, bool first, struct wm_error *err)
{
	const struct bytewalk *walk = reading->walk;
	struct method_stack *stack = &reading->stack;
	size_t n = stack->n > BYTEWALK_FRAMES ? BYTEWALK_FRAMES : stack->n;
	size_t top = stack->n - 1, to = stack->n - n, nearest = 1;
	uint64_t insns[BYTEWALK_FRAMES];
	bool alive[BYTEWALK_FRAMES];
	int ret;

	if (!walk->alive || n < 2)
		return 0;
	for (size_t i = 1; i < n; i++)
		insns[i - 1] = stack->all[top - i].insn;
	ret = walk->alive(walk->native, reading->insn, insns, n - 1, first, alive, err);
	if (ret)
		return ret;
	while (nearest < n && !alive[nearest - 1])
		nearest++;
	for (size_t i = n - 1; i; i--)
		if (alive[i - 1] || (first && i > nearest))
			stack->all[to++] = stack->all[top - i];
	stack->all[to++] = stack->all[top];
	stack->n = to;
	return 0;
}

/* ---- back ---------------------------------------------------------------- */

static const struct method_frame *caller_of(const struct method_stack *stack)
{
	const struct method_frame *top = method_stack_top(stack);

	return top && top->begun && stack->n > 1 ? top - 1 : NULL;
}

/* Where the frame on top was before; else where the one below called it. METHOD_NOWHERE: not known. */
static uint64_t or_call(const struct reading *reading, uint64_t before, bool line)
{
	const struct method_frame *caller = caller_of(&reading->stack);

	if (before != METHOD_NOWHERE)
		return before;
	if (!caller)
		return METHOD_NOWHERE;
	return line && caller->line ? caller->line_insn : caller->insn;
}

/* Where the step leads to, as far as the part says. METHOD_NOWHERE: it does not. */
static uint64_t step_back(const struct reading *reading, enum bytewalk_step step)
{
	const struct method_frame *top = method_stack_top(&reading->stack);
	const struct method_frame *caller = caller_of(&reading->stack);
	bool amid = reading->at.insn < reading->insn;
	bool has_line;

	if (!top)
		return step == BYTEWALK_ONE && amid ? reading->at.insn : reading->before;
	has_line = unit_line(top->unit, top->offset) > 0;
	switch (step) {
	case BYTEWALK_ONE:
		return amid ? reading->at.insn : reading->before;
	case BYTEWALK_OVER:
		return amid ? reading->at.insn : or_call(reading, top->prior, false);
	case BYTEWALK_OUT:
		return caller ? caller->insn : METHOD_NOWHERE;
	case BYTEWALK_LINE:
		return has_line ? reading->line_before : reading->line_insn;
	default:
		return or_call(reading, has_line ? top->line_before : top->line_insn,
			       true);
	}
}

/* Whether the step may lead to the frame that called the one on top. */
static bool step_calls(const struct reading *reading, enum bytewalk_step step)
{
	const struct method_frame *top = method_stack_top(&reading->stack);

	if (!top || !top->begun)
		return false;
	return step == BYTEWALK_OUT ||
	       (step == BYTEWALK_OVER && top->prior == METHOD_NOWHERE) ||
	       (step == BYTEWALK_NEXT && top->line_before == METHOD_NOWHERE);
}

static int go_back(const struct bytewalk *walk, uint64_t insn, enum bytewalk_step step,
		   uint64_t *to, struct wm_error *err)
{
	struct reading reading;
	int ret = 0;

	reading_init(&reading, walk, insn);
	*to = METHOD_NOWHERE;
	for (uint64_t part = FIRST_PART; !ret; part = longer(part)) {
		ret = read_past(&reading, part, err);
		if (!ret && step_calls(&reading, step))
			ret = drop_ended(&reading, true, err);
		if (!ret && reading.at.insn != METHOD_NOWHERE)
			*to = step_back(&reading, step);
		if (*to != METHOD_NOWHERE || reading.from_begin)
			break;
	}
	reading_fini(&reading);
	return ret ? ret : *to == METHOD_NOWHERE ? WM_END : 0;
}

/* ---- forwards ------------------------------------------------------------ */

/* Where the thread is, for who waits in a frame. */
enum whereabouts { IN_FRAME, IN_CALL, LEFT };

static enum whereabouts whereabouts(const struct reading *reading)
{
	const struct method_frame *top = method_stack_top(&reading->stack);

	if (!reading->base || (top && top->serial == reading->base))
		return IN_FRAME;
	return top && top->begun && top->serial > reading->born ? IN_CALL : LEFT;
}

static bool other_line(const struct reading *reading, const struct walk_step *step)
{
	uint32_t line = unit_line(step->unit, step->offset);

	return line && (line != reading->line || step->unit != reading->line_of);
}

static bool arrives(const struct reading *reading, const struct walk_step *step)
{
	enum whereabouts where = whereabouts(reading);

	switch (reading->step) {
	case BYTEWALK_ONE:
		return true;
	case BYTEWALK_OVER:
		return where != IN_CALL;
	case BYTEWALK_OUT:
		return where == LEFT;
	case BYTEWALK_LINE:
		return other_line(reading, step);
	default:
		return where == LEFT ? unit_line(step->unit, step->offset) > 0 :
				       where == IN_FRAME && other_line(reading, step);
	}
}

static int take_step(void *cookie, const struct walk_step *step, struct wm_error *err)
{
	struct reading *reading = cookie;
	int ret = method_stack_step(&reading->stack, step, err);

	if (ret || !step->unit || !walk_step_is_news(step))
		return ret;
	if (!arrives(reading, step))
		return ask_whether(&reading->patience);
	reading->found = step->insn;
	return WM_END;
}

/* Reads parts until one has a bytecode, which is then executed at the position. */
static int read_here(struct reading *reading, struct wm_error *err)
{
	uint64_t part = FIRST_PART;
	int ret;

	do {
		ret = read_past(reading, part, err);
		part = longer(part);
	} while (!ret && reading->at.insn == METHOD_NOWHERE && !reading->from_begin);
	return ret;
}

/* What is near is kept for later steps. */
static int read_ahead(struct reading *reading, struct wm_error *err)
{
	const struct bytewalk *walk = reading->walk;
	uint64_t from = reading->insn + 1, near = from + NEAR;
	int ret = byteparts_walk(walk->parts, walk->stream, from, near, take_step,
				 reading, err);

	if (ret || reading->found != METHOD_NOWHERE || reading->patience.stopped)
		return ret;
	return byteparts_walk(walk->parts, walk->stream, near, UINT64_MAX, take_step,
			      reading, err);
}

static int go_on(const struct bytewalk *walk, uint64_t insn, enum bytewalk_step step,
		 uint64_t *to, struct wm_error *err)
{
	const struct method_frame *top;
	struct reading reading;
	int ret;

	reading_init(&reading, walk, insn);
	ret = read_here(&reading, err);
	top = method_stack_top(&reading.stack);
	reading.step = step;
	reading.base = top ? top->serial : 0;
	reading.born = reading.stack.serial;
	reading.found = METHOD_NOWHERE;
	if (!ret)
		ret = read_ahead(&reading, err);
	reading_fini(&reading);
	*to = reading.found;
	if (ret)
		return ret;
	return reading.found != METHOD_NOWHERE ? 0 :
	       reading.patience.stopped	       ? BYTEWALK_STOPPED :
						 WM_END;
}

int bytewalk_step(const struct bytewalk *walk, uint64_t insn, enum bytewalk_step step,
		  bool back, uint64_t *to, struct wm_error *err)
{
	return back ? go_back(walk, insn, step, to, err) :
		      go_on(walk, insn, step, to, err);
}

/* ---- the first one -------------------------------------------------------- */

static int take_first(void *cookie, const struct walk_step *step, struct wm_error *err)
{
	bool *begins = cookie;

	(void)err;
	*begins = step->unit;
	return step->unit ? WM_END : 0;
}

int bytewalk_begins(const struct bytewalk *walk, uint64_t to, bool *begins,
		    struct wm_error *err)
{
	*begins = false;
	return byteparts_walk(walk->parts, walk->stream, 0, to, take_first, begins, err);
}

/* ---- places -------------------------------------------------------------- */

struct search {
	const struct method_place *place;
	uint64_t from, to; /* bounds of the instructions */
	bool last;	   /* of them all; else the first */
	uint64_t found;
	struct patience patience;
};

static struct method_place place_of(const struct bytewalk_place *place)
{
	return (struct method_place){ .is_line = place->is_line,
				      .module = place->module,
				      .name = place->name,
				      .number = place->number };
}

int bytewalk_has(const struct bytewalk *walk, const struct bytewalk_place *words,
		 bool *has, struct wm_error *err)
{
	struct method_place place = place_of(words);
	int ret = method_place_find(&place, walk->units, err);

	*has = !ret;
	method_place_fini(&place);
	return ret == WM_END ? 0 : ret;
}

static int take_place(void *cookie, const struct walk_step *step, struct wm_error *err)
{
	struct search *search = cookie;

	(void)err;
	if (!method_place_is(search->place, step))
		return ask_whether(&search->patience);
	search->found = step->insn;
	return search->last ? 0 : WM_END;
}

static int find_between(struct search *search, const struct bytewalk *walk,
			struct wm_error *err)
{
	int ret = byteparts_walk(walk->parts, walk->stream, search->from, search->to,
				 take_place, search, err);

	return ret ? ret : search->patience.stopped ? BYTEWALK_STOPPED : 0;
}

/* The last one before the position, of parts that become longer. */
static int find_back(struct search *search, const struct bytewalk *walk, uint64_t insn,
		     struct wm_error *err)
{
	uint64_t part = FIRST_PART;
	int ret = 0;

	search->last = true;
	search->to = insn;
	while (!ret && search->found == METHOD_NOWHERE && search->to) {
		search->from = search->to > part ? search->to - part : 0;
		ret = find_between(search, walk, err);
		search->to = search->from;
		part = longer(part);
	}
	return ret;
}

int bytewalk_find(const struct bytewalk *walk, uint64_t insn,
		  const struct bytewalk_place *words, bool back, uint64_t *to,
		  struct wm_error *err)
{
	struct method_place place = place_of(words);
	struct search search = { .place = &place,
				 .from = insn + 1,
				 .to = UINT64_MAX,
				 .found = METHOD_NOWHERE,
				 .patience = { .walk = walk } };
	int ret = method_place_find(&place, walk->units, err);

	if (!ret)
		ret = back ? find_back(&search, walk, insn, err) :
			     find_between(&search, walk, err);
	method_place_fini(&place);
	*to = search.found;
	return ret ? ret : search.found == METHOD_NOWHERE ? WM_END : 0;
}

/* ---- a look around ------------------------------------------------------- */

struct ahead {
	struct bytewalk_view *view;
	size_t most; /* rows */
};

static int take_ahead(void *cookie, const struct walk_step *step, struct wm_error *err)
{
	struct ahead *ahead = cookie;

	(void)err;
	if (step->unit && !walk_step_is_news(step))
		return 0;
	if (ahead->view->n_rows == ahead->most)
		return WM_END;
	ahead->view->rows[ahead->view->n_rows++] = bytecode_of(step);
	return 0;
}

/* The rows up to the position, out of the ring that was kept. */
static void copy_rows(struct bytewalk_view *view, const struct reading *reading)
{
	size_t n = reading->n_rows < reading->room ? reading->n_rows : reading->room;

	for (size_t i = 0; i < n; i++)
		view->rows[i] = reading->rows[(reading->n_rows - n + i) % reading->room];
	view->n_rows = n;
	view->here = n - 1;
}

static void copy_frames(struct bytewalk_view *view, const struct reading *reading)
{
	const struct method_stack *stack = &reading->stack;

	view->whole = reading->from_begin && stack->n <= BYTEWALK_FRAMES;
	for (size_t i = 0; i < stack->n && i < BYTEWALK_FRAMES; i++) {
		const struct method_frame *frame = &stack->all[stack->n - 1 - i];

		view->frames[view->n_frames++] =
			(struct bytecode_at){ frame->insn, frame->unit, frame->offset,
					      ' ', frame->inlined };
	}
}

int bytewalk_look(const struct bytewalk *walk, uint64_t insn, size_t around,
		  uint64_t most, struct bytewalk_view *view, struct wm_error *err)
{
	struct bytecode_at ring[BYTEWALK_ROWS];
	struct ahead ahead = { .view = view };
	struct reading reading;
	int ret;

	if (around >= BYTEWALK_ROWS)
		around = BYTEWALK_ROWS - 1;
	view->n_rows = view->here = view->n_frames = 0;
	reading_init(&reading, walk, insn);
	reading.rows = ring;
	reading.room = around + 1;
	ret = read_past(&reading, most, err);
	if (!ret)
		ret = drop_ended(&reading, false, err);
	if (!ret && reading.n_rows) {
		copy_rows(view, &reading);
		copy_frames(view, &reading);
	}
	ahead.most = view->n_rows + around;
	reading_fini(&reading);
	return ret ? ret :
		     byteparts_walk(walk->parts, walk->stream, insn + 1,
				    insn + AHEAD_MOST, take_ahead, &ahead, err);
}
