// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The runner of a share. Each analysis of the question is a round, and gets one of these:
 *
 *	the files have it whole	  merge the shards, go on with the result
 *	the files have some of it   merge them and stop, if merging is all that is wanted
 *	they have nothing of it	  compute the part and stop; or compute all of it here,
 *				  also when it only reads histograms on the way
 *
 * Example: a question has the rounds 0 and 1, and p1..p3 have round 0. Asked to answer, the
 * share merges round 0 and computes round 1. Asked for part 2 of 4, it merges round 0 and
 * computes part 2 of round 1.
 *
 * Invariant: pieces[] are complete rounds in their order, but for the last.
 */
#include "query/share.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/shard.h"
#include "base/append.h"
#include "base/error.h"

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "the parts of a question");
}

/* ---- what is done -------------------------------------------------------- */

static int stop(struct share *share, struct wm_error *err)
{
	share->done = true;
	return wm_fail(err, WM_E_RANGE, 0, "the part of the question is computed");
}

/* Takes the piece's numbers and its spool over, also on failure. */
static int add_piece(struct share *share, struct state_piece *piece, struct wm_error *err)
{
	int ret = spool_end(piece->spool, &piece->shard, err);

	if (!ret && !APPEND(share->pieces, share->n_pieces, *piece))
		ret = no_memory(err);
	if (!ret)
		return 0;
	free(piece->numbers);
	spool_free(piece->spool);
	return ret;
}

static int compute(const struct share *share, const struct share_work *work,
		   struct spool *out, struct wm_error *err)
{
	struct buf shard = BUF_INIT;
	int ret;

	if (work->spool)
		return work->spool(work->cookie, share->number, share->parts, out, err);
	ret = work->compute(work->cookie, share->number, share->parts, &shard, err);
	if (!ret)
		ret = spool_put(out, shard.data, shard.len, err);
	buf_fini(&shard);
	return ret;
}

static int compute_part(struct share *share, const struct share_work *work,
			struct wm_error *err)
{
	struct state_piece piece = { .round = share->round, .parts = share->parts };
	int ret = 0;

	piece.spool = spool_new();
	if (!piece.spool || !APPEND(piece.numbers, piece.n, share->number))
		ret = no_memory(err);
	if (!ret)
		ret = compute(share, work, piece.spool, err);
	if (!ret) {
		ret = add_piece(share, &piece, err);
		return ret ? ret : stop(share, err);
	}
	free(piece.numbers);
	spool_free(piece.spool);
	return ret;
}

/* ---- a round's pieces ---------------------------------------------------- */

/* The pieces of one round. */
struct round {
	struct share *share;
	const struct share_work *work;
	const struct state_piece **pieces; /* [n] */
	size_t n;
	const char **from;	  /* [parts + 1] the path that each part is from */
	struct state_piece whole; /* all parts that are there */
	struct buf shard;	  /* of them */
};

static int begin_round(struct round *round, const struct state_piece *piece,
		       struct wm_error *err)
{
	round->whole.parts = piece->parts;
	round->from = calloc((size_t)piece->parts + 1, sizeof(*round->from));
	round->whole.numbers = calloc((size_t)piece->parts + 1, sizeof(uint32_t));
	return round->from && round->whole.numbers ? 0 : no_memory(err);
}

/* Notes which parts a piece has, and refuses one that is there already. */
static int note_parts(struct round *round, const struct state_piece *piece,
		      const char *path, struct wm_error *err)
{
	if (piece->parts != round->whole.parts)
		return wm_fail(err, WM_E_RANGE, 0,
			       "%s has a part of %" PRIu32 ", other files of %" PRIu32,
			       path, piece->parts, round->whole.parts);
	for (uint32_t i = 0; i < piece->n; i++) {
		const char **from = &round->from[piece->numbers[i]];

		if (*from)
			return wm_fail(err, WM_E_RANGE, 0,
				       "part %" PRIu32 " of %" PRIu32
				       " is in two files: %s and %s",
				       piece->numbers[i], piece->parts, *from, path);
		*from = path;
	}
	return 0;
}

static int take_piece(struct round *round, const struct state_piece *piece,
		      const char *path, struct wm_error *err)
{
	int ret = round->from ? 0 : begin_round(round, piece, err);

	if (!ret)
		ret = note_parts(round, piece, path, err);
	if (!ret && piece->n && !APPEND(round->pieces, round->n, piece))
		ret = no_memory(err);
	return ret;
}

static int take_file(struct round *round, const struct state_file *file, const char *path,
		     struct wm_error *err)
{
	int ret = 0;

	if (file->identity != round->share->identity)
		return wm_fail(err, WM_E_RANGE, 0, "%s was computed from another trace",
			       path);
	for (size_t i = 0; !ret && i < file->n_pieces; i++)
		if (file->pieces[i].round == round->share->round)
			ret = take_piece(round, &file->pieces[i], path, err);
	return ret;
}

static int by_number(const void *a, const void *b)
{
	const struct state_piece *const *x = a, *const *y = b;

	return (*x)->numbers[0] < (*y)->numbers[0] ? -1 : 1;
}

/*
 * Appends the shard of the pieces first <= i < end. Neighbours are merged first, and in
 * halves: of n pieces each is read log n times.
 */
static int merge_range(const struct round *round, size_t first, size_t end,
		       struct buf *out, struct wm_error *err)
{
	size_t middle = first + (end - first) / 2;
	struct buf low = BUF_INIT, high = BUF_INIT;
	int ret;

	if (end - first == 1) {
		const struct span *shard = &round->pieces[first]->shard;

		buf_put(out, shard->at, span_left(shard));
		return out->failed ? no_memory(err) : 0;
	}
	ret = merge_range(round, first, middle, &low, err);
	if (!ret)
		ret = merge_range(round, middle, end, &high, err);
	if (!ret)
		ret = round->work->merge(round->work->cookie, span_of(low.data, low.len),
					 span_of(high.data, high.len), out, err);
	buf_fini(&low);
	buf_fini(&high);
	return ret;
}

/* `from` stays NULL when no file has anything of the round. */
static int merge_pieces(struct round *round, struct wm_error *err)
{
	const struct share *share = round->share;
	int ret = 0;

	for (size_t i = 0; !ret && i < share->n_files; i++)
		ret = take_file(round, &share->files[i], share->paths[i], err);
	if (ret || !round->n)
		return ret;
	qsort(round->pieces, round->n, sizeof(*round->pieces), by_number);
	return round->work->spool ? 0 :
				    merge_range(round, 0, round->n, &round->shard, err);
}

/* The first part that is missing, from 1; 0: none is. Lists those that are there. */
static uint32_t find_missing(struct round *round)
{
	struct state_piece *whole = &round->whole;
	uint32_t missing = 0;

	whole->n = 0;
	for (uint32_t number = 1; number <= whole->parts; number++)
		if (round->from[number])
			whole->numbers[whole->n++] = number;
		else if (!missing)
			missing = number;
	return missing;
}

static int fail_missing(const struct round *round, uint32_t missing, struct wm_error *err)
{
	uint32_t n = round->whole.parts - round->whole.n;

	if (n == 1)
		return wm_fail(err, WM_E_RANGE, 0,
			       "part %" PRIu32 " of %" PRIu32 " is missing", missing,
			       round->whole.parts);
	return wm_fail(err, WM_E_RANGE, 0,
		       "%" PRIu32 " of %" PRIu32
		       " parts are missing, the first is %" PRIu32,
		       n, round->whole.parts, missing);
}

/* What the pieces have, for the caller to free; NULL: no memory. */
static struct shard_source *sources_of(const struct round *round)
{
	struct shard_source *sources = calloc(round->n + 1, sizeof(*sources));

	for (size_t i = 0; sources && i < round->n; i++)
		sources[i] = (struct shard_source){ round->pieces[i]->shard,
						    round->pieces[i]->spool };
	return sources;
}

static int put_merged(const struct round *round, struct spool *out, struct wm_error *err)
{
	const struct share_work *work = round->work;
	struct shard_source *sources;
	int ret;

	if (!work->spool)
		return spool_put(out, round->shard.data, round->shard.len, err);
	sources = sources_of(round);
	ret = sources ? work->join(work->cookie, sources, round->n, out, err) :
			no_memory(err);
	free(sources);
	return ret;
}

/* Keeps what was merged when that is what the share is for. */
static int keep_merged(struct round *round, struct wm_error *err)
{
	struct state_piece piece = round->whole;
	int ret;

	piece.spool = spool_new();
	ret = piece.spool ? put_merged(round, piece.spool, err) : no_memory(err);
	/* The piece takes them over. */
	round->whole.numbers = NULL;
	if (!ret)
		return add_piece(round->share, &piece, err);
	free(piece.numbers);
	spool_free(piece.spool);
	return ret;
}

static int finish_round(const struct round *round, struct wm_error *err)
{
	const struct share_work *work = round->work;
	struct shard_source *sources;
	int ret;

	if (!work->spool)
		return work->finish(work->cookie,
				    span_of(round->shard.data, round->shard.len), err);
	sources = sources_of(round);
	ret = sources ? work->hand_out(work->cookie, sources, round->n, err) :
			no_memory(err);
	free(sources);
	return ret;
}

/* Whether the files have anything of a later round. */
static bool has_later(const struct share *share)
{
	for (size_t i = 0; i < share->n_files; i++)
		for (size_t k = 0; k < share->files[i].n_pieces; k++)
			if (share->files[i].pieces[k].round > share->round)
				return true;
	return false;
}

static int use_round(struct round *round, struct wm_error *err)
{
	struct share *share = round->share;
	uint32_t missing = find_missing(round);
	int ret = 0;

	if (missing && (!share->merges || has_later(share)))
		return fail_missing(round, missing, err);
	if (share->merges)
		ret = keep_merged(round, err);
	if (!ret && share->merges && !has_later(share))
		return stop(share, err);
	return ret ? ret : finish_round(round, err);
}

int share_run(struct share *share, const struct share_work *work, uint64_t identity,
	      struct wm_error *err)
{
	struct round round = {
		.share = share,
		.work = work,
		.whole.round = share->round,
	};
	int ret;

	share->identity = identity;
	ret = merge_pieces(&round, err);
	if (!ret && round.from)
		ret = use_round(&round, err);
	else if (!ret && share->parts && work->shared)
		ret = compute_part(share, work, err);
	else if (!ret)
		ret = work->here(work->cookie, err);
	share->round++;
	buf_fini(&round.shard);
	free(round.whole.numbers);
	free(round.from);
	free(round.pieces);
	return ret;
}

/* ---- the runner: the work is an analysis --------------------------------- */

static int make(void *cookie, uint32_t number, uint32_t parts, struct buf *out,
		struct wm_error *err)
{
	const struct shard_question *question = cookie;
	size_t first, end;

	segments_part(question->segments, number, parts, &first, &end);
	return shard_make(question, first, end, out, err);
}

static int merge(void *cookie, struct span a, struct span b, struct buf *out,
		 struct wm_error *err)
{
	return shard_merge(cookie, a, b, out, err);
}

static int finish(void *cookie, struct span whole, struct wm_error *err)
{
	return shard_finish(cookie, whole, err);
}

static int here(void *cookie, struct wm_error *err)
{
	const struct shard_question *question = cookie;

	return analysis_here(question->analysis, question->setup, question->trace,
			     question->selection, question->segments, err);
}

static int spool(void *cookie, uint32_t number, uint32_t parts, struct spool *out,
		 struct wm_error *err)
{
	const struct shard_question *question = cookie;
	size_t first, end;

	segments_part(question->segments, number, parts, &first, &end);
	return shard_row_make(question, first, end, out, err);
}

static int join(void *cookie, const struct shard_source *parts, size_t n,
		struct spool *out, struct wm_error *err)
{
	return shard_row_join(cookie, parts, n, out, err);
}

static int hand_out(void *cookie, const struct shard_source *parts, size_t n,
		    struct wm_error *err)
{
	struct shard_row row;
	int ret;

	shard_row_init(&row, cookie);
	ret = shard_row_add(&row, parts, n, err);
	if (!ret)
		ret = shard_row_end(&row, err);
	shard_row_fini(&row);
	return ret;
}

static int run(const struct runner *runner, const struct analysis *analysis, void *setup,
	       const struct wm_trace *trace, const struct selection *selection,
	       const struct segments *segments, struct wm_error *err)
{
	/* The runner is the first member; whoever runs it may change the share. */
	struct share *share = (struct share *)(uintptr_t)runner;
	struct shard_question question = { analysis,  setup,	trace,
					   selection, segments, NULL };
	/*
	 * Histograms are read so fast that each process may read all of them where chunks are
	 * retraced later. So the shared round is the first that retraces, unless there is
	 * none.
	 */
	struct share_work work = { make, merge,	    finish,
				   here, &question, share->counted || !analysis->chunk };

	if (analysis->streamed) {
		work.spool = spool;
		work.join = join;
		work.hand_out = hand_out;
	}
	return share_run(share, &work,
			 share->traces ? share->traces : state_identity(trace), err);
}

void share_init(struct share *share)
{
	*share = (struct share){ .runner.run = run };
}

void share_fini(struct share *share)
{
	for (size_t i = 0; i < share->n_pieces; i++) {
		free(share->pieces[i].numbers);
		spool_free(share->pieces[i].spool);
	}
	free(share->pieces);
}
