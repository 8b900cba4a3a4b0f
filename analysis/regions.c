// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pairs markers that begin a region with those that end it.
 *
 * Each thread has a stack of open begins for each id. A stack has a bound, because a
 * program may begin regions in a loop and never end them. When a stack is full, its older
 * half is given up at once: the cost of moving the other half is spread over as many
 * begins, so a marker has a constant cost.
 *
 * Example: begin 1, begin 2, end 1, end 2. Regions of different ids may overlap; id 1
 * pairs with id 1, although region 2 is still open.
 *
 * Invariant: thread->depth is the number of open begins of all its stacks. Given-up
 * begins count as unended; those that are still open are added when sums are asked for.
 */
#include "analysis/regions.h"

#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/error.h"

enum { IDS = MARKER_ID_MAX + 1 };

struct begin {
	uint64_t insn, ns;
	uint32_t depth;
};

struct stack {
	struct begin *begins; /* [n] */
	size_t n;
};

/*
 * The stacks of a thread take memory for all ids, so a thread without regions has none.
 */
struct thread {
	struct stack *stacks; /* [IDS]; NULL until the first begin */
	uint32_t depth;
	uint64_t last_insn; /* of the marker before */
};

struct regions {
	struct thread *threads; /* [n] */
	unsigned n;
	struct region_sums sums[IDS]; /* without the begins that are open */
};

int regions_new(struct regions **out, unsigned streams, uint64_t from,
		struct wm_error *err)
{
	struct regions *regions = calloc(1, sizeof(*regions));

	if (!regions)
		return wm_fail_nomem(err, "regions");
	regions->threads = calloc(streams, sizeof(*regions->threads));
	if (streams && !regions->threads) {
		free(regions);
		return wm_fail_nomem(err, "regions");
	}
	regions->n = streams;
	/*
	 * `since_insns` of a thread's first marker counts from the selection's beginning.
	 */
	for (unsigned i = 0; i < streams; i++)
		regions->threads[i].last_insn = from;
	*out = regions;
	return WM_OK;
}

void regions_free(struct regions *regions)
{
	if (!regions)
		return;
	for (unsigned i = 0; i < regions->n; i++) {
		struct stack *stacks = regions->threads[i].stacks;

		for (unsigned id = 0; stacks && id < IDS; id++)
			free(stacks[id].begins);
		free(stacks);
	}
	free(regions->threads);
	free(regions);
}

/* ---- a marker ------------------------------------------------------------ */

/* Gives up the older half of a full stack: these begins will find no end. */
static void give_up(struct regions *regions, struct thread *thread, uint32_t id)
{
	struct stack *stack = &thread->stacks[id];
	size_t half = stack->n / 2;

	memmove(stack->begins, stack->begins + half,
		(stack->n - half) * sizeof(*stack->begins));
	stack->n -= half;
	thread->depth -= (uint32_t)half;
	regions->sums[id].unended += half;
}

static int begin(struct regions *regions, struct thread *thread, struct mark *mark,
		 struct wm_error *err)
{
	struct begin begun = { mark->insn, mark->ns, 0 };
	struct stack *stack;

	if (!thread->stacks)
		thread->stacks = calloc(IDS, sizeof(*thread->stacks));
	if (!thread->stacks)
		return wm_fail_nomem(err, "regions");
	stack = &thread->stacks[mark->id];
	if (stack->n == REGIONS_OPEN_MAX)
		give_up(regions, thread, mark->id);
	/* The number of regions around this one, itself not counted. */
	begun.depth = mark->depth = thread->depth;
	if (!APPEND(stack->begins, stack->n, begun))
		return wm_fail_nomem(err, "regions");
	thread->depth++;
	return WM_OK;
}

static void end(struct thread *thread, struct region_sums *sums, struct mark *mark)
{
	struct stack *stack = thread->stacks ? &thread->stacks[mark->id] : NULL;
	uint64_t insns;

	if (!stack || !stack->n) {
		/*
		 * An end without a begin: the region began before the selection, or not
		 * at all.
		 */
		sums->unbegun++;
		mark->depth = thread->depth;
		return;
	}
	mark->paired = true;
	/* The latest begin of this id, whatever other ids began since. */
	mark->begin = stack->begins[--stack->n].insn;
	mark->depth = --thread->depth;
	insns = mark->insn - mark->begin;
	/* The first region sets `fewest`, which is 0 until then. */
	if (!sums->regions || insns < sums->fewest)
		sums->fewest = insns;
	if (insns > sums->most)
		sums->most = insns;
	sums->insns += insns;
	sums->regions++;
}

int regions_take(struct regions *regions, unsigned stream, const struct wm_event *event,
		 struct mark *mark, struct wm_error *err)
{
	struct thread *thread = &regions->threads[stream];
	uint64_t what = event->fields[0], id = event->fields[1];

	/* A kind of marker that a newer Waymark may have is no marker here. */
	if (event->kind != WM_EVENT_MARKER || event->n_fields < 2 ||
	    what > WM_MARKER_END || id > MARKER_ID_MAX)
		return WM_END;
	*mark = (struct mark){
		.stream = stream,
		.what = (uint32_t)what,
		.id = (uint32_t)id,
		.depth = thread->depth,
		.insn = event->insn_ordinal,
		.ns = event->ns,
		.since_insns = event->insn_ordinal - thread->last_insn,
	};
	/* Points count as markers too: the next one's `since_insns` begins here. */
	thread->last_insn = event->insn_ordinal;
	if (what == WM_MARKER_BEGIN)
		return begin(regions, thread, mark, err);
	if (what == WM_MARKER_END)
		end(thread, &regions->sums[id], mark);
	else
		regions->sums[id].points++;
	return WM_OK;
}

/* ---- what is known of all ------------------------------------------------ */

static size_t count_open(const struct thread *thread, uint32_t id)
{
	return thread->stacks ? thread->stacks[id].n : 0;
}

void regions_sums(const struct regions *regions, uint32_t id, struct region_sums *sums)
{
	/* A begin that is still open may yet find its end, so it is counted only here. */
	*sums = regions->sums[id];
	for (unsigned i = 0; i < regions->n; i++)
		sums->unended += count_open(&regions->threads[i], id);
}

static int by_place(const void *left, const void *right)
{
	const struct mark *a = left, *b = right;

	if (a->stream != b->stream)
		return a->stream < b->stream ? -1 : 1;
	return a->insn < b->insn ? -1 : a->insn > b->insn;
}

static bool add_open(struct mark **open, size_t *n, const struct regions *regions,
		     unsigned stream, uint32_t id)
{
	const struct thread *thread = &regions->threads[stream];

	for (size_t i = 0; i < count_open(thread, id); i++) {
		const struct begin *begun = &thread->stacks[id].begins[i];
		struct mark mark = {
			.stream = stream,
			.what = WM_MARKER_BEGIN,
			.id = id,
			.depth = begun->depth,
			.insn = begun->insn,
			.ns = begun->ns,
		};

		if (!APPEND(*open, *n, mark))
			return false;
	}
	return true;
}

int regions_open(const struct regions *regions, struct mark **open, size_t *n,
		 struct wm_error *err)
{
	*open = NULL;
	/* By thread, then by id; sorted by ordinal afterwards. */
	*n = 0;
	for (unsigned i = 0; i < regions->n; i++)
		for (uint32_t id = 0; id < IDS; id++)
			if (!add_open(open, n, regions, i, id)) {
				free(*open);
				return wm_fail_nomem(err, "regions");
			}
	if (*n)
		qsort(*open, *n, sizeof(**open), by_place);
	return WM_OK;
}
