// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Steps along a thread. Only the last instruction of a block can be a call or a return,
 * and which of them it is depends on the block's id alone. So depth changes between
 * blocks only, by a number that is cached for each id, and a step over a call that runs a
 * billion instructions adds one small number for each block.
 *
 * Depth is relative to where a step begins. Going forwards, it rises by one after a call
 * and falls by one after a return; going backwards it is the other way round. A step over
 * ends at the first position whose depth is at most 0, a step out at the first whose
 * depth is below 0:
 *
 *	main: call f     0		over: from here ...
 *	f:      add     +1
 *	f:      ret     +1		out: from here ...
 *	main: sub        0 (-1 from f)	... to here, both
 *
 * A block that was left early did not execute its last instruction: it changes nothing.
 *
 * Invariant: a step that does not return 0 leaves the position as it was.
 */
#include "browse/walk.h"

#include <stdlib.h>

#include "analysis/flows.h"
#include "base/error.h"

/*
 * Blocks between two calls of go_on(): often enough for a person, and too rare to cost
 * anything.
 */
enum { POLL_BLOCKS = 1 << 20 };

/* What is known of a block in struct walk_memo. */
enum { HOLDS_UNKNOWN, HOLDS_NONE, HOLDS_SOME };

struct walk_memo {
	struct flows *flows; /* NULL: calls of this guest are not known */
	uint8_t *wanted;     /* [known_blocks + 1] HOLDS_: what walk_find() looks for? */
	uint64_t polled;
};

/* A position that can be restored: no step changes what the tape returned for it. */
struct place {
	struct tape_block block;
	uint32_t index;
};

static struct place here(const struct walk *walk)
{
	return (struct place){ walk->block, walk->index };
}

static void go(struct walk *walk, const struct place *place)
{
	walk->block = place->block;
	walk->index = place->index;
}

/* ---- what is at a position ------------------------------------------------- */

/* Instructions of RISC-V and x86 differ in length, so the address is a sum. */
uint64_t walk_address_at(const struct walk *walk, uint32_t id, uint32_t index)
{
	struct wm_block block;
	uint64_t address = 0;

	if (wm_trace_block(walk->trace, id, &block))
		return 0;
	address = block.address;
	for (uint32_t i = 0; i < index && i < block.insns; i++)
		address += block.sizes[i];
	return address;
}

uint64_t walk_insn(const struct walk *walk)
{
	return walk->block.insn + walk->index;
}

uint64_t walk_address(const struct walk *walk)
{
	return walk_address_at(walk, walk->block.id, walk->index);
}

static bool line_at(const struct walk *walk, uint32_t id, uint32_t space, uint32_t index,
		    struct srcline *line)
{
	struct origin origin;

	return symbols_origin(walk->names.symbols, space,
			      walk_address_at(walk, id, index), id, &origin) &&
	       srclines_at(walk->names.lines, &origin, line);
}

bool walk_line(const struct walk *walk, struct srcline *line)
{
	*line = (struct srcline){ 0 };
	return line_at(walk, walk->block.id, walk->block.space, walk->index, line);
}

/* ---- block by block -------------------------------------------------------- */

/*
 * By how much the last instruction of an execution changes the depth. A partial block did
 * not run it, so its size differs from that of the whole block and the change is 0.
 */
static int depth_change(const struct walk *walk, const struct tape_block *block)
{
	const struct leave *leave;

	if (!walk->memo->flows)
		return 0;
	leave = flows_leave(walk->memo->flows, block->id);
	if (block->insns != leave->index + 1)
		return 0;
	if (leave->flow == WM_FLOW_CALL || leave->flow == WM_FLOW_CALL_INDIRECT)
		return 1;
	return leave->flow == WM_FLOW_RETURN ? -1 : 0;
}

/* 0, or WALK_STOPPED when the user pressed a key. */
static int ask_whether(struct walk *walk)
{
	if (++walk->memo->polled % POLL_BLOCKS || !walk->go_on)
		return 0;
	return walk->go_on(walk->cookie) ? 0 : WALK_STOPPED;
}

/* To the first instruction of the next block, or the last of the one before. */
static int move_block(struct walk *walk, bool back, struct wm_error *err)
{
	int ret = ask_whether(walk);

	if (!ret)
		ret = back ? tape_previous(walk->tape, &walk->block, err) :
			     tape_next(walk->tape, &walk->block, err);
	if (!ret)
		walk->index = back ? walk->block.insns - 1 : 0;
	return ret;
}

/*
 * One instruction; *depth changes by what lies between the two positions. Forwards that
 * is the block which is left, backwards the one which is entered, with the opposite sign.
 */
static int move_insn(struct walk *walk, bool back, int *depth, struct wm_error *err)
{
	struct tape_block from = walk->block;
	int ret;

	if (back ? walk->index > 0 : walk->index + 1 < walk->block.insns) {
		walk->index += back ? -1 : 1;
		return 0;
	}
	ret = move_block(walk, back, err);
	if (!ret)
		*depth += back ? -depth_change(walk, &walk->block) :
				 depth_change(walk, &from);
	return ret;
}

/*
 * Moves by whole blocks until the depth is at most `most`. The position jumps to the end
 * of the block first, because nothing before it can change the depth, and so ends at the
 * bound of a block: forwards after the return, backwards on the call.
 */
static int leave_calls(struct walk *walk, bool back, int most, int *depth,
		       struct wm_error *err)
{
	int ret = 0;

	while (!ret && *depth > most) {
		walk->index = back ? 0 : walk->block.insns - 1;
		ret = move_insn(walk, back, depth, err);
	}
	return ret;
}

/*
 * Only a call raises the depth above 0 (or, backwards, a return); all else is one
 * instruction.
 */
static int move_over(struct walk *walk, bool back, int *depth, struct wm_error *err)
{
	int ret = move_insn(walk, back, depth, err);

	return ret ? ret : leave_calls(walk, back, 0, depth, err);
}

/* ---- looking for something ------------------------------------------------- */

struct search {
	struct walk *walk;
	walk_wanted *wanted;
	void *cookie;
	uint32_t space; /* that what is cached holds in */
};

static bool is_wanted(const struct search *search, uint32_t id, uint32_t index)
{
	return search->wanted(search->cookie, search->walk, id, search->space, index);
}

/*
 * Programs of a machine may have the same code at the same address, so a block has other
 * names in another space. A thread seldom goes from one into another.
 */
static void enter_space(struct search *search, uint32_t space)
{
	struct wm_summary summary;

	search->space = space;
	wm_trace_summary(search->walk->trace, &summary);
	for (uint32_t i = 0; i <= summary.known_blocks; i++)
		search->walk->memo->wanted[i] = HOLDS_UNKNOWN;
}

/* Whether an execution of block `id` in a space can have a result, cached by id. */
static bool may_hold(void *cookie, uint32_t id, uint32_t space)
{
	struct search *search = cookie;
	uint8_t *known = &search->walk->memo->wanted[id];
	struct wm_block block;

	if (space != search->space)
		enter_space(search, space);
	if (*known == HOLDS_UNKNOWN) {
		*known = HOLDS_NONE;
		if (!wm_trace_block(search->walk->trace, id, &block))
			for (uint32_t i = 0; i < block.insns; i++)
				if (is_wanted(search, id, i))
					*known = HOLDS_SOME;
	}
	return *known == HOLDS_SOME;
}

/*
 * The first result in the block from index `from` on, in the direction of the search.
 * `from` may be out of range when the position is at the block's bound: going back, -1U
 * ends the loop at once and likewise after index 0.
 */
static bool find_here(struct search *search, bool back, uint32_t from)
{
	struct walk *walk = search->walk;

	if (!may_hold(search, walk->block.id, walk->block.space))
		return false;
	for (uint32_t i = from; i < walk->block.insns; i += back ? -1U : 1U)
		if (is_wanted(search, walk->block.id, i)) {
			walk->index = i;
			return true;
		}
	return false;
}

/*
 * The cache is that of one search, so it is emptied first: this is one byte per known
 * block and cheap beside the search. Chunks without a wanted block are skipped by their
 * histograms, all other blocks cost one look into the cache.
 */
int walk_find(struct walk *walk, bool back, walk_wanted *wanted, void *cookie,
	      struct wm_error *err)
{
	struct search search = { walk, wanted, cookie, walk->block.space };
	struct place place = here(walk);
	bool found;
	int ret = 0;

	enter_space(&search, search.space);
	found = find_here(&search, back, walk->index + (back ? -1U : 1U));
	while (!ret && !found) {
		ret = tape_skip(walk->tape, &walk->block, back, may_hold, &search, err);
		if (!ret)
			ret = move_block(walk, back, err);
		found = !ret && find_here(&search, back, walk->index);
	}
	if (ret)
		go(walk, &place);
	return ret;
}

/* ---- lines ----------------------------------------------------------------- */

/*
 * A step back arrives at the last instruction of a line, but a user expects its first. So
 * this goes on backwards as long as the line is the same and no call or return is
 * between; the last move, which left the line, is undone.
 */
static int rewind_line(struct walk *walk, const struct srcline *line, bool over,
		       struct wm_error *err)
{
	for (;;) {
		struct place place = here(walk);
		struct srcline now;
		int depth = 0, ret = over ? move_over(walk, true, &depth, err) :
					    move_insn(walk, true, &depth, err);

		if (ret || depth || !walk_line(walk, &now) ||
		    now.source != line->source || now.number != line->number) {
			go(walk, &place);
			return ret < 0 ? ret : 0;
		}
	}
}

static bool has_line(void *cookie, const struct walk *walk, uint32_t id, uint32_t space,
		     uint32_t index)
{
	struct srcline line;

	(void)cookie;
	return line_at(walk, id, space, index, &line);
}

static bool has_other_line(void *cookie, const struct walk *walk, uint32_t id,
			   uint32_t space, uint32_t index)
{
	const struct srcline *start = cookie;
	struct srcline line;

	return line_at(walk, id, space, index, &line) &&
	       (line.source != start->source || line.number != start->number);
}

/*
 * Over calls, to where the line changes or the function returned to the caller, even in the
 * middle of the same line: a recursive function may return to the line where the step began.
 * Every block is read for it, so what is far faster comes first: whether any line is there.
 */
static int next_line(struct walk *walk, struct srcline *start, bool back,
		     struct wm_error *err)
{
	struct place place = here(walk);
	int depth = 0, ret = walk_find(walk, back, has_line, NULL, err);

	go(walk, &place);
	do {
		int moved = 0;

		if (!ret)
			ret = move_over(walk, back, &moved, err);
		depth += moved;
	} while (!ret &&
		 !has_other_line(start, walk, walk->block.id, walk->block.space,
				 walk->index) &&
		 !(depth < 0 &&
		   has_line(NULL, walk, walk->block.id, walk->block.space, walk->index)));
	return ret;
}

/*
 * Instructions without a line never end a step. A step into functions ends at the next other
 * line: a function is entered and left at one.
 */
static int step_line(struct walk *walk, bool over, bool back, struct wm_error *err)
{
	struct srcline start, now;
	int ret;

	walk_line(walk, &start);
	ret = over ? next_line(walk, &start, back, err) :
		     walk_find(walk, back, has_other_line, &start, err);
	if (ret || !back)
		return ret;
	walk_line(walk, &now);
	return rewind_line(walk, &now, over, err);
}

/* ---- steps ----------------------------------------------------------------- */

/* WM_END leaves the position, so the tape fills in a block of its own. */
int walk_seek(struct walk *walk, uint64_t ordinal, struct wm_error *err)
{
	struct tape_block block;
	int ret = tape_seek(walk->tape, ordinal, &block, err);

	if (!ret)
		go(walk, &(struct place){ block, (uint32_t)(ordinal - block.insn) });
	return ret;
}

int walk_step(struct walk *walk, enum walk_step step, bool back, struct wm_error *err)
{
	struct place place = here(walk);
	int depth = 0, ret;

	switch (step) {
	case WALK_INSN:
		ret = move_insn(walk, back, &depth, err);
		break;
	case WALK_OVER:
		ret = move_over(walk, back, &depth, err);
		break;
	case WALK_OUT:
		ret = leave_calls(walk, back, -1, &depth, err);
		break;
	default:
		ret = step_line(walk, step == WALK_NEXT, back, err);
	}
	if (ret)
		go(walk, &place);
	return ret;
}

/* ---- the stack ------------------------------------------------------------- */

/*
 * Reads backwards: whenever the depth falls below that of the innermost frame so far, the
 * position is the call that entered it, and the next frame begins there.
 *
 * Example: main calls f, f calls g, and the position is in g. The first move to depth -1
 * is the call in f, the second the call in main, and then the thread's begin ends the
 * search: three frames, *whole is true.
 */
int walk_stack(struct walk *walk, uint64_t blocks, struct walk_frame *frames, size_t room,
	       size_t *n, bool *whole, struct wm_error *err)
{
	struct place place = here(walk);
	uint64_t first = walk->block.ordinal;
	int depth = 0, ret = 0;

	*n = 0;
	while (!ret) {
		frames[(*n)++] = (struct walk_frame){ walk_insn(walk), walk_address(walk),
						      walk->block.id, walk->block.space };
		depth = 0;
		while (!ret && *n < room && depth > -1) {
			walk->index = 0;
			ret = move_insn(walk, true, &depth, err);
			if (!ret && first - walk->block.ordinal > blocks)
				ret = WALK_STOPPED;
		}
		if (!ret && *n == room)
			ret = WALK_STOPPED;
	}
	*whole = ret == WM_END;
	go(walk, &place);
	return ret < 0 ? ret : 0;
}

/*
 * Going back, the depth rises where a function is passed that has returned since. So what is
 * executed at the least depth so far is of a function that has not.
 */
int walk_alive(struct walk *walk, const uint64_t *insns, size_t n, bool first,
	       bool *alive, struct wm_error *err)
{
	struct place place = here(walk);
	int depth = 0, least = 0, ret = 0;

	for (size_t i = 0; i < n; i++)
		alive[i] = false;
	for (size_t i = 0; !ret && i < n; i++) {
		while (!ret && walk->block.insn > insns[i]) {
			walk->index = 0;
			ret = move_insn(walk, true, &depth, err);
			least = depth < least ? depth : least;
		}
		alive[i] = !ret && depth == least;
		if (alive[i] && first)
			break;
	}
	go(walk, &place);
	return ret == WM_END ? 0 : ret;
}

/* ---- life ------------------------------------------------------------------ */

static int memo_new(struct walk *walk, struct wm_error *err)
{
	struct wm_summary summary;
	struct walk_memo *memo = calloc(1, sizeof(*memo));

	walk->memo = memo;
	if (!memo)
		return wm_fail_nomem(err, "a walk");
	wm_trace_summary(walk->trace, &summary);
	memo->wanted = calloc(summary.known_blocks + 1, 1);
	if (!memo->wanted)
		return wm_fail_nomem(err, "a walk");
	/*
	 * WM_E_RANGE: calls of this guest are not known. All positions then have the same
	 * depth.
	 */
	if (flows_new(&memo->flows, walk->trace, err) == WM_E_NOMEM)
		return WM_E_NOMEM;
	return 0;
}

int walk_init(struct walk *walk, const struct wm_trace *trace,
	      const struct walk_names *names, unsigned stream, struct wm_error *err)
{
	int ret;

	*walk = (struct walk){ .trace = trace, .names = *names };
	ret = memo_new(walk, err);
	if (!ret)
		ret = tape_new(&walk->tape, trace, stream, err);
	if (!ret)
		ret = walk_seek(walk, tape_first(walk->tape), err);
	return ret;
}

void walk_fini(struct walk *walk)
{
	if (walk->memo) {
		flows_free(walk->memo->flows);
		free(walk->memo->wanted);
		free(walk->memo);
	}
	tape_free(walk->tape);
}
