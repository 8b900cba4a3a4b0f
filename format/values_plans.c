// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A recorder looks for a plan every seven blocks or so, among thousands of plans: what it
 * costs is the cache lines that are touched. So the plans that begin with a block are listed
 * in one line, with a tag of the blocks that follow; those of another tag are not looked at.
 * Often not even that is needed: each plan says which one came next the last time, and what
 * is likely to come after that is fetched meanwhile.
 *
 * Example: block 7 has the sequences 7 8 9 7 ... and 7 8 12 3 ..., and single plans for two
 * states of its registers. When 7 8 12 3 comes, the tag of 8 12 3 is that of the second one:
 * its line is read, for the state, and the line behind it, for all ids.
 */
#include "format/values_plans.h"

#include <stdlib.h>
#include <string.h>

#define SEQUENCES_OF_BLOCK (PLAN_SET / 2)
#define SEQUENCE_LEAST 4u /* blocks, to have a tag */
#define HOT_LEAST 6	  /* log2 of executions of a block before its first sequence */
#define HOT_MOST 15
#define PREFETCHED 6	       /* lines */
#define PLANS_LINES (3u << 18) /* of all plans: 48 MiB; then they are made again */
#define OPS_LINE (PLAN_LINE / sizeof(struct plan_op))

void plans_fini(struct plans *plans)
{
	free(plans->first);
	free(plans->sets);
	free(plans->lines);
	*plans = (struct plans){ 0 };
}

static void plans_drop(struct plans *plans)
{
	if (plans->known)
		memset(plans->first, 0, plans->known * sizeof(*plans->first));
	plans->set_count = plans->line_count = 0;
	plans->last = 0;
}

size_t plans_memory(const struct plans *plans)
{
	return plans->known * sizeof(*plans->first) +
	       plans->sets_allocated * sizeof(*plans->sets) +
	       plans->lines_allocated * sizeof(*plans->lines);
}

/* ---- making ----------------------------------------------------------------------------- */

/*
 * Room for `more` beside `count` elements, each in a cache line of its own: the array, or NULL
 * without memory, and then the old one stays.
 */
static void *grow_lines(void *array, uint32_t count, uint32_t more, uint32_t *allocated)
{
	uint32_t n = *allocated + *allocated / 2 + more + 64;
	void *all;

	if (more <= *allocated - count)
		return array;
	all = aligned_alloc(PLAN_LINE, (size_t)n * PLAN_LINE);
	if (!all)
		return NULL;
	if (count)
		memcpy(all, array, (size_t)count * PLAN_LINE);
	free(array);
	*allocated = n;
	return all;
}

/* Lines at the end; NULL without memory. */
static struct plan_line *append_lines(struct plans *plans, uint32_t n)
{
	struct plan_line *lines =
		grow_lines(plans->lines, plans->line_count, n, &plans->lines_allocated);

	if (!lines)
		return NULL;
	plans->lines = lines;
	plans->line_count += n;
	return lines + plans->line_count - n;
}

static struct plan_op *put_ops(struct plan_op *at, const struct plan_op *ops, unsigned n)
{
	memcpy(at, ops, n * sizeof(*ops));
	return at + n;
}

/* Puts what was made at the end of all lines; NULL without memory. */
static struct plan *append(struct plans *plans, const struct plan_making *making,
			   const uint32_t *ids)
{
	const struct plan *plan = &making->plan;
	uint32_t n = plan->sums + plan->checks + plan->others + plan->moves;
	struct plan_line *line = append_lines(
		plans, 1 + (plan->blocks > 1) +
			       (plan->failed ? 0 : (n + OPS_LINE - 1) / OPS_LINE));
	struct plan_op *op;

	if (!line)
		return NULL;
	line->plan = *plan;
	if (plan->blocks > 1)
		memcpy(line[1].ids, ids, plan->blocks * sizeof(*ids));
	if (plan->failed)
		return &line->plan;
	op = plan_ops(&line->plan);
	op = put_ops(op, making->sums.all, plan->sums);
	op = put_ops(op, making->checks.all, plan->checks);
	op = put_ops(op, making->others.all, plan->others);
	put_ops(op, making->moves, plan->moves);
	return &line->plan;
}

/* Makes one for the state of the model's registers; NULL: no memory. */
static struct plan *make(struct plans *plans, const struct values_model *model,
			 const uint32_t *ids, size_t n)
{
	struct plan_making making;

	plan_make(&making, model, ids, n);
	making.plan.hot = HOT_LEAST;
	return append(plans, &making, ids);
}

static bool know(struct plans *plans, uint32_t id)
{
	uint32_t n = id + id / 2 + 256;
	uint32_t *first;

	if (id < plans->known)
		return true;
	first = reallocarray(plans->first, n, sizeof(*first));
	if (!first)
		return false;
	memset(first + plans->known, 0, (n - plans->known) * sizeof(*first));
	plans->first = first;
	plans->known = n;
	return true;
}

/* The set of a block that has none yet; NULL: no memory. */
static struct plan_set *add_set(struct plans *plans, uint32_t id)
{
	struct plan_set *sets =
		grow_lines(plans->sets, plans->set_count, 1, &plans->sets_allocated);

	if (!sets)
		return NULL;
	plans->sets = sets;
	plans->first[id] = PLANS_COLD + plans->set_count;
	sets[plans->set_count] = (struct plan_set){ 0 };
	return &plans->sets[plans->set_count++];
}

/* Of a sequence: never 0. */
static inline uint32_t tag_of(const uint32_t *ids)
{
	return (ids[1] * 0x9e3779b1u + ids[2] * 0x85ebca6bu + ids[3] * 0xc2b2ae35u) | 1;
}

/* Puts a plan into a set; a sequence before all others. */
static void join(struct plan_set *set, uint32_t plan, uint32_t tag)
{
	unsigned sequences = 0, at;

	while (sequences < PLAN_SET && set->tags[sequences])
		sequences++;
	if (tag) {
		/* The oldest one makes way, or the last single one. */
		at = sequences < SEQUENCES_OF_BLOCK ? PLAN_SET - 1 : sequences - 1;
		memmove(set->tags + 1, set->tags, at * sizeof(*set->tags));
		memmove(set->plans + 1, set->plans, at * sizeof(*set->plans));
		at = 0;
	} else {
		for (at = sequences; at < PLAN_SET - 1 && set->plans[at];)
			at++;
	}
	set->tags[at] = tag;
	set->plans[at] = plan + 1;
}

static inline uint32_t line_of(const struct plans *plans, const struct plan *plan)
{
	return (uint32_t)((const struct plan_line *)plan - plans->lines);
}

/* One more plan of blocks that begin with that of the set. */
static struct plan *add_plan(struct plans *plans, const struct values_model *model,
			     struct plan_set *set, const uint32_t *ids, size_t n)
{
	struct plan *plan;

	/* Those that are in use are made again. */
	if (plans->line_count > PLANS_LINES) {
		plans_drop(plans);
		return NULL;
	}
	plan = make(plans, model, ids, n);
	if (!plan)
		return NULL;
	/* One that cannot be carried out says so, but hides no single ones. */
	if (plan->blocks == 1 || !plan->failed)
		join(set, line_of(plans, plan), plan->blocks > 1 ? tag_of(ids) : 0);
	return plan->failed ? NULL : plan;
}

/* ---- finding ---------------------------------------------------------------------------- */

static inline bool fits_state(const struct plan *plan, const struct values_model *model)
{
	return ((uint32_t)model->now.known & plan->read) == plan->known &&
	       ((uint32_t)model->now.loaded & plan->read) == plan->loaded;
}

static inline bool fits_ids(const struct plan *plan, const uint32_t *ids)
{
	const uint32_t *of = plan_ids(plan);
	unsigned last = plan->blocks - 1;
	uint64_t differ = of[last] ^ ids[last], one, other;

	for (unsigned i = 0; i < last; i += 2) {
		memcpy(&one, of + i, sizeof(one));
		memcpy(&other, ids + i, sizeof(other));
		differ |= one ^ other;
	}
	return !differ;
}

static inline bool fits(const struct plan *plan, const struct values_model *model,
			const uint32_t *ids, size_t n)
{
	if (plan->blocks == 1)
		return plan->id == *ids && fits_state(plan, model);
	return n >= plan->blocks && fits_state(plan, model) && fits_ids(plan, ids);
}

/*
 * A block that was planned often, by itself, begins a sequence: of what follows now, which is
 * likely to be what follows often. The next one must be twice as worth it.
 */
static struct plan *heat(struct plans *plans, const struct values_model *model,
			 struct plan_set *set, struct plan *plan, const uint32_t *ids,
			 size_t n)
{
	const struct value_program *of = model->programs->of;

	if (n < SEQUENCE_BLOCKS || ++plan->runs >> plan->hot == 0)
		return plan;
	plan->runs = 0;
	plan->hot += plan->hot < HOT_MOST;
	if (of[ids[0]].words + of[ids[1]].words > SEQUENCE_WORDS)
		return plan;
	return add_plan(plans, model, set, ids, n);
}

/* Among the plans of a set. */
static struct plan *search_set(struct plans *plans, const struct values_model *model,
			       struct plan_set *set, const uint32_t *ids, size_t n)
{
	uint32_t tag = n >= SEQUENCE_LEAST ? tag_of(ids) : 0;
	struct plan *plan;

	for (unsigned i = 0; i < PLAN_SET && set->plans[i]; i++) {
		if (set->tags[i] && set->tags[i] != tag)
			continue;
		plan = &plans->lines[set->plans[i] - 1].plan;
		if (!fits(plan, model, ids, n))
			continue;
		if (plan->failed)
			return NULL;
		return plan->blocks > 1 ? plan : heat(plans, model, set, plan, ids, n);
	}
	return set->plans[PLAN_SET - 1] ? NULL : add_plan(plans, model, set, ids, 1);
}

static struct plan *search(struct plans *plans, const struct values_model *model,
			   const uint32_t *ids, size_t n)
{
	struct plan_set *set;
	uint32_t first;

	if (!know(plans, *ids))
		return NULL;
	first = plans->first[*ids];
	if (first < PLANS_COLD) {
		if (first + 1 < PLANS_COLD) {
			plans->first[*ids]++;
			return NULL;
		}
		set = add_set(plans, *ids);
		return set ? add_plan(plans, model, set, ids, 1) : NULL;
	}
	return search_set(plans, model, &plans->sets[first - PLANS_COLD], ids, n);
}

/* Plans are long enough to fetch what is likely to come next meanwhile. */
static void prefetch(const struct plans *plans, const struct plan *plan)
{
	const struct plan_line *then;

	if (!plan->then)
		return;
	then = &plans->lines[plan->then - 1];
	for (unsigned i = 1; i < PREFETCHED; i++)
		__builtin_prefetch(then + i);
	if (then->plan.then)
		__builtin_prefetch(&plans->lines[then->plan.then - 1]);
}

/* The set of the block after a plan's is needed if what is likely does not come. */
static inline void prefetch_set(const struct plans *plans, const struct plan *plan,
				const uint32_t *ids, size_t n)
{
	uint32_t first;

	if (n <= plan->blocks || ids[plan->blocks] >= plans->known)
		return;
	first = plans->first[ids[plan->blocks]];
	if (first >= PLANS_COLD)
		__builtin_prefetch(&plans->sets[first - PLANS_COLD]);
}

/* What came after the plan found last, the last time. */
static struct plan *find_then(struct plans *plans, const struct values_model *model,
			      const uint32_t *ids, size_t n)
{
	uint32_t then = plans->last ? plans->lines[plans->last - 1].plan.then : 0;
	struct plan *plan;

	if (!then)
		return NULL;
	plan = &plans->lines[then - 1].plan;
	if (!fits(plan, model, ids, n))
		return NULL;
	plans->last = then;
	prefetch(plans, plan);
	return plan;
}

struct plan *plans_find(struct plans *plans, const struct values_model *model,
			const uint32_t *ids, size_t n)
{
	struct plan *plan = find_then(plans, model, ids, n);

	if (!plan) {
		plan = search(plans, model, ids, n);
		/*
		 * Plans may have moved. One of a single block would hide its sequences.
		 */
		if (plan && plans->last && plan->blocks > 1)
			plans->lines[plans->last - 1].plan.then =
				line_of(plans, plan) + 1;
		plans->last = plan ? line_of(plans, plan) + 1 : 0;
	}
	if (plan)
		prefetch_set(plans, plan, ids, n);
	return plan;
}
