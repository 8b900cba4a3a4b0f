// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An interpreter with pieces ends each bytecode with a fetch and an indirect jump to the
 * piece of the bytecode that it fetched. The fetch's address says which bytecode it is; the
 * piece that is entered says whether it was executed: at a safepoint, for one, the jump goes
 * to a piece that is no bytecode's and fetches again.
 *
 * A piece can stand for two bytecodes, where the runtime has put one in place of a common
 * pair: the second is fetched by nobody and follows the first.
 *
 * A piece that is entered from one that is no bytecode's, without a fetch, is where an
 * exception was caught (managed/frames.h): known when the next bytecode is.
 *
 * Example, of "iload_1; iload_2; iadd" at 4: fetch of 5, jump to iload_2's piece: 5 was
 * executed; fetch of 6, jump to "safepoint"; it fetches 6 again, jump to iadd's: 6 was.
 */
#include "managed/walk.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "isa/jvm.h"
#include "managed/walk-data.h"
#include "trace/trace.h"
#include "trace/values.h"

struct bytecode_kind bytecode_kind(const struct walk_step *step)
{
	static const struct bytecode_kind fetched = { ' ', "" },
					  inferred = { '~', "inferred" },
					  recovered = { '^', "recovered" },
					  compiled = { '+', "compiled" },
					  optimised = { '*', "optimised" };

	return step->recovered		    ? recovered :
	       step->inferred		    ? inferred :
	       step->tier == NOTE_OPTIMISED ? optimised :
	       step->tier == NOTE_COMPILED  ? compiled :
					      fetched;
}

/* ---- blocks -------------------------------------------------------------- */

static bool is_site(const struct walk *walk, const struct fact *fact, uint32_t insn)
{
	for (uint32_t i = 0; i < fact->sites; i++)
		if (walk->sites[fact->site + i] == insn)
			return true;
	return false;
}

/* `here` is where the block runs, for the first time or again. NULL: no memory. */
static const struct fact *fact_of(struct walk *walk, uint32_t id,
				  const struct walk_step *here)
{
	const struct fact *fact = &walk->facts[id];

	assert(id < walk->n_facts);
	return fact->known ? fact : walk_learn(walk, id, here);
}

/* ---- bytecodes ----------------------------------------------------------- */

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "bytecodes");
}

/*
 * The piece is entered to execute what was fetched. The step is handed on where it is: a copy would
 * wait for what has just been stored.
 */
int walk_take_fetched(struct walk *walk, const struct piece *piece, struct wm_error *err)
{
	struct walk_step *step = &walk->fetched;
	struct frames_next next = { step->unit, step->offset, walk->way };
	int ret = walk->catcher ? walk_take_caught(walk, &next, err) : 0;

	if (ret)
		return ret;
	ret = walk_join(walk, step, err);
	if (ret)
		return ret;
	if (!(walk->late ? frames_at_late : frames_at)(&walk->frames, step->unit,
						       step->offset, walk->way))
		return no_memory(err);
	walk->lost = false;
	walk->stepped = step->insn;
	step->way = walk->way;
	step->entered = walk->way == FRAMES_CALL && !step->offset;
	step->executed = true;
	walk->way = FRAMES_ON;
	walk->row = NULL;
	walk_is_at(walk, step);
	ret = walk->take(walk->cookie, step, err);
	return ret || piece->role != PIECE_PAIR ? ret : walk_take_second(walk, step, err);
}

/* A piece was entered by an indirect jump. */
static int enter(struct walk *walk, const struct piece *piece,
		 const struct walk_step *here, struct wm_error *err)
{
	static const struct frames_next again = { .unit = NULL };
	int ret = 0;

	if (walk->fetched.unit) {
		walk->fetched.block = here->block;
		walk->fetched.insn = here->insn;
		if (piece->opcode >= 0)
			ret = walk_take_fetched(walk, piece, err);
		walk->fetched.unit = NULL;
	} else if (piece->opcode < 0 || !walk->piece) {
		return 0;
	} else if (walk->piece->opcode >= 0) {
		if (walk->units->step)
			ret = walk_take_next(walk, piece, here, err);
	} else {
		if (walk->catcher)
			ret = walk_take_caught(walk, &again, err);
		walk->catcher = piece;
		walk->caught = *here;
		walk->n_passed = 0;
		walk->at.unit = NULL;
		/* What the runtime did to throw is no way to the next bytecode. */
		walk->way = FRAMES_ON;
	}
	return ret;
}

/* ---- the path ------------------------------------------------------------ */

/* The first bytecode of a handler called or left a method: compiled code runs next. */
static int caught_before(struct walk *walk, const struct walk_step *step,
			 struct wm_error *err)
{
	struct frames_next next = { step->unit, step->offset,
				    step->entered ? FRAMES_CALL : FRAMES_RETURN };

	return walk_take_caught(walk, &next, err);
}

/* A block of compiled code. Code of the bytecode that ran last goes on, where it does. */
static int pass_compiled(struct walk *walk, const struct fact *fact,
			 const struct walk_step *here, struct wm_error *err)
{
	int ret = 0;

	for (uint32_t i = 0; !ret && i < fact->marks; i++) {
		const struct mark *mark = &walk->marks[fact->mark + i];
		struct walk_step step = *here;

		if (mark->row == walk->row && !mark->begins && !mark->entered)
			continue;
		walk->row = mark->row;
		/* It may have begun before. */
		walk->lost = walk->lost && !mark->begins && !mark->entered;
		if (!mark->unit || walk->lost)
			continue;
		step.unit = mark->unit;
		step.offset = mark->row->offset;
		step.entered = mark->entered;
		step.called = mark->called;
		step.executed = mark->begins && mark->row->begins &&
				mark->piece->tier == NOTE_COMPILED;
		step.tier = mark->piece->tier;
		step.insn += mark->insn;
		step.made = &mark->space->made;
		step.piece = mark->piece;
		step.row = mark->row;
		if (walk->catcher)
			ret = caught_before(walk, &step, err);
		if (!ret)
			ret = walk_join(walk, &step, err);
		if (!ret)
			ret = walk->take(walk->cookie, &step, err);
	}
	return ret;
}

/* A block of that fact, at `here`. */
static int pass_block(struct walk *walk, const struct fact *fact,
		      const struct walk_step *here, struct wm_error *err)
{
	int ret = 0;

	if (walk->jumped && fact->piece)
		ret = enter(walk, fact->piece, here, err);
	if (fact->way != FRAMES_ON)
		walk->way = fact->way;
	walk->piece = fact->piece;
	walk->jumped = fact->jumps;
	return ret || !fact->marks ? ret : pass_compiled(walk, fact, here, err);
}

/* By the plain rule. Code that nobody told of, as the runtime's own, is passed over. */
static int take_plain(struct walk *walk, uint64_t address, const struct walk_step *here,
		      uint32_t insn, struct wm_error *err)
{
	struct walk_step step = *here;
	int ret;

	step.unit = walk_unit_at(walk, address, here->block);
	if (!step.unit)
		return 0;
	step.offset = (uint32_t)(address - step.unit->start);
	step.entered = !step.offset;
	step.executed = true;
	step.insn += insn;
	ret = walk_join(walk, &step, err);
	walk->stepped = step.insn;
	return ret ? ret :
		     plain_fetched(&walk->plain, &step, walk->take, walk->cookie, err);
}

static void fetch(struct walk *walk, uint64_t address, uint64_t block)
{
	const struct unit *unit = walk_unit_at(walk, address, block);

	walk->fetched.unit = unit;
	if (!unit)
		walk->at.unit = NULL;
	else
		walk->fetched.offset = (uint32_t)(address - unit->start);
}

/* The accesses of a run, as they are handed to its blocks. */
struct accesses {
	const struct wm_access *all;
	size_t n, next;
};

static int pass_accesses(struct walk *walk, struct accesses *accesses, uint32_t index,
			 uint32_t id, const struct walk_step *here, struct wm_error *err)
{
	/* Without the program's own loads among them all are fetches. */
	bool all = walk->is_plain && !walk->has_all_loads;
	int ret = 0;

	for (; !ret && accesses->next < accesses->n; accesses->next++) {
		const struct wm_access *access = &accesses->all[accesses->next];

		if (access->block > index)
			return 0;
		if (access->block < index || access->kind != WM_ACCESS_LOAD ||
		    !(all || is_site(walk, &walk->facts[id], access->insn)))
			continue;
		if (walk->is_plain)
			ret = take_plain(walk, access->address, here, access->insn, err);
		else
			fetch(walk, access->address, here->block);
	}
	return ret;
}

/* Passes over blocks ids[i] up to ids[n] of which nothing matters; returns where it ends. */
static size_t pass_plain(struct walk *walk, const struct accesses *accesses,
			 const uint32_t *ids, size_t i, size_t n, struct walk_step *here)
{
	size_t from = i;

	if (accesses->next < accesses->n && accesses->all[accesses->next].block < n)
		n = accesses->all[accesses->next].block;
	for (; i < n && walk->facts[ids[i]].plain; i++)
		here->insn += walk->facts[ids[i]].insns;
	if (i > from) {
		here->block += i - from;
		walk->piece = NULL;
		walk->jumped = false;
	}
	return i;
}

static int pass_run(struct walk *walk, struct wm_cursor *cursor, const uint32_t *ids,
		    size_t n, const struct wm_step *step, struct wm_error *err)
{
	struct walk_step here = { .block = step->block_ordinal,
				  .insn = step->insn_ordinal };
	struct accesses accesses = { .n = 0 };
	int ret = wm_cursor_accesses(cursor, &accesses.all, &accesses.n, err);

	if (ret < 0)
		return ret;
	if (ret)
		accesses.n = 0;
	ret = 0;
	for (size_t i = 0; !ret; i++) {
		const struct fact *fact;

		i = pass_plain(walk, &accesses, ids, i, n, &here);
		if (i == n)
			break;
		fact = fact_of(walk, ids[i], &here);
		if (!fact)
			return no_memory(err);
		ret = pass_block(walk, fact, &here, err);
		if (!ret)
			ret = pass_accesses(walk, &accesses, (uint32_t)i, ids[i], &here,
					    err);
		here.block++;
		here.insn += fact->insns;
	}
	/* A block that did not run completely is alone in its run. */
	walk->insn = n == 1 ? step->insn_ordinal + step->insns : here.insn;
	return ret;
}

/* ---- a stream ------------------------------------------------------------ */

/* What came before a gap says nothing of what comes after it. */
static void forget(struct walk *walk)
{
	walk->plain = (struct plain){ .unit = NULL };
	walk->row = NULL;
	walk->frames.n = 0;
	walk->fetched.unit = NULL;
	walk->at.unit = NULL;
	walk->catcher = NULL;
	walk->piece = NULL;
	walk->jumped = false;
	walk->way = FRAMES_ON;
}

int walk_pass(struct walk *walk, struct wm_cursor *cursor, const uint32_t *ids, size_t n,
	      const struct wm_step *step, struct wm_error *err)
{
	bool is_lost = !step->insns;
	int ret = 0;

	if (walk->space != step->space) {
		is_lost |= walk->space != UINT32_MAX;
		walk->space = step->space;
		walk->is_plain = !units_has_pieces(walk->units, step->space);
		memset(walk->facts, 0, walk->n_facts * sizeof(*walk->facts));
		walk->n_marks = walk->n_sites = 0;
	}
	walk->insn = step->insn_ordinal;
	if (is_lost) {
		struct walk_step nothing = { .block = step->block_ordinal,
					     .insn = step->insn_ordinal };

		ret = walk_keep(walk, step, err);
		forget(walk);
		walk->late = walk->lost = false;
		/* Of a gap more is said when the next bytecode is known. */
		if (!ret && !walk->behind.ways)
			ret = walk->take(walk->cookie, &nothing, err);
	}
	return ret || !step->insns ? ret : pass_run(walk, cursor, ids, n, step, err);
}

uint64_t walk_insns(const struct walk *walk)
{
	return walk->insn;
}

uint64_t walk_settled(const struct walk *walk)
{
	return walk->catcher ? walk->caught.insn : walk->insn;
}

int walk_new(struct walk **out, const struct units *units, const struct wm_trace *trace,
	     unsigned stream, walk_take *take, void *cookie, struct wm_error *err)
{
	struct walk *walk = calloc(1, sizeof(*walk));

	*out = walk;
	if (!walk)
		return wm_fail_nomem(err, "blocks");
	*walk = (struct walk){ .units = units,
			       .trace = trace,
			       .space = UINT32_MAX,
			       .n_facts = trace->known + 1,
			       .has_all_loads = trace_values_recorded(trace) &
						VALUES_LOADS,
			       .take = take,
			       .cookie = cookie };
	walk->facts = calloc(walk->n_facts, sizeof(*walk->facts));
	if (!walk->facts)
		return wm_fail_nomem(err, "blocks");
	return notes_trace_stream(&units->notes, stream, &walk->moments, &walk->n_moments,
				  err);
}

int walk_begin_late(struct walk *walk, struct wm_cursor *cursor, uint64_t insn,
		    struct wm_error *err)
{
	walk->late = walk->lost = true;
	return wm_cursor_seek_insn(cursor, insn, err);
}

void walk_free(struct walk *walk)
{
	if (!walk)
		return;
	free(walk->moments);
	free(walk->frames.all);
	free(walk->before.all);
	free(walk->passed);
	if (walk->callees)
		callees_fini(walk->callees);
	free(walk->callees);
	free(walk->gaps.all);
	free(walk->marks);
	free(walk->sites);
	free(walk->facts);
	free(walk);
}

int walk_stream(const struct units *units, const struct wm_trace *trace, unsigned stream,
		bool recovers, walk_take *take, void *cookie, struct wm_error *err)
{
	return walk_stream_to(units, trace, stream, recovers, UINT64_MAX, take, cookie,
			      err);
}

int walk_stream_to(const struct units *units, const struct wm_trace *trace,
		   unsigned stream, bool recovers, uint64_t to, walk_take *take,
		   void *cookie, struct wm_error *err)
{
	struct wm_cursor *cursor = NULL;
	const uint32_t *ids;
	struct wm_step step;
	struct walk *walk;
	size_t n;
	int ret = walk_new(&walk, units, trace, stream, take, cookie, err);

	if (!ret && recovers)
		ret = walk_recover(walk, stream, err);
	if (!ret)
		ret = wm_cursor_new(&cursor, trace, stream, err);
	while (!ret && walk_settled(walk) < to) {
		ret = wm_cursor_next_run(cursor, &ids, &n, &step, err);
		if (ret == WM_END) {
			ret = walk_end(walk, err);
			break;
		}
		/* take() may end the walk, which is not the stream's end. */
		if (!ret)
			ret = walk_pass(walk, cursor, ids, n, &step, err);
	}
	wm_cursor_free(cursor);
	walk_free(walk);
	return ret == WM_END ? 0 : ret;
}
