// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shards: the states of some segments as bytes, and their merging.
 *
 * A merge goes through the groups of both shards in the order of segments. A group that
 * touches the one before it in the same stream is appended to it; all others are copied
 * as they are. So of thousands of streams at most two have states in memory at a time.
 *
 *     a: [0,2) [5,6)    b: [2,3) [6,9)    stream X: segments 0..5, Y: 6..8
 *     merged: [0,3) of a and b, [5,6) of a, [6,9) of b
 *
 * Invariant: `held` is the last group of the merge. Its state is in bytes unless
 * something was appended to it.
 */
#include "analysis/shard-data.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/inorder.h"
#include "analysis/statebytes.h"
#include "base/error.h"
#include "trace/trace.h"

/* The bytes "WMSH". */
enum { MAGIC = 0x48534d57, VERSION = 1 };

int shard_malformed(const struct shard_question *question, struct wm_error *err)
{
	return wm_fail(err, WM_E_FORMAT, 0,
		       "a shard of \"%s\" is malformed, or of another question",
		       question->analysis->name);
}

/* ---- the question -------------------------------------------------------- */

/*
 * One step of a multiplicative hash; the shift brings the upper bits, which depend on
 * most of the input, down to the next step.
 */
static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
	return hash ^ hash >> 32;
}

/*
 * A hash of what the question covers: blocks, chunks, bounds, segments. It protects
 * against mixing up shards, not against an attacker: get() checks the states.
 */
static uint64_t fingerprint(const struct shard_question *question)
{
	const struct selection *selection = question->selection;
	const struct wm_trace *trace = question->trace;
	uint64_t hash = mix(trace->known, trace->chunk_count);

	for (uint64_t i = 0; i < trace->chunk_count; i++)
		hash = mix(hash, trace->chunks[i].head.insns);
	hash = mix(mix(hash, selection->from), selection->to);
	for (size_t i = 0; i < question->segments->n; i++) {
		const struct segment *segment = &question->segments->all[i];

		hash = mix(mix(hash, segment->stream), segment->chunk);
	}
	return mix(hash, question->segments->n);
}

/*
 * Magic, version, name and version of the analysis, fingerprint, number of groups. All
 * but the last must be the same in shards that are merged.
 */
void shard_put_head(const struct shard_question *question, uint64_t groups,
		    struct buf *out)
{
	buf_put_u32(out, MAGIC);
	buf_put_u32(out, VERSION);
	buf_put_string(out, question->analysis->name);
	buf_put_varint(out, question->analysis->version);
	buf_put_u64(out, fingerprint(question));
	buf_put_varint(out, groups);
}

static bool has_name(struct span *in, const char *name)
{
	size_t n = strlen(name);
	uint64_t bytes = span_varint(in);
	const uint8_t *at = bytes == n ? span_bytes(in, n) : NULL;

	return at && !memcmp(at, name, n);
}

int shard_get_head(const struct shard_question *question, struct span in,
		   struct groups *groups, struct wm_error *err)
{
	/*
	 * A span that has failed gives zeros, so these checks cannot read beyond the end.
	 */
	bool good = span_u32(&in) == MAGIC && span_u32(&in) == VERSION &&
		    has_name(&in, question->analysis->name) &&
		    span_varint(&in) == question->analysis->version &&
		    span_u64(&in) == fingerprint(question);

	*groups = (struct groups){ .left = state_count(&in) };
	groups->in = in;
	return good && !in.failed ? 0 : shard_malformed(question, err);
}

/* ---- groups -------------------------------------------------------------- */

void shard_put_group_head(struct buf *out, const struct group *group)
{
	buf_put_varint(out, group->begin);
	buf_put_varint(out, group->end);
	buf_put_varint(out, span_left(&group->bytes));
}

void shard_put_group(struct buf *out, const struct group *group)
{
	shard_put_group_head(out, group);
	buf_put(out, group->bytes.at, span_left(&group->bytes));
}

/*
 * A group is appended to as one state, so it must not contain the end of a stream before
 * its own.
 */
static bool is_of_one_stream(const struct segments *segments, const struct group *group)
{
	for (size_t i = group->begin; i + 1 < group->end; i++)
		if (segments->all[i].last)
			return false;
	return true;
}

/* Its numbers select segments that there are, in order, and nothing is left out of a segment. */
static bool is_next(const struct shard_question *question, const struct groups *groups,
		    const struct group *group)
{
	const struct segments *segments = question->segments;
	bool is_piece = group->begin == group->end;

	return group->begin < segments->n && group->begin >= groups->behind &&
	       group->end >= group->begin &&
	       (!is_piece || question->analysis->streamed) &&
	       (!groups->inside ||
		(group->begin == groups->behind &&
		 (group->end <= group->begin + 1 || question->analysis->in_order))) &&
	       is_of_one_stream(segments, group);
}

int shard_next_group(const struct shard_question *question, struct groups *groups,
		     struct group *group, struct wm_error *err)
{
	const struct segments *segments = question->segments;
	struct span *in = &groups->in;

	if (!groups->left)
		/* Bytes after the last group cannot be a shard's. */
		return span_left(in) ? shard_malformed(question, err) : WM_END;
	/*
	 * Every number is bounded before it selects memory: state_below() and
	 * state_count() mark `in` as failed otherwise.
	 */
	group->begin = state_below(in, segments->n);
	group->end = state_below(in, segments->n);
	group->bytes = span_sub(in, state_count(in));
	if (in->failed || !is_next(question, groups, group))
		return shard_malformed(question, err);
	groups->behind = group->end;
	groups->inside = group->begin == group->end;
	groups->left -= !groups->inside;
	return 0;
}

void shard_free_state(const struct shard_question *question, void *state)
{
	if (state)
		question->analysis->end(state);
	free(state);
}

int shard_get_state(const struct shard_question *question, const struct group *group,
		    void **state, struct wm_error *err)
{
	const struct segment *all = question->segments->all;
	struct segment segment = all[group->begin];
	struct span in = group->bytes;
	int ret;

	*state = calloc(1, question->analysis->state_bytes);
	if (!*state)
		return wm_fail_nomem(err, "an analysis");
	for (size_t i = group->begin + 1; i < group->end; i++) {
		segment.chunks += all[i].chunks;
		segment.insns += all[i].insns;
		segment.last = all[i].last;
	}
	ret = question->analysis->begin(*state, question->setup, &segment, err);
	if (!ret)
		ret = question->analysis->get(*state, &in, err);
	if (!ret && (in.failed || span_left(&in)))
		ret = shard_malformed(question, err);
	return ret;
}

/* ---- making one ---------------------------------------------------------- */

struct making {
	const struct shard_question *question;
	struct buf groups;
	uint64_t n;
};

static int put_state(void *cookie, void *state, size_t begin, size_t until,
		     struct wm_error *err)
{
	struct making *making = cookie;
	struct buf bytes = BUF_INIT;
	struct group group = { begin, until };

	making->question->analysis->put(state, &bytes);
	group.bytes = span_of(bytes.data, bytes.len);
	shard_put_group(&making->groups, &group);
	making->groups.failed |= bytes.failed;
	making->n++;
	buf_fini(&bytes);
	return making->groups.failed ? wm_fail_nomem(err, "an analysis") : 0;
}

static int put_making(struct making *making, struct buf *out, struct wm_error *err)
{
	shard_put_head(making->question, making->n, out);
	buf_put(out, making->groups.data, making->groups.len);
	out->failed |= making->groups.failed;
	return out->failed ? wm_fail_nomem(err, "an analysis") : 0;
}

int shard_make(const struct shard_question *question, size_t first, size_t end,
	       struct buf *out, struct wm_error *err)
{
	struct making making = { .question = question };
	/*
	 * The sink writes bytes and never calls stream(): a stream may continue in
	 * another shard.
	 */
	const struct analysis_sink sink = { put_state, &making, false, question->cursor };
	int ret = analysis_segments(question->analysis, question->setup, question->trace,
				    question->selection, question->segments, first, end,
				    &sink, err);

	if (!ret)
		ret = put_making(&making, out, err);
	buf_fini(&making.groups);
	return ret;
}

/* ---- merging ------------------------------------------------------------- */

struct merging {
	struct making making;
	struct group held; /* end 0: none */
	void *state;	   /* of it, once something was appended; else NULL */
};

/* Writes the held group, from its state if it has one, else by copying its bytes. */
static int release(struct merging *merging, struct wm_error *err)
{
	int ret = 0;

	if (merging->state) {
		ret = put_state(&merging->making, merging->state, merging->held.begin,
				merging->held.end, err);
	} else if (merging->held.end) {
		shard_put_group(&merging->making.groups, &merging->held);
		merging->making.n++;
	}
	shard_free_state(merging->making.question, merging->state);
	merging->state = NULL;
	merging->held.end = 0;
	return ret;
}

/* Appends a group to the held one, whose bytes become a state for that. */
static int append(struct merging *merging, const struct group *group,
		  struct wm_error *err)
{
	const struct shard_question *question = merging->making.question;
	void *next = NULL;
	/* Only now, because most groups are copied and never need a state. */
	int ret = merging->state ?
			  0 :
			  shard_get_state(question, &merging->held, &merging->state, err);

	if (!ret)
		ret = shard_get_state(question, group, &next, err);
	if (!ret)
		ret = question->analysis->append(merging->state, next, err);
	shard_free_state(question, next);
	merging->held.end = group->end;
	return ret;
}

static int take(struct merging *merging, const struct group *group, struct wm_error *err)
{
	const struct shard_question *question = merging->making.question;
	const struct segments *segments = question->segments;
	size_t end = merging->held.end;
	int ret;

	/* Both shards have that segment: adding it twice would be wrong. */
	if (end > group->begin)
		return shard_malformed(question, err);
	/* It continues the held group, and the stream does not end between them. */
	if (end && end == group->begin && !segments->all[end - 1].last)
		return append(merging, group, err);
	ret = release(merging, err);
	merging->held = *group;
	return ret;
}

static int merge(struct merging *merging, struct groups *a, struct groups *b,
		 struct wm_error *err)
{
	const struct shard_question *question = merging->making.question;
	struct group x, y;
	/* Both lists are read one group ahead; the one that begins first is taken. */
	int more_a = shard_next_group(question, a, &x, err);
	int more_b = more_a < 0 ? more_a : shard_next_group(question, b, &y, err);
	int ret = more_b < 0 ? more_b : 0;

	while (!ret && (!more_a || !more_b)) {
		/*
		 * `more_a` and `more_b` are 0 while x and y are valid, WM_END after the
		 * last group.
		 */
		bool is_a = !more_a && (more_b || x.begin < y.begin);

		ret = take(merging, is_a ? &x : &y, err);
		if (!ret && is_a)
			more_a = shard_next_group(question, a, &x, err);
		else if (!ret)
			more_b = shard_next_group(question, b, &y, err);
		if (!ret)
			ret = more_a < 0 ? more_a : more_b < 0 ? more_b : 0;
	}
	return ret ? ret : release(merging, err);
}

int shard_merge(const struct shard_question *question, struct span a, struct span b,
		struct buf *out, struct wm_error *err)
{
	struct merging merging = { .making.question = question };
	struct groups groups_a, groups_b;
	int ret = shard_get_head(question, a, &groups_a, err);

	if (!ret)
		ret = shard_get_head(question, b, &groups_b, err);
	if (!ret)
		ret = merge(&merging, &groups_a, &groups_b, err);
	if (!ret)
		ret = put_making(&merging.making, out, err);
	shard_free_state(question, merging.state);
	buf_fini(&merging.making.groups);
	return ret;
}

/* ---- one behind the other ------------------------------------------------ */

struct shard_chain {
	struct merging merging;
	struct retrace retrace;
};

struct shard_chain *shard_chain_new(const struct shard_question *question)
{
	struct shard_chain *chain = calloc(1, sizeof(*chain));

	if (!chain)
		return NULL;
	chain->merging.making.question = question;
	chain->retrace = (struct retrace){ question->analysis, question->trace,
					   question->selection };
	return chain;
}

void shard_chain_free(struct shard_chain *chain)
{
	if (!chain)
		return;
	shard_free_state(chain->merging.making.question, chain->merging.state);
	buf_fini(&chain->merging.making.groups);
	retrace_fini(&chain->retrace);
	free(chain);
}

/* The held group gets a state that goes on with segment `index`. */
static int reach(struct merging *merging, size_t index, struct wm_error *err)
{
	const struct shard_question *question = merging->making.question;
	int ret;

	if (merging->held.end && merging->held.end == index &&
	    !question->segments->all[index - 1].last)
		return 0;
	ret = release(merging, err);
	merging->state = ret ? NULL : calloc(1, question->analysis->state_bytes);
	merging->held = (struct group){ .begin = index, .end = index };
	return ret || merging->state ? ret : wm_fail_nomem(err, "an analysis");
}

int shard_chain_walk(struct shard_chain *chain, size_t first, size_t end,
		     struct wm_error *err)
{
	struct merging *merging = &chain->merging;
	const struct shard_question *question = merging->making.question;
	int ret = 0;

	for (size_t i = first; !ret && i < end; i++) {
		ret = reach(merging, i, err);
		chain->retrace.state = merging->state;
		if (!ret)
			ret = inorder_step(&chain->retrace, question->setup,
					   &question->segments->all[i], err);
		merging->held.end = i + 1;
	}
	return ret;
}

int shard_chain_add(struct shard_chain *chain, struct span shard, struct wm_error *err)
{
	struct merging *merging = &chain->merging;
	const struct shard_question *question = merging->making.question;
	struct groups groups;
	struct group group;
	int ret = shard_get_head(question, shard, &groups, err);

	while (!ret && !(ret = shard_next_group(question, &groups, &group, err)))
		ret = take(merging, &group, err);
	/* The caller's bytes may go. */
	if (ret == WM_END)
		ret = merging->held.end && !merging->state ?
			      shard_get_state(question, &merging->held, &merging->state,
					      err) :
			      0;
	return ret;
}

int shard_chain_put(struct shard_chain *chain, struct buf *out, struct wm_error *err)
{
	int ret = release(&chain->merging, err);

	return ret ? ret : put_making(&chain->merging.making, out, err);
}

/* ---- the end ------------------------------------------------------------- */

static int finish(const struct shard_question *question, const struct group *group,
		  struct wm_error *err)
{
	/* The state stands for a whole stream, so its first segment names the stream. */
	const struct segment *first = &question->segments->all[group->begin];
	void *state = NULL;
	int ret = shard_get_state(question, group, &state, err);

	if (!ret)
		ret = question->analysis->stream(state, question->setup, first->stream,
						 err);
	shard_free_state(question, state);
	return ret;
}

int shard_finish(const struct shard_question *question, struct span shard,
		 struct wm_error *err)
{
	const struct segments *segments = question->segments;
	struct groups groups;
	struct group group;
	size_t end = 0;
	int ret = shard_get_head(question, shard, &groups, err);

	while (!ret) {
		ret = shard_next_group(question, &groups, &group, err);
		if (ret)
			break;
		/* A missing segment, or a group that is only part of its stream. */
		if (group.begin != end || !segments->all[group.end - 1].last)
			return shard_malformed(question, err);
		end = group.end;
		ret = finish(question, &group, err);
	}
	if (ret == WM_END)
		ret = end == segments->n ? 0 : shard_malformed(question, err);
	return ret;
}
