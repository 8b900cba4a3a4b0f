// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Adds up how often instructions of each kind ran.
 *
 * A block's executions are those of each of its instructions, and a part's are those of
 * the instructions in it. So histograms are enough, unless the sums are by interval. Sums
 * are kept by group and kind. One more "kind", TALLY_ALL, counts the instructions
 * themselves, because by registers one instruction counts many times.
 *
 * Example: `add a0, a1, a2` ran 5 times. By class it adds 5 to one kind. By registers it
 * adds 5 reads of a1, 5 reads of a2 and 5 writes of a0, and 5 to TALLY_ALL.
 *
 * Invariant: every group with rows has a TALLY_ALL row, so the list of groups is that of
 * these rows.
 */
#include "analysis/mix/mix.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/counts.h"
#include "analysis/inside.h"
#include "analysis/mix/intervals.h"
#include "analysis/mix/tally.h"
#include "base/error.h"
#include "trace/trace.h"

void mix_fini(struct mix *mix)
{
	free(mix->groups);
	free(mix->rows);
	*mix = MIX_INIT;
}

/* ---- from histograms ----------------------------------------------------- */

struct gather {
	const struct wm_trace *trace;
	const struct mix_ask *ask;
	struct inside inside;
	struct tally tally;
	bool by_owner;		 /* owners[] is needed */
	uint32_t *ways, *owners; /* [room] for the instructions of a block */
	uint32_t room;
	/* Of one group without owners: executions by way, added to the tally at the end. */
	struct way_sum *sums; /* [sums_room] */
	uint32_t sums_room;
};

struct way_sum {
	uint64_t count;
	uint32_t bytes;
};

static bool make_room(struct gather *gather, uint32_t insns)
{
	uint32_t room = insns * 2;
	uint32_t *ways, *owners;

	if (insns <= gather->room)
		return true;
	/*
	 * When only one of the two grows, it is larger than `room`, which does no
	 * harm.
	 */
	ways = reallocarray(gather->ways, room, sizeof(*ways));
	if (ways)
		gather->ways = ways;
	owners = reallocarray(gather->owners, room, sizeof(*owners));
	if (owners)
		gather->owners = owners;
	if (!ways || !owners)
		return false;
	gather->room = room;
	return true;
}

/* Adds an instruction of `bytes` bytes that ran `count` times in a group. */
static void add_insn(struct gather *gather, uint32_t way, uint32_t bytes, uint32_t group,
		     uint64_t count)
{
	const struct kinds *kinds = gather->ask->kinds;
	struct kinds_of of = kinds_of(kinds, way);
	struct mix_row row = { .group = group, .kind = TALLY_ALL };

	/* The instruction itself, once, however many registers it uses. */
	row.sums.insns = count;
	tally_add(&gather->tally, &row);
	for (uint32_t i = 0; i < of.n; i++) {
		row.kind = of.uses[i] & ~KINDS_WRITTEN;
		row.sums = mix_sums_of(kinds, of.uses[i], bytes, count);
		tally_add(&gather->tally, &row);
	}
}

/* A way has one size, because it is of equal bytes. */
static bool add_way(struct gather *gather, uint32_t way, uint32_t bytes, uint64_t count)
{
	if (way >= gather->sums_room) {
		uint32_t room = way * 2 + 4096;
		struct way_sum *grown = reallocarray(gather->sums, room, sizeof(*grown));

		if (!grown)
			return false;
		memset(grown + gather->sums_room, 0,
		       (room - gather->sums_room) * sizeof(*grown));
		gather->sums = grown;
		gather->sums_room = room;
	}
	gather->sums[way].count += count;
	gather->sums[way].bytes = bytes;
	return true;
}

static bool add_ways(struct gather *gather, const struct wm_block *block, uint32_t begin,
		     uint32_t end, uint64_t count)
{
	for (uint32_t i = begin; i < end; i++)
		if (!add_way(gather, gather->ways[i], block->sizes[i], count))
			return false;
	return true;
}

/* Instructions begin <= index < end of block `id` ran `count` times in the space. */
static bool add_block(struct gather *gather, uint32_t space, uint32_t id, uint32_t begin,
		      uint32_t end, uint64_t count)
{
	const struct wm_block *block = &gather->trace->table.blocks[id];

	/*
	 * Ways and owners are found again for each row of counts: a block has one row in
	 * each space.
	 */
	if (!make_room(gather, block->insns) ||
	    !kinds_find_block(gather->ask->kinds, id, gather->ways) ||
	    (gather->by_owner &&
	     !inside_find(&gather->inside, block, space, id, gather->owners)))
		return false;
	if (!gather->by_owner)
		return add_ways(gather, block, begin, end, count);
	for (uint32_t i = begin; i < end; i++) {
		uint32_t owner = gather->owners[i];

		/* It is in no function that matches. */
		if (!owner)
			continue;
		add_insn(gather, gather->ways[i], block->sizes[i],
			 gather->ask->per == MIX_FUNCTION ? owner : 0, count);
	}
	return true;
}

static bool add_counts(struct gather *gather, const struct counts *counts)
{
	const struct wm_block *blocks = gather->trace->table.blocks;
	bool good = true;

	/* A whole block is a part with all of its instructions. */
	for (size_t i = 0; i < counts->n_rows && good; i++) {
		const struct counts_row *row = &counts->rows[i];

		good = add_block(gather, row->space, row->id, 0, blocks[row->id].insns,
				 row->count);
	}
	for (size_t i = 0; i < counts->n_parts && good; i++) {
		const struct counts_part *part = &counts->parts[i];

		good = add_block(gather, part->space, part->id, part->begin, part->end,
				 part->count);
	}
	for (uint32_t way = 0; way < gather->sums_room; way++)
		if (gather->sums[way].bytes || gather->sums[way].count)
			add_insn(gather, way, gather->sums[way].bytes, 0,
				 gather->sums[way].count);
	return good && !gather->tally.failed;
}

static int gather_counts(struct gather *gather, const struct selection *selection,
			 struct wm_error *err)
{
	struct counts own = COUNTS_INIT;
	const struct counts *counts = gather->ask->counts;
	int ret = 0;

	if (!counts) {
		ret = counts_gather(&own, gather->trace, selection, err);
		counts = &own;
	}
	if (!ret && !add_counts(gather, counts))
		ret = wm_fail_nomem(err, "a mix");
	counts_fini(&own);
	return ret;
}

/* ---- groups and rows, in order ------------------------------------------- */

static int compare(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

/* By name first: numbers depend on the order in which functions were looked up. */
static int compare_functions(const struct mix_ask *ask, uint32_t a, uint32_t b)
{
	const struct function *x = functions_get(ask->functions, a);
	const struct function *y = functions_get(ask->functions, b);
	int by_name = strcmp(x->name, y->name);
	int by_module = strcmp(x->module ? x->module : "", y->module ? y->module : "");

	return by_name ? by_name : by_module ? by_module : compare(x->start, y->start);
}

static int by_function(const void *a, const void *b, void *cookie)
{
	const struct mix_group *x = a, *y = b;

	/* The busiest function first. */
	return x->insns != y->insns ? compare(y->insns, x->insns) :
				      compare_functions(cookie, x->number, y->number);
}

static int by_place(const void *a, const void *b, void *cookie)
{
	const struct mix_group *x = a, *y = b;

	(void)cookie;
	return x->stream != y->stream ? compare(x->stream, y->stream) :
					compare(x->from, y->from);
}

/* The order of the result: groups, then the most frequent kinds, then names. */
static int by_row(const void *a, const void *b, void *cookie)
{
	const struct mix_ask *ask = cookie;
	const struct mix_row *x = a, *y = b;
	/* A register that is only written has no instructions, so both sums count. */
	uint64_t uses = x->sums.insns + x->sums.writes;
	uint64_t others = y->sums.insns + y->sums.writes;

	if (x->group != y->group)
		return compare(x->group, y->group);
	if (uses != others)
		return compare(others, uses);
	return strcmp(kinds_name(ask->kinds, x->kind), kinds_name(ask->kinds, y->kind));
}

/*
 * Lists the groups in order. places[] maps the number of a group in the tally to its
 * index.
 */
static void list_groups(struct mix *mix, const struct tally *tally,
			const struct mix_ask *ask, const struct intervals *intervals,
			uint32_t *places)
{
	for (size_t i = 0; i < tally->n; i++) {
		const struct mix_row *row = &tally->rows[i];
		struct mix_group group = { .number = row->group,
					   .insns = row->sums.insns };

		if (row->kind != TALLY_ALL)
			continue;
		if (ask->per == MIX_INTERVAL)
			/*
			 * The tally numbers intervals; a user wants the thread and the
			 * ordinal.
			 */
			intervals_place(intervals, row->group, &group.stream,
					&group.from);
		mix->insns += row->sums.insns;
		mix->groups[mix->n_groups++] = group;
	}
	qsort_r(mix->groups, mix->n_groups, sizeof(*mix->groups),
		ask->per == MIX_FUNCTION ? by_function : by_place, (void *)ask);
	for (size_t i = 0; i < mix->n_groups; i++)
		places[mix->groups[i].number] = (uint32_t)i;
}

static void list_rows(struct mix *mix, const struct tally *tally,
		      const struct mix_ask *ask, const uint32_t *places)
{
	for (size_t i = 0; i < tally->n; i++)
		if (tally->rows[i].kind != TALLY_ALL) {
			mix->rows[mix->n_rows] = tally->rows[i];
			mix->rows[mix->n_rows++].group = places[tally->rows[i].group];
		}
	qsort_r(mix->rows, mix->n_rows, sizeof(*mix->rows), by_row, (void *)ask);
}

static int settle(struct mix *mix, const struct tally *tally, const struct mix_ask *ask,
		  const struct intervals *intervals, struct wm_error *err)
{
	uint32_t most = 0, *places;

	for (size_t i = 0; i < tally->n; i++)
		/* Numbers of functions and intervals are dense enough for an array. */
		if (tally->rows[i].group > most)
			most = tally->rows[i].group;
	places = calloc((size_t)most + 1, sizeof(*places));
	mix->groups = calloc((size_t)most + 1, sizeof(*mix->groups));
	mix->rows = calloc(tally->n + 1, sizeof(*mix->rows));
	if (!places || !mix->groups || !mix->rows) {
		free(places);
		return wm_fail_nomem(err, "a mix");
	}
	list_groups(mix, tally, ask, intervals, places);
	list_rows(mix, tally, ask, places);
	free(places);
	return 0;
}

int mix_gather(struct mix *mix, const struct wm_trace *trace,
	       const struct selection *selection, const struct mix_ask *ask,
	       struct wm_error *err)
{
	/*
	 * For a pattern as well as for sums by function, the function of each instruction
	 * is needed.
	 */
	struct gather gather = {
		.trace = trace,
		.ask = ask,
		.inside = INSIDE_INIT(ask->functions, ask->function),
		.by_owner = ask->function || ask->per == MIX_FUNCTION,
	};
	struct intervals intervals = { .length = ask->interval };
	int ret;

	*mix = MIX_INIT;
	tally_init(&gather.tally);
	if (ask->per == MIX_INTERVAL)
		ret = intervals_gather(&intervals, trace, selection, ask, &gather.tally,
				       err);
	else
		ret = gather_counts(&gather, selection, err);
	if (!ret)
		ret = settle(mix, &gather.tally, ask, &intervals, err);
	intervals_fini(&intervals);
	tally_fini(&gather.tally);
	inside_fini(&gather.inside);
	free(gather.ways);
	free(gather.owners);
	free(gather.sums);
	if (ret)
		mix_fini(mix);
	return ret;
}
