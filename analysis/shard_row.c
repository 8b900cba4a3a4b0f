// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Several shards are read at the same time, each one group ahead, and the group that comes first
 * is taken. Mostly that is the next one of the same shard: a process has done neighbours.
 *
 *	source 0   0 1 2 . . . 6 7	taken: 0 1 2 of source 0, 3 4 5 of source 1,
 *	source 1   . . . 3 4 5		6 7 of source 0
 */
#include "analysis/shard_row.h"

#include <stdlib.h>

#include "analysis/inorder.h"
#include "analysis/shard-data.h"
#include "base/error.h"

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "an analysis");
}

/* ---- making one ---------------------------------------------------------- */

struct making {
	const struct shard_question *question;
	struct spool *out;
};

static int put_group(const struct group *group, struct spool *out, struct wm_error *err)
{
	struct buf head = BUF_INIT;
	int ret;

	shard_put_group_head(&head, group);
	ret = head.failed ? no_memory(err) : spool_put(out, head.data, head.len, err);
	if (!ret)
		ret = spool_put(out, group->bytes.at, span_left(&group->bytes), err);
	buf_fini(&head);
	return ret;
}

static int put_state(void *cookie, void *state, size_t begin, size_t until,
		     struct wm_error *err)
{
	const struct making *making = cookie;
	const struct analysis *analysis = making->question->analysis;
	struct buf bytes = BUF_INIT;
	struct group group = { .begin = begin };
	int ret;

	do {
		bytes.len = 0;
		analysis->put(state, &bytes);
		group.end = analysis->more && analysis->more(state) ? begin : until;
		group.bytes = span_of(bytes.data, bytes.len);
		ret = bytes.failed ? no_memory(err) : put_group(&group, making->out, err);
	} while (!ret && group.end == begin);
	buf_fini(&bytes);
	return ret;
}

static int put_head(const struct shard_question *question, uint64_t groups,
		    struct spool *out, struct wm_error *err)
{
	struct buf head = BUF_INIT;
	int ret;

	shard_put_head(question, groups, &head);
	ret = head.failed ? no_memory(err) : spool_put(out, head.data, head.len, err);
	buf_fini(&head);
	return ret;
}

/* How many groups the segments first <= i < end have: see inorder.c. */
static uint64_t count_groups(const struct shard_question *question, size_t first,
			     size_t end)
{
	const struct segment *all = question->segments->all;
	uint64_t n = 0;

	if (!question->analysis->in_order)
		return end - first;
	for (size_t i = first; i < end; i++)
		n += all[i].first || (i == first && inorder_cuts(question->analysis));
	return n;
}

int shard_row_make(const struct shard_question *question, size_t first, size_t end,
		   struct spool *out, struct wm_error *err)
{
	struct making making = { question, out };
	const struct analysis_sink sink = { put_state, &making, false };
	int ret = put_head(question, count_groups(question, first, end), out, err);

	return ret ? ret :
		     analysis_segments(question->analysis, question->setup,
				       question->trace, question->selection,
				       question->segments, first, end, &sink, err);
}

/* ---- reading several ----------------------------------------------------- */

struct source {
	struct groups groups;
	struct group next;
	bool over;  /* there is no next one */
	uint64_t n; /* groups in all */
	uint64_t given_back;
};

struct sources {
	const struct shard_question *question;
	const struct shard_source *from; /* [n] */
	struct source *all;		 /* [n] */
	size_t n;
	size_t at;  /* the source of the last group */
	size_t end; /* of that group */
};

/* Reads a source's next group; what was read before need not stay in memory. */
static int read_ahead(struct sources *sources, size_t index, struct wm_error *err)
{
	struct source *source = &sources->all[index];
	int ret;

	if (sources->from[index].spool)
		spool_give_back(sources->from[index].spool, &source->given_back,
				source->groups.in.at);
	ret = shard_next_group(sources->question, &source->groups, &source->next, err);
	source->over = ret == WM_END;
	return ret < 0 ? ret : 0;
}

static int sources_init(struct sources *sources, const struct shard_question *question,
			const struct shard_source *from, size_t n, size_t end,
			struct wm_error *err)
{
	int ret = 0;

	*sources = (struct sources){ .question = question,
				     .from = from,
				     .all = calloc(n + 1, sizeof(*sources->all)),
				     .n = n,
				     .end = end };
	if (!sources->all)
		return no_memory(err);
	for (size_t i = 0; !ret && i < n; i++) {
		ret = shard_get_head(question, from[i].shard, &sources->all[i].groups,
				     err);
		sources->all[i].n = sources->all[i].groups.left;
		if (!ret)
			ret = read_ahead(sources, i, err);
	}
	return ret;
}

static bool is_first(const struct sources *sources, size_t index)
{
	const struct source *source = &sources->all[index];

	return index < sources->n && !source->over && source->next.begin == sources->end;
}

/* The index of the source whose next group comes first. sources->n when all are read. */
static size_t find_first(const struct sources *sources)
{
	size_t first = sources->n;

	for (size_t i = sources->at; i < sources->at + 2; i++)
		if (is_first(sources, i))
			return i;
	for (size_t i = 0; i < sources->n; i++)
		if (!sources->all[i].over &&
		    (first == sources->n ||
		     sources->all[i].next.begin < sources->all[first].next.begin))
			first = i;
	return first;
}

/* 0, WM_END or an error. After it was used, read_ahead() of sources->at goes on. */
static int next_group(struct sources *sources, struct group *group, struct wm_error *err)
{
	size_t first = find_first(sources);

	if (first == sources->n)
		return WM_END;
	*group = sources->all[first].next;
	/* Two sources have it. */
	if (group->begin < sources->end)
		return shard_malformed(sources->question, err);
	sources->at = first;
	sources->end = group->end;
	return 0;
}

/* ---- several as one ------------------------------------------------------ */

int shard_row_join(const struct shard_question *question, const struct shard_source *from,
		   size_t n, struct spool *out, struct wm_error *err)
{
	struct sources sources;
	struct group group;
	uint64_t groups = 0;
	int ret = sources_init(&sources, question, from, n, 0, err);

	for (size_t i = 0; !ret && i < n; i++)
		groups += sources.all[i].n;
	if (!ret)
		ret = put_head(question, groups, out, err);
	while (!ret && !(ret = next_group(&sources, &group, err))) {
		ret = put_group(&group, out, err);
		if (!ret)
			ret = read_ahead(&sources, sources.at, err);
	}
	free(sources.all);
	return ret == WM_END ? 0 : ret;
}

/* ---- handing out --------------------------------------------------------- */

void shard_row_init(struct shard_row *row, const struct shard_question *question)
{
	*row = (struct shard_row){ .question = question };
}

static void drop(struct shard_row *row)
{
	shard_free_state(row->question, row->state);
	row->state = NULL;
}

void shard_row_fini(struct shard_row *row)
{
	drop(row);
}

/* The state of a group becomes the row's, or comes behind it. */
static int append(struct shard_row *row, const struct group *group, struct wm_error *err)
{
	const struct shard_question *question = row->question;
	void *next = NULL;
	int ret;

	if (!row->state)
		return shard_get_state(question, group, &row->state, err);
	ret = shard_get_state(question, group, &next, err);
	if (!ret)
		ret = question->analysis->append(row->state, next, err);
	shard_free_state(question, next);
	return ret;
}

static int take(struct shard_row *row, const struct group *group, struct wm_error *err)
{
	const struct shard_question *question = row->question;
	const struct segment *all = question->segments->all;
	int ret;

	/* The row begins with the first segment, so its state begins its stream. */
	if (group->begin != row->end)
		return shard_malformed(question, err);
	if (!row->state)
		row->begin = group->begin;
	ret = append(row, group, err);
	row->end = group->end;
	if (!ret)
		ret = question->analysis->drain(row->state, err);
	if (!ret && group->end > group->begin && all[row->end - 1].last) {
		ret = question->analysis->stream(row->state, question->setup,
						 all[row->begin].stream, err);
		drop(row);
	}
	row->over = ret == WM_END;
	return ret;
}

int shard_row_add(struct shard_row *row, const struct shard_source *from, size_t n,
		  struct wm_error *err)
{
	struct sources sources = { .n = 0 };
	struct group group;
	int ret = row->over ?
			  WM_END :
			  sources_init(&sources, row->question, from, n, row->end, err);

	while (!ret && !(ret = next_group(&sources, &group, err))) {
		ret = take(row, &group, err);
		if (!ret)
			ret = read_ahead(&sources, sources.at, err);
	}
	free(sources.all);
	return ret == WM_END ? 0 : ret;
}

int shard_row_end(const struct shard_row *row, struct wm_error *err)
{
	return row->over || row->end == row->question->segments->n ?
		       0 :
		       shard_malformed(row->question, err);
}
