// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes basic-block vectors in one walk.
 *
 * A state counts the executions of each block in the current piece, and writes them down
 * when the piece ends. A bitmap has a bit for each block with a count. Read from its
 * start, it gives them in the order of ids, so nothing needs sorting. Executions of a
 * part of a block go to a separate list.
 *
 * Example: pieces of 100 instructions, and block 7 of 10 instructions at ordinal 95. The
 * first 5 instructions are an extra of block 7 in piece 0, the other 5 one in piece 1.
 *
 * Invariant: the counts are of piece `piece`, whose first instructions may be in the
 * segment before. When states are appended, the last piece of one and the first piece of
 * the next are added up if they are the same piece. The state that began a thread hands
 * out finished pieces, so only the current ones are in memory.
 */
#include "analysis/phases/bbv.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/analysis.h"
#include "analysis/statebytes.h"
#include "base/append.h"
#include "base/error.h"
#include "base/sum_up.h"

#define PIECE_MAX ((uint64_t)1 << 31) /* instructions: cells count in 32 bits */

/* Extras are summed up when their number has doubled, but not below this. */
enum { SETTLE_MIN = 1 << 12 };

/* 8 bytes, because the walk touches a cell for every block that runs. */
struct cell {
	uint32_t insns; /* of the block */
	uint32_t count;
};

struct extra {
	uint32_t id;
	uint64_t insns;
};

/* A piece that has ended: a vector that is ready to be handed out. */
struct finished {
	uint32_t *ids;
	uint64_t *insns;
	size_t n;
};

struct state {
	const struct bbv_walk *out;
	bool begun;
	struct cell *cells; /* [known + 1] by id */
	uint32_t known;
	uint64_t *bits; /* [known / 64 + 1] which have been counted */
	struct extra *extras;
	size_t n_extras,
		settle_at;     /* extras at which those of the same block are added up */
	uint64_t piece;	       /* the current one */
	uint64_t at, end;      /* ordinals of the next instruction and of the piece's
			        * end */
	struct finished *done; /* [n_done], pieces done_first and on */
	size_t n_done;
	uint64_t done_first;
	uint64_t pieces; /* of the stream: none is beyond */
};

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "basic-block vectors");
}

/* ---- cuts ---------------------------------------------------------------- */

/* Rounded up, so that no piece is longer than PIECE_MAX. */
uint32_t bbv_pieces(uint64_t interval)
{
	return (uint32_t)((interval + PIECE_MAX - 1) / PIECE_MAX);
}

uint64_t bbv_cut(const struct bbv_cut *cut, uint64_t piece)
{
	/*
	 * Below 2^40 * 2^16 (BBV_INTERVAL_MAX, BBV_PIECES_MAX) the product does not
	 * overflow.
	 */
	return cut->from + piece / cut->pieces * cut->interval +
	       piece % cut->pieces * cut->interval / cut->pieces;
}

/* The piece that has instruction `insn`: the inverse of bbv_cut(). */
static uint64_t piece_of(const struct bbv_cut *cut, uint64_t insn)
{
	uint64_t off = insn - cut->from;
	uint64_t piece = off / cut->interval * cut->pieces +
			 off % cut->interval * cut->pieces / cut->interval;

	/* Both divisions round down: this may be the piece before, and then one step follows. */
	while (bbv_cut(cut, piece + 1) <= insn)
		piece++;
	return piece;
}

/* ---- a piece ------------------------------------------------------------- */

static void mark(struct state *state, uint32_t id)
{
	state->bits[id / 64] |= (uint64_t)1 << id % 64;
}

static int compare_extras(const void *a, const void *b)
{
	const struct extra *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

/* By id, each once. */
static void settle_extras(struct state *state)
{
	SUM_UP(state->extras, state->n_extras, compare_extras, insns);
	state->settle_at = 2 * state->n_extras + SETTLE_MIN;
}

/* A mark without instructions would put an empty entry into the vector. */
static int add_extra(struct state *state, uint32_t id, uint64_t insns,
		     struct wm_error *err)
{
	if (!insns)
		return 0;
	mark(state, id);
	if (state->n_extras >= state->settle_at)
		settle_extras(state);
	if (!APPEND(state->extras, state->n_extras, ((struct extra){ id, insns })))
		return no_memory(err);
	return 0;
}

static size_t count_marks(const struct state *state)
{
	size_t n = 0;

	for (uint32_t i = 0; i <= state->known / 64; i++)
		n += (size_t)__builtin_popcountll(state->bits[i]);
	return n;
}

/*
 * Writes down a block's instructions; *extra is the first extra of this block or of a
 * later one.
 */
static void take_down(struct state *state, struct finished *piece, uint32_t id,
		      size_t *extra)
{
	struct cell *cell = &state->cells[id];
	/* At most the length of a piece, so the product fits. */
	uint64_t insns = (uint64_t)cell->count * cell->insns;

	if (*extra < state->n_extras && state->extras[*extra].id == id)
		insns += state->extras[(*extra)++].insns;
	cell->count = 0;
	piece->ids[piece->n] = id;
	piece->insns[piece->n++] = insns;
}

static int finish_piece(struct state *state, struct wm_error *err)
{
	size_t n = count_marks(state), extra = 0;
	struct finished piece = { .ids = calloc(n + 1, sizeof(*piece.ids)),
				  .insns = calloc(n + 1, sizeof(*piece.insns)) };

	if (!piece.ids || !piece.insns || !APPEND(state->done, state->n_done, piece)) {
		free(piece.ids);
		free(piece.insns);
		return no_memory(err);
	}
	/* Extras are sorted by id like the bits, so both are walked in step. */
	settle_extras(state);
	for (uint32_t i = 0; i <= state->known / 64; i++) {
		for (uint64_t left = state->bits[i]; left; left &= left - 1)
			take_down(state, &state->done[state->n_done - 1],
				  64 * i + (uint32_t)__builtin_ctzll(left), &extra);
		state->bits[i] = 0;
	}
	/* All that was counted is written down: the next piece begins with nothing. */
	state->n_extras = 0;
	state->piece++;
	state->end = bbv_cut(state->out->cut, state->piece + 1);
	return 0;
}

/*
 * Adds `insns` instructions of a part of a block that ends right before `at`. The piece
 * may have ended inside them, several times if pieces are short.
 */
static int split(struct state *state, uint32_t id, uint64_t insns, struct wm_error *err)
{
	int ret = 0;

	/* Each round ends one piece. */
	while (!ret && state->at >= state->end) {
		uint64_t over = state->at - state->end;

		/*
		 * The instructions of this piece; those after its end begin the next one.
		 */
		ret = add_extra(state, id, insns - over, err);
		insns = over;
		if (!ret)
			ret = finish_piece(state, err);
	}
	return ret ? ret : add_extra(state, id, insns, err);
}

/* ---- the walk ------------------------------------------------------------ */

/* `pieces` bounds what get_state() accepts. */
static int begin(void *cookie, void *setup, const struct segment *segment,
		 struct wm_error *err)
{
	struct state *state = cookie;
	struct wm_summary summary;
	struct wm_stream stream = { .insns = 0 };
	struct wm_block block;

	state->out = setup;
	state->settle_at = SETTLE_MIN;
	wm_trace_stream(state->out->trace, segment->stream, &stream);
	if (stream.insns > state->out->cut->from)
		state->pieces = piece_of(state->out->cut, stream.insns - 1) + 1;
	wm_trace_summary(state->out->trace, &summary);
	state->known = summary.known_blocks;
	state->cells = calloc((size_t)state->known + 1, sizeof(*state->cells));
	state->bits = calloc((size_t)state->known / 64 + 1, sizeof(*state->bits));
	if (!state->cells || !state->bits)
		return no_memory(err);
	for (uint32_t id = 1; id <= state->known; id++)
		if (!wm_trace_block(state->out->trace, id, &block))
			state->cells[id].insns = block.insns;
	return 0;
}

/* The hot loop: one addition, and two branches that are nearly never taken. */
static int count_whole(struct state *state, const uint32_t *ids, size_t n,
		       struct wm_error *err)
{
	struct cell *cells = state->cells;
	uint64_t at = state->at, end = state->end;

	for (size_t i = 0; i < n; i++) {
		struct cell *cell = &cells[ids[i]];

		if (__builtin_expect(!cell->count++, 0))
			mark(state, ids[i]);
		at += cell->insns;
		/*
		 * The piece ends in this block, or right after it: the block is taken
		 * back and cut.
		 */
		if (__builtin_expect(at >= end, 0)) {
			int ret;

			cell->count--;
			state->at = at;
			ret = split(state, ids[i], cell->insns, err);
			if (ret)
				return ret;
			end = state->end;
		}
	}
	state->at = at;
	return 0;
}

/* A segment may begin inside a piece; the rest of that piece is in the segment before. */
static void start(struct state *state, uint64_t insn)
{
	const struct bbv_cut *cut = state->out->cut;

	state->begun = true;
	state->at = insn;
	state->piece = state->done_first = piece_of(cut, insn);
	state->end = bbv_cut(cut, state->piece + 1);
}

static int blocks(void *cookie, const struct stretch *stretch, struct wm_error *err)
{
	struct state *state = cookie;

	/* Only the first block shows in which piece the segment begins. */
	if (!state->begun)
		start(state, stretch->insn);
	if (stretch->n > 1 ||
	    (!stretch->skip && stretch->end == state->cells[*stretch->ids].insns))
		return count_whole(state, stretch->ids, stretch->n, err);
	state->at += stretch->end - stretch->skip;
	return split(state, *stretch->ids, stretch->end - stretch->skip, err);
}

static void free_piece(struct finished *piece)
{
	free(piece->ids);
	free(piece->insns);
}

/* Hands out all finished pieces but the last `keep`. */
static int hand_out(struct state *state, size_t keep, struct wm_error *err)
{
	size_t n = 0;
	/* `keep` may be larger than the number of pieces. */
	int ret = 0;

	for (; !ret && n + keep < state->n_done; n++) {
		struct finished *piece = &state->done[n];
		struct bbv bbv = { piece->ids, piece->insns, piece->n };

		ret = state->out->take(state->out->cookie, state->done_first + n, &bbv,
				       err);
		free_piece(piece);
	}
	if (!n)
		return ret;
	/* The rest moves to the front, so the list does not grow with the thread. */
	memmove(state->done, state->done + n, (state->n_done - n) * sizeof(*state->done));
	state->n_done -= n;
	state->done_first += n;
	return ret;
}

/* Writes down the current piece, if there is anything in it. */
static int close_piece(struct state *state, struct wm_error *err)
{
	return count_marks(state) ? finish_piece(state, err) : 0;
}

/* Adds the other share of the same piece; both are sorted by id. */
static int add_piece(struct finished *to, const struct finished *from,
		     struct wm_error *err)
{
	size_t most = to->n + from->n + 1, i = 0, j = 0;
	struct finished sum = { .ids = calloc(most, sizeof(*sum.ids)),
				.insns = calloc(most, sizeof(*sum.insns)) };

	if (!sum.ids || !sum.insns) {
		free_piece(&sum);
		return no_memory(err);
	}
	while (i < to->n || j < from->n) {
		/* The lower of the two ids that come next. */
		uint32_t id = i < to->n && (j == from->n || to->ids[i] <= from->ids[j]) ?
				      to->ids[i] :
				      from->ids[j];

		sum.ids[sum.n] = id;
		if (i < to->n && to->ids[i] == id)
			sum.insns[sum.n] += to->insns[i++];
		if (j < from->n && from->ids[j] == id)
			sum.insns[sum.n] += from->insns[j++];
		sum.n++;
	}
	free_piece(to);
	*to = sum;
	return 0;
}

static int append(void *cookie, void *next_cookie, struct wm_error *err)
{
	struct state *state = cookie, *next = next_cookie;
	size_t from = 0;
	int ret = close_piece(state, err);

	if (!ret)
		ret = close_piece(next, err);
	/* Nothing ran in the next part. */
	if (ret || !next->begun)
		return ret;
	/* Nothing ran here, so the next part's first piece is the first one. */
	if (!state->begun)
		state->done_first = next->done_first;
	state->begun = true;
	/* The cut lies inside a piece: both parts have a share of it. */
	if (state->n_done && next->n_done &&
	    state->done_first + state->n_done - 1 == next->done_first)
		ret = add_piece(&state->done[state->n_done - 1], &next->done[from++],
				err);
	for (; !ret && from < next->n_done; from++) {
		if (!APPEND(state->done, state->n_done, next->done[from]))
			return no_memory(err);
		/* The piece has moved to `state`; next's end must not free it. */
		next->done[from] = (struct finished){ .n = 0 };
	}
	return ret;
}

/* Keeps the last piece, which may continue in the next segment. */
static int drain(void *cookie, struct wm_error *err)
{
	return hand_out(cookie, 1, err);
}

static int take_stream(void *cookie, void *setup, unsigned stream, struct wm_error *err)
{
	struct state *state = cookie;
	int ret = close_piece(state, err);

	(void)setup;
	(void)stream;
	return ret ? ret : hand_out(state, 0, err);
}

/* ---- its bytes ----------------------------------------------------------- */

/* The current piece is written like the finished ones. */
static void put_state(void *cookie, struct buf *out)
{
	struct state *state = cookie;

	if (close_piece(state, NULL)) {
		out->failed = true;
		return;
	}
	buf_put_varint(out, state->begun);
	buf_put_varint(out, state->done_first);
	buf_put_varint(out, state->n_done);
	for (size_t i = 0; i < state->n_done; i++) {
		const struct finished *piece = &state->done[i];
		uint32_t before = 0;

		buf_put_varint(out, piece->n);
		for (size_t j = 0; j < piece->n; j++) {
			buf_put_varint(out, piece->ids[j] - before);
			buf_put_varint(out, piece->insns[j]);
			before = piece->ids[j];
		}
	}
}

static int get_piece(struct state *state, struct span *in, struct wm_error *err)
{
	uint64_t n = state_count(in);
	struct finished piece = { .ids = calloc(n + 1, sizeof(*piece.ids)),
				  .insns = calloc(n + 1, sizeof(*piece.insns)) };
	uint32_t id = 0;

	if (!piece.ids || !piece.insns || !APPEND(state->done, state->n_done, piece)) {
		free_piece(&piece);
		return no_memory(err);
	}
	/* Ids ascend, which add_piece() relies on. */
	for (; n && state_next(in, &id, state->known); n--) {
		struct finished *last = &state->done[state->n_done - 1];

		last->ids[last->n] = id;
		last->insns[last->n++] = span_varint(in);
	}
	return 0;
}

static int get_state(void *cookie, struct span *in, struct wm_error *err)
{
	struct state *state = cookie;
	int ret = 0;

	state->begun = state_bool(in);
	state->done_first = state_below(in, state->pieces);
	for (uint64_t n = state_count(in); !ret && n && !in->failed; n--)
		ret = get_piece(state, in, err);
	/* A state has no piece beyond the end of its stream. */
	in->failed |= state->n_done > state->pieces - state->done_first;
	return ret;
}

/* What was handed out is freed already and no longer in the list. */
static void end(void *cookie)
{
	struct state *state = cookie;

	for (size_t i = 0; i < state->n_done; i++)
		free_piece(&state->done[i]);
	free(state->done);
	free(state->extras);
	free(state->cells);
	free(state->bits);
}

const struct analysis bbv_analysis = {
	.name = "bbv",
	.version = 1,
	.state_bytes = sizeof(struct state),
	.across = true,
	.begin = begin,
	.blocks = blocks,
	.append = append,
	.drain = drain,
	.put = put_state,
	.get = get_state,
	.stream = take_stream,
	.end = end,
};

int bbv_walk(const struct wm_trace *trace, const struct selection *selection,
	     const struct bbv_cut *cut,
	     int (*take)(void *cookie, uint64_t piece, const struct bbv *bbv,
			 struct wm_error *err),
	     void *cookie, struct wm_error *err)
{
	struct bbv_walk out = { trace, cut, take, cookie };

	assert(selection->n == 1 && cut->interval && cut->interval <= BBV_INTERVAL_MAX &&
	       cut->pieces >= bbv_pieces(cut->interval) && cut->pieces <= cut->interval);
	return analysis_run(&bbv_analysis, &out, trace, selection, err);
}
