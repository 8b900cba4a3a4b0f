// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Such a question depends at each moment on all that ran before, so its parts would have to wait
 * for each other. One of them does the work instead, and whoever asks for parts needs not know
 * which questions can be cut.
 */
#include "query/undivided.h"

#include "base/error.h"
#include "query/answers.h"
#include "query/query.h"
#include "query/state_file.h"

struct work {
	struct answer *answer;
	struct query *query;
};

static int find(const struct work *work, struct wm_error *err)
{
	struct query *query = work->query;

	return answer_find(work->answer, query->columns, query->n_columns, query, err);
}

/* What is said meanwhile is said with the answer. */
static int compute(void *cookie, uint32_t number, uint32_t parts, struct buf *out,
		   struct wm_error *err)
{
	const struct work *work = cookie;
	const struct listener *listener = work->query->listener;
	int ret;

	(void)parts;
	if (number != 1)
		return 0;
	work->query->listener = &work->answer->listener;
	ret = find(work, err);
	work->query->listener = listener;
	if (!ret)
		answers_add(out, 0, state_identity(work->query->source.trace),
			    work->answer);
	return ret ? ret : out->failed ? wm_fail_nomem(err, "an answer") : 0;
}

static int merge(void *cookie, struct span a, struct span b, struct buf *out,
		 struct wm_error *err)
{
	(void)cookie;
	return answers_merge(a, b, out, err);
}

static int finish(void *cookie, struct span whole, struct wm_error *err)
{
	const struct work *work = cookie;
	struct answers_entry entry;
	int ret = answers_next(&whole, &entry, err);

	if (ret == WM_END || (!ret && (entry.number || span_left(&whole))))
		return wm_fail(err, WM_E_FORMAT, 0, "a part's answer is malformed");
	if (!ret)
		ret = answer_get(work->answer, entry.bytes, err);
	if (!ret)
		answer_tell(work->answer, work->query->listener);
	return ret;
}

static int here(void *cookie, struct wm_error *err)
{
	return find(cookie, err);
}

/* Of all traces together. */
static int identify(const struct wm_trace *trace, const char *const *others, size_t n,
		    uint64_t *identity, struct wm_error *err)
{
	uint64_t other;
	int ret = 0;

	*identity = state_identity(trace);
	for (size_t i = 0; !ret && i < n; i++) {
		ret = state_identity_of(others[i], &other, err);
		/* Their order matters. */
		*identity = *identity * 31 + other;
	}
	return ret;
}

int undivided_find(struct answer *answer, struct query *query, const char *const *others,
		   size_t n, struct share *share, struct wm_error *err)
{
	struct work work = { answer, query };
	const struct share_work shared = { compute, merge, finish, here, &work, true };
	uint64_t identity;
	int ret = identify(query->source.trace, others, n, &identity, err);

	return ret ? ret : share_run(share, &shared, identity, err);
}
