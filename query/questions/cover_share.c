// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bytes of a shard:
 *
 *	n  answers[n bytes]  cover...
 *
 * The answers have no rows: of each trace they say which one it was (answers_entry.identity), and
 * keep what was said about it. A cover is that of neighbouring traces:
 *
 *	first  traces  n  bytes[n]
 *
 * A merge makes one cover of two that touch, so what waits for other parts does not grow with
 * the number of traces. Example: of 8 traces in 4 parts, the parts 1, 2 and 4 together have a
 * cover of the traces 0 to 3, and one of 6 and 7.
 */
#include "query/questions/cover_share.h"

#include "analysis/cover/cover_state.h"
#include "analysis/statebytes.h"
#include "base/error.h"
#include "query/answers.h"
#include "query/state_file.h"

struct sharing {
	struct cover *cover;
	struct query *query;
	const struct several_traces *traces;
};

/* A cover in a shard. */
struct piece {
	uint64_t first, traces;
	struct span bytes;
};

static int malformed(struct wm_error *err)
{
	return wm_fail(err, WM_E_FORMAT, 0, "a part's coverage is malformed");
}

/* ---- bytes --------------------------------------------------------------- */

static void put_bytes(struct buf *out, const struct buf *bytes)
{
	buf_put_varint(out, bytes->len);
	buf_put(out, bytes->data, bytes->len);
	out->failed |= bytes->failed;
}

static void put_piece(struct buf *out, const struct piece *piece)
{
	buf_put_varint(out, piece->first);
	buf_put_varint(out, piece->traces);
	buf_put_varint(out, span_left(&piece->bytes));
	buf_put(out, piece->bytes.at, span_left(&piece->bytes));
}

/* WM_END: there is no further one. */
static int next_piece(struct span *in, struct piece *piece, struct wm_error *err)
{
	if (!span_left(in))
		return WM_END;
	piece->first = state_below(in, UINT32_MAX);
	piece->traces = state_below(in, UINT32_MAX);
	piece->bytes = span_sub(in, state_count(in));
	return in->failed ? malformed(err) : 0;
}

/* Takes the answers off; what is left of *in are the covers. */
static int take_answers(struct span *in, struct span *answers, struct wm_error *err)
{
	*answers = span_sub(in, state_count(in));
	return in->failed ? malformed(err) : 0;
}

/* ---- a part -------------------------------------------------------------- */

/* What is said about a trace is kept for whoever has all of them. */
static int add_trace(const struct sharing *sharing, struct cover *cover, uint64_t number,
		     struct buf *answers, struct wm_error *err)
{
	struct query *query = sharing->query;
	const struct listener *listener = query->listener;
	struct answer said;
	int ret;

	answer_init(&said, NULL, 0);
	query->scope.file = sharing->traces->files[number];
	query->listener = &said.listener;
	ret = query_open(query, err);
	if (!ret) {
		ret = cover_add_query(cover, query, err);
		if (!ret)
			answers_add(answers, number, state_identity(query->source.trace),
				    &said);
		query_close(query);
	}
	query->listener = listener;
	if (ret)
		answer_tell(&said, listener);
	answer_fini(&said);
	return ret;
}

static int add_traces(const struct sharing *sharing, uint64_t first, uint64_t end,
		      struct buf *out, struct wm_error *err)
{
	struct buf answers = BUF_INIT, bytes = BUF_INIT;
	struct cover cover;
	int ret = cover_init_for(&cover, sharing->query, err);

	for (uint64_t i = first; !ret && i < end; i++)
		ret = add_trace(sharing, &cover, i, &answers, err);
	if (!ret) {
		cover_put(&cover, &bytes);
		put_bytes(out, &answers);
		if (first < end)
			put_piece(out, &(struct piece){ first, end - first,
							span_of(bytes.data, bytes.len) });
		out->failed |= bytes.failed;
	}
	cover_fini(&cover);
	buf_fini(&answers);
	buf_fini(&bytes);
	return ret ? ret : out->failed ? wm_fail_nomem(err, "coverage") : 0;
}

/* Neighbours, about as many as any other part. */
static int compute(void *cookie, uint32_t number, uint32_t parts, struct buf *out,
		   struct wm_error *err)
{
	const struct sharing *sharing = cookie;
	uint64_t n = sharing->traces->n;

	return add_traces(sharing, n * (number - 1) / parts, n * number / parts, out,
			  err);
}

/* ---- merging ------------------------------------------------------------- */

/* One cover of two. The caller frees *bytes, which *piece refers to then. */
static int join(const struct sharing *sharing, struct piece *piece,
		const struct piece *next, struct buf *bytes, struct wm_error *err)
{
	struct buf joined = BUF_INIT;
	struct cover cover;
	int ret = cover_init_for(&cover, sharing->query, err);

	if (!ret)
		ret = cover_take(&cover, piece->bytes, err);
	if (!ret)
		ret = cover_take(&cover, next->bytes, err);
	if (!ret)
		cover_put(&cover, &joined);
	cover_fini(&cover);
	buf_fini(bytes);
	*bytes = joined;
	piece->traces += next->traces;
	piece->bytes = span_of(bytes->data, bytes->len);
	return ret ? ret : joined.failed ? wm_fail_nomem(err, "coverage") : 0;
}

/* The piece of both that comes next. WM_END: there is none. */
static int next_of_both(struct span *a, struct span *b, struct piece *piece,
			struct wm_error *err)
{
	struct span in_a = *a, in_b = *b;
	struct piece x, y;
	int of_a = next_piece(&in_a, &x, err);
	int of_b = of_a < 0 ? of_a : next_piece(&in_b, &y, err);

	if (of_a < 0 || of_b < 0)
		return of_b < 0 ? of_b : of_a;
	if (of_a && of_b)
		return WM_END;
	if (!of_a && (of_b || x.first < y.first)) {
		*piece = x;
		*a = in_a;
	} else {
		*piece = y;
		*b = in_b;
	}
	return 0;
}

static int merge_covers(const struct sharing *sharing, struct span a, struct span b,
			struct buf *out, struct wm_error *err)
{
	struct buf bytes = BUF_INIT; /* of `last` */
	struct piece last, piece;
	int ret = next_of_both(&a, &b, &last, err), more = ret;

	while (!ret && !(more = next_of_both(&a, &b, &piece, err))) {
		if (piece.first == last.first + last.traces) {
			ret = join(sharing, &last, &piece, &bytes, err);
			continue;
		}
		put_piece(out, &last);
		last = piece;
	}
	if (!ret)
		put_piece(out, &last);
	buf_fini(&bytes);
	return more < 0 ? more : ret < 0 ? ret : 0;
}

static int merge(void *cookie, struct span a, struct span b, struct buf *out,
		 struct wm_error *err)
{
	struct span answers_a, answers_b;
	struct buf answers = BUF_INIT;
	int ret = take_answers(&a, &answers_a, err);

	if (!ret)
		ret = take_answers(&b, &answers_b, err);
	if (!ret)
		ret = answers_merge(answers_a, answers_b, &answers, err);
	if (!ret) {
		put_bytes(out, &answers);
		ret = merge_covers(cookie, a, b, out, err);
	}
	buf_fini(&answers);
	return ret ? ret : out->failed ? wm_fail_nomem(err, "coverage") : 0;
}

/* ---- all of it ----------------------------------------------------------- */

/* The trace must be what it was; then what was said about it is said. */
static int check_trace(const struct sharing *sharing, struct span *answers,
		       uint64_t number, struct wm_error *err)
{
	struct query *query = sharing->query;
	struct answers_entry entry;
	struct answer said;
	int ret = answers_next(answers, &entry, err);

	query->scope.file = sharing->traces->files[number];
	if (ret == WM_END || (!ret && entry.number != number))
		return malformed(err);
	if (!ret)
		ret = answers_check_trace(&entry, query->scope.file, err);
	if (ret)
		return ret;
	answer_init(&said, NULL, 0);
	ret = answer_get(&said, entry.bytes, err);
	if (!ret)
		answer_tell(&said, query->listener);
	answer_fini(&said);
	return ret;
}

/* The parts are complete, and so there is one cover of all. */
static int finish(void *cookie, struct span whole, struct wm_error *err)
{
	const struct sharing *sharing = cookie;
	struct span answers;
	struct piece piece;
	int ret = take_answers(&whole, &answers, err);

	for (uint64_t i = 0; !ret && i < sharing->traces->n; i++)
		ret = check_trace(sharing, &answers, i, err);
	if (!ret)
		ret = next_piece(&whole, &piece, err);
	if (ret == WM_END || (!ret && (piece.first || span_left(&whole))))
		return malformed(err);
	return ret ? ret : cover_take(sharing->cover, piece.bytes, err);
}

static int here(void *cookie, struct wm_error *err)
{
	const struct sharing *sharing = cookie;
	struct buf whole = BUF_INIT;
	int ret = add_traces(sharing, 0, sharing->traces->n, &whole, err);

	if (!ret)
		ret = finish(cookie, span_of(whole.data, whole.len), err);
	buf_fini(&whole);
	return ret;
}

int cover_share(struct cover *cover, struct query *query,
		const struct several_traces *traces, struct share *share,
		struct wm_error *err)
{
	struct sharing sharing = { cover, query, traces };
	const struct share_work work = { compute, merge, finish, here, &sharing, true };

	/* The traces are compared one by one; as a whole it is their number that must fit. */
	return share_run(share, &work, traces->n, err);
}
