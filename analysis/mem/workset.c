// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Working sets by interval. For each line (and page) the first and the last interval in
 * which it was touched are kept. An access counts its line in an interval when the line's
 * last interval is an earlier one. So nothing is cleared when an interval ends, and the
 * sets of all intervals take the memory of one.
 *
 * Invariant: `touched` of an interval is the number of different keys in it, `fresh` of
 * them those never touched before. When a segment is appended, a key that both segments
 * touched was counted as fresh in both, and twice as touched if its last interval in the
 * first segment is its first one in the second. append_one() takes these counts back.
 *
 * Example: intervals 0 and 1; the first segment touches x in 0 and y in 1, the second y
 * in 1. Interval 1 has y twice, both times as fresh: one is taken back from both counts.
 */
#include "analysis/mem/workset.h"

#include <stdlib.h>

#include "analysis/accesses.h"
#include "analysis/mem/pages.h"
#include "analysis/statebytes.h"
#include "base/append.h"
#include "base/error.h"
#include "trace/trace.h"
#include "trace/u64map.h"

/* The set of keys that were touched: lines or pages. */
struct touched {
	struct u64map places; /* of a key: its number + 1 */
	struct touched_one {
		uint64_t key;
		uint64_t first, last; /* the numbers of intervals */
	} * all;		      /* [n] by number */
	uint32_t n, room;
};

struct setup {
	struct workset *workset;
	const struct wm_trace *trace;
	uint64_t from, length;
};

enum { LINES, PAGES, KINDS };

/* One row of the result. A key counts as fresh where it is touched for the first time. */
struct interval {
	uint64_t number;
	uint64_t loads, stores, bytes;
	uint64_t touched[KINDS], fresh[KINDS];
};

struct state {
	const struct setup *setup;
	uint64_t end; /* first instruction after the last interval; 0: there is none */
	struct interval *intervals; /* [n] ascending, those with accesses */
	size_t n;
	struct touched touched[KINDS];
};

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "working sets");
}

/* ---- what was touched ------------------------------------------------------------------------ */

static bool grow(struct touched *touched)
{
	uint32_t room = touched->room * 2 + 256;
	struct touched_one *grown = reallocarray(touched->all, room, sizeof(*grown));

	if (grown) {
		touched->all = grown;
		touched->room = room;
	}
	return grown;
}

/*
 * The entry of a key; *fresh: it was made. NULL: no memory. The pointer is valid until
 * the next new key.
 */
static struct touched_one *find(struct touched *touched, uint64_t key, bool *fresh)
{
	uint32_t *place = u64map_at(&touched->places, key);

	*fresh = place && !*place;
	if (!place)
		return NULL;
	if (*place)
		return &touched->all[*place - 1];
	if (touched->n == touched->room && !grow(touched))
		return NULL;
	*place = touched->n + 1;
	touched->all[touched->n] = (struct touched_one){ .key = key };
	return &touched->all[touched->n++];
}

static bool touch(struct state *state, unsigned kind, uint64_t key)
{
	struct interval *interval = &state->intervals[state->n - 1];
	bool fresh;
	struct touched_one *one = find(&state->touched[kind], key, &fresh);

	if (!one)
		return false;
	/* `last` of a fresh key is 0, which may be the number of this interval. */
	if (fresh)
		one->first = interval->number;
	interval->fresh[kind] += fresh;
	interval->touched[kind] += fresh || one->last != interval->number;
	/* Later accesses in this interval find the key counted already. */
	one->last = interval->number;
	return true;
}

/* The lines, or pages, of an access, which is not long enough to touch three of them. */
static bool touch_both(struct state *state, unsigned kind, const struct wm_access *access,
		       unsigned bits)
{
	uint64_t first = access->address >> bits, last = mem_last_byte(access) >> bits;

	return touch(state, kind, first) && (last == first || touch(state, kind, last));
}

/* ---- the walk ---------------------------------------------------------------------------------- */

/* Intervals stay in ascending order: callers append later ones only. */
static bool add_interval(struct state *state, const struct interval *interval)
{
	return APPEND(state->intervals, state->n, *interval);
}

/* Begins the interval of an instruction; intervals without an access are skipped. */
static bool enter(struct state *state, uint64_t insn)
{
	const struct setup *setup = state->setup;
	struct interval interval = { .number = (insn - setup->from) / setup->length };
	uint64_t begin = setup->from + interval.number * setup->length;

	state->end = begin + setup->length;
	if (state->end < begin)
		state->end = UINT64_MAX; /* the sum overflowed: nothing is beyond it */
	return add_interval(state, &interval);
}

static bool take_access(struct state *state, const struct wm_access *access,
			uint64_t insn)
{
	struct interval *interval;

	/*
	 * Instructions only ascend within a state. `end` is 0 at first, so the first
	 * access enters.
	 */
	if (insn >= state->end && !enter(state, insn))
		return false;
	interval = &state->intervals[state->n - 1];
	interval->bytes += access->size;
	interval->loads += access->kind == WM_ACCESS_LOAD;
	interval->stores += access->kind == WM_ACCESS_STORE;
	return touch_both(state, LINES, access, MEM_LINE_BITS) &&
	       touch_both(state, PAGES, access, MEM_PAGE_BITS);
}

static int begin(void *to, void *cookie, const struct segment *segment,
		 struct wm_error *err)
{
	struct state *state = to;

	(void)segment;
	state->setup = cookie;
	for (unsigned i = 0; i < KINDS; i++)
		if (u64map_init(&state->touched[i].places))
			return no_memory(err);
	return 0;
}

/* Values that are no accesses, of registers and places, are left out. */
static int take(void *to, const struct stretch *part, const struct wm_access *accesses,
		size_t n, struct wm_error *err)
{
	struct state *state = to;
	struct access_places places =
		access_places_of(state->setup->trace->table.blocks, part);

	for (size_t i = 0; i < n; i++)
		if (accesses[i].kind <= WM_ACCESS_STORE &&
		    !take_access(state, &accesses[i], access_insn(&places, &accesses[i])))
			return no_memory(err);
	return 0;
}

/* ---- appending ----------------------------------------------------------------------------------- */

/*
 * The first interval from index `from` on whose number is not less. With a sound state it
 * is the one of that number; NULL, or another one, only with hostile bytes.
 */
static struct interval *interval_at(struct state *state, size_t from, uint64_t number)
{
	size_t low = from, high = state->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (state->intervals[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < state->n ? &state->intervals[low] : NULL;
}

/*
 * Merges one key of the appended segment, and takes back what was counted twice. A key
 * that only that segment touched was fresh there rightly.
 */
static bool append_one(struct state *state, size_t from, unsigned kind,
		       const struct touched_one *next)
{
	bool fresh;
	struct touched_one *one = find(&state->touched[kind], next->key, &fresh);
	struct interval *interval;

	if (!one)
		return false;
	if (fresh) {
		one->first = next->first;
	} else {
		/* The segment counted it as fresh in its first interval there. */
		interval = interval_at(state, from, next->first);
		if (interval)
			interval->fresh[kind]--;
		/* Both segments counted it in the interval that they share. */
		if (interval && one->last == next->first)
			interval->touched[kind]--;
	}
	/* Both segments, or only the next one: its accesses are the later ones. */
	one->last = next->last;
	return true;
}

/* Adds up both parts of an interval that a cut divides; append_one() then corrects it. */
static void add(struct interval *interval, const struct interval *more)
{
	interval->loads += more->loads;
	interval->stores += more->stores;
	interval->bytes += more->bytes;
	for (unsigned i = 0; i < KINDS; i++) {
		interval->touched[i] += more->touched[i];
		interval->fresh[i] += more->fresh[i];
	}
}

static int append(void *to, void *from, struct wm_error *err)
{
	struct state *state = to;
	const struct state *next = from;
	/* A segment may end amid an interval: then the next one continues it. */
	bool shared = state->n && next->n &&
		      state->intervals[state->n - 1].number == next->intervals[0].number;
	/* Intervals from here on may have counts of the appended segment. */
	size_t first = state->n - shared;
	bool good = true;

	if (shared)
		add(&state->intervals[first], &next->intervals[0]);
	for (size_t i = shared; good && i < next->n; i++)
		good = add_interval(state, &next->intervals[i]);
	/* After the intervals: these counts are corrected in place. */
	for (unsigned kind = 0; kind < KINDS; kind++)
		for (uint32_t i = 0; good && i < next->touched[kind].n; i++)
			good = append_one(state, first, kind,
					  &next->touched[kind].all[i]);
	/* The interval that continues is that of the last segment with accesses. */
	if (next->n)
		state->end = next->end;
	return good ? 0 : no_memory(err);
}

/* ---- its bytes ----------------------------------------------------------------------------------- */

/* In the order of first accesses, which does not depend on the cutting. */
static void put_touched(const struct touched *touched, struct buf *out)
{
	buf_put_varint(out, touched->n);
	for (uint32_t i = 0; i < touched->n; i++) {
		buf_put_varint(out, touched->all[i].key);
		buf_put_varint(out, touched->all[i].first);
		buf_put_varint(out, touched->all[i].last);
	}
}

static bool get_touched(struct touched *touched, struct span *in)
{
	struct touched_one *one;
	bool fresh;

	for (uint64_t n = state_count(in); n && !in->failed; n--) {
		one = find(touched, span_varint(in), &fresh);
		if (!one)
			return false;
		/* Not checked: wrong intervals only give wrong counts (interval_at()). */
		one->first = span_varint(in);
		one->last = span_varint(in);
	}
	return true;
}

static void put_interval(const struct interval *interval, struct buf *out)
{
	buf_put_varint(out, interval->number);
	buf_put_varint(out, interval->loads);
	buf_put_varint(out, interval->stores);
	buf_put_varint(out, interval->bytes);
	for (unsigned k = 0; k < KINDS; k++) {
		buf_put_varint(out, interval->touched[k]);
		buf_put_varint(out, interval->fresh[k]);
	}
}

static void get_interval(struct interval *interval, struct span *in)
{
	interval->number = span_varint(in);
	interval->loads = span_varint(in);
	interval->stores = span_varint(in);
	interval->bytes = span_varint(in);
	for (unsigned k = 0; k < KINDS; k++) {
		interval->touched[k] = span_varint(in);
		interval->fresh[k] = span_varint(in);
	}
}

static void put(void *from, struct buf *out)
{
	const struct state *state = from;

	buf_put_varint(out, state->n);
	for (size_t i = 0; i < state->n; i++)
		put_interval(&state->intervals[i], out);
	for (unsigned k = 0; k < KINDS; k++)
		put_touched(&state->touched[k], out);
}

static int get(void *to, struct span *in, struct wm_error *err)
{
	struct state *state = to;
	struct interval interval;
	bool good = true;

	for (uint64_t n = state_count(in); good && n && !in->failed; n--) {
		get_interval(&interval, in);
		good = add_interval(state, &interval);
	}
	for (unsigned k = 0; good && k < KINDS; k++)
		good = get_touched(&state->touched[k], in);
	return good ? 0 : no_memory(err);
}

/* ---- the result ------------------------------------------------------------------------------------ */

/* Intervals are numbered from --from on, so numbers mean the same in all segments. */
static int stream(void *from, void *cookie, unsigned index, struct wm_error *err)
{
	const struct state *state = from;
	struct setup *setup = cookie;

	for (size_t i = 0; i < state->n; i++) {
		const struct interval *interval = &state->intervals[i];
		struct workset_row row = {
			.stream = index,
			.from = setup->from + interval->number * setup->length,
			.loads = interval->loads,
			.stores = interval->stores,
			.bytes = interval->bytes,
			.lines = interval->touched[LINES],
			.new_lines = interval->fresh[LINES],
			.pages = interval->touched[PAGES],
			.new_pages = interval->fresh[PAGES],
		};

		if (!APPEND(setup->workset->rows, setup->workset->n, row))
			return no_memory(err);
	}
	return 0;
}

static void end(void *from)
{
	struct state *state = from;

	free(state->intervals);
	for (unsigned i = 0; i < KINDS; i++) {
		u64map_fini(&state->touched[i].places);
		free(state->touched[i].all);
	}
}

const struct analysis workset_analysis = {
	.name = "working set",
	.version = 2,
	.state_bytes = sizeof(struct state),
	.begin = begin,
	.accesses = take,
	.append = append,
	.put = put,
	.get = get,
	.stream = stream,
	.end = end,
};

int workset_gather(struct workset *workset, const struct wm_trace *trace,
		   const struct selection *selection, uint64_t length,
		   struct wm_error *err)
{
	struct setup setup = {
		.workset = workset,
		.trace = trace,
		.from = selection->from,
		.length = length,
	};
	int ret;

	*workset = (struct workset){ .n = 0 };
	ret = analysis_run(&workset_analysis, &setup, trace, selection, err);
	if (ret)
		workset_fini(workset);
	return ret;
}

void workset_fini(struct workset *workset)
{
	free(workset->rows);
	*workset = (struct workset){ .n = 0 };
}
