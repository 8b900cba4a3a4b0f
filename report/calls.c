// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "flame" and "calls": the calling contexts for a flame graph, and who called whom.
 *
 * Contexts that are too narrow to be seen are folded into their callers. Functions that
 * are neither busy nor on the stack during much of the run are left out, with their arcs.
 *
 * Example with FRAME_PARTS = 10,000: of 50,000,000 instructions a context needs 5,001,
 * with those of the contexts it called. A context with fewer is hidden; its instructions
 * are in the "folded" number of its caller.
 *
 * Invariant: a caller has at least the instructions of each context that it called, so
 * the parent of a shown context is shown.
 */
#include "analysis/calls/calls.h"
#include "analysis/methods/bytecodes.h"

#include <stdlib.h>

#include "base/error.h"
#include "report/section.h"

enum {
	CONTEXTS_MAX = 1 << 20, /* contexts that are gathered */
	FRAMES_MAX = 6000,	/* contexts that are shown, at most */
	FRAME_PARTS = 10000,	/* and only those above 1/10,000 of all */
	FUNCTIONS_MAX = 250,
	ARCS_MAX = 3000,
};

/* The number of an entity's name, or 0: no memory. */
static uint32_t name_of(struct report *report, const struct calls *calls, uint32_t entity)
{
	const struct entity *found = sites_entity(calls->sites, entity);
	const struct function *function =
		functions_get(report->ask->functions, found->function);
	char *name = sites_name(calls->sites, entity);
	/* The root is no function, and has no entity. */
	uint32_t number = name ? labels_add(&report->names, name, function->module) : 0;

	free(name);
	return number;
}

/* ---- the flame graph ----------------------------------------------------- */

struct flame {
	uint32_t context;
	uint64_t insns; /* its own and those of contexts it called */
};

/* Descending, and ties by context, so that the page depends on nothing but the trace. */
static int by_insns(const void *a, const void *b)
{
	const struct flame *x = a, *y = b;

	if (x->insns != y->insns)
		return x->insns > y->insns ? -1 : 1;
	return x->context < y->context ? -1 : x->context > y->context;
}

/*
 * Sums up what ran in each context and in all contexts it called; [n] by context. NULL:
 * no memory.
 */
static struct flame *sum_up(const struct contexts *contexts)
{
	struct flame *frames = calloc(contexts->n + 1, sizeof(*frames));

	for (uint32_t i = 0; frames && i < contexts->n; i++)
		frames[i] = (struct flame){ i, i ? contexts->all[i].self_insns : 0 };
	/* A parent's index is below its own. */
	for (uint32_t i = contexts->n; frames && i-- > 1;)
		frames[contexts->all[i].parent].insns += frames[i].insns;
	return frames;
}

/*
 * The instructions that a context needs to be shown; 0: no memory. More than FRAMES_MAX
 * contexts may have a part of FRAME_PARTS; then the limit rises above what the first
 * excess one has: sorted in descending order, that is order[FRAMES_MAX]. Contexts that
 * are equal to it are hidden, too, so fewer than FRAMES_MAX may remain.
 */
static uint64_t least_shown(const struct contexts *contexts, const struct flame *frames,
			    uint64_t all)
{
	uint64_t least = all / FRAME_PARTS + 1;
	struct flame *order = calloc(contexts->n + 1, sizeof(*order));

	if (!order)
		return 0;
	for (uint32_t i = 1; i < contexts->n; i++)
		order[i - 1] = frames[i];
	/* Raises the limit until at most FRAMES_MAX contexts reach it. */
	if (contexts->n > FRAMES_MAX) {
		/* Only when there are too many, because sorting costs most. */
		qsort(order, contexts->n - 1, sizeof(*order), by_insns);
		if (order[FRAMES_MAX].insns >= least)
			least = order[FRAMES_MAX].insns + 1;
	}
	free(order);
	return least;
}

/*
 * "frames": an array of [parent's place in the list, name, calls, own instructions,
 * instructions of hidden contexts that it called]. A parent has a lower index than its
 * children, so its place is known when they are written. `folded` takes the sum of a
 * hidden subtree once, at the hidden context whose parent is shown.
 */
static bool put_frames(struct report *report, const struct calls *calls,
		       const struct flame *frames, uint64_t least, uint32_t *hidden)
{
	const struct contexts *contexts = &calls->contexts;
	uint32_t *places = calloc(contexts->n + 1, sizeof(*places));
	uint64_t *folded = calloc(contexts->n + 1, sizeof(*folded));
	struct json *json = &report->json;
	uint32_t n = 0, name = 1;
	bool ok = places && folded;

	/* Index 1 is the root, which is always shown. */
	for (uint32_t i = 2; ok && i < contexts->n; i++)
		if (frames[i].insns < least &&
		    frames[contexts->all[i].parent].insns >= least)
			folded[contexts->all[i].parent] += frames[i].insns;
	json_array(json, "frames");
	for (uint32_t i = 1; ok && i < contexts->n; i++) {
		const struct context *context = &contexts->all[i];

		/* The root is shown even when nothing ran. */
		if (i > 1 && frames[i].insns < least) {
			++*hidden;
			continue;
		}
		places[i] = n++;
		name = i > 1 ? name_of(report, calls, context->entity) : 0;
		ok = name || i == 1;
		json_array(json, NULL);
		/* The root's parent is index 0, whose place is 0: the root itself. */
		json_uint(json, NULL, places[context->parent]);
		json_uint(json, NULL, name);
		json_uint(json, NULL, context->calls);
		json_uint(json, NULL, context->self_insns);
		json_uint(json, NULL, folded[i]);
		json_close(json);
	}
	json_close(json);
	free(places);
	free(folded);
	return ok;
}

/*
 * "flame": "frames", the limit "least", how many contexts are "hidden", and "deepest",
 * the level below which calls were counted for their caller while contexts were gathered.
 */
static bool put_flame(struct report *report, const struct calls *calls)
{
	struct flame *frames = sum_up(&calls->contexts);
	uint64_t least = frames ? least_shown(&calls->contexts, frames, calls->insns) : 0;
	uint32_t hidden = 0;
	bool ok = least > 0;

	json_object(&report->json, "flame");
	if (ok)
		ok = put_frames(report, calls, frames, least, &hidden);
	json_uint(&report->json, "least", least);
	json_uint(&report->json, "hidden", hidden);
	/* null: no level was folded while contexts were gathered. */
	if (calls->contexts.limit == UINT32_MAX)
		json_null(&report->json, "deepest");
	else
		json_uint(&report->json, "deepest", calls->contexts.limit);
	json_close(&report->json);
	free(frames);
	return ok;
}

/* ---- who calls whom ------------------------------------------------------ */

/*
 * Functions and arcs are ordered by instructions; the other keys only make the order
 * total.
 */
static int by_total(const void *a, const void *b)
{
	const struct calls_function *const *x = a, *const *y = b;

	if ((*x)->total_insns != (*y)->total_insns)
		return (*x)->total_insns > (*y)->total_insns ? -1 : 1;
	if ((*x)->self_insns != (*y)->self_insns)
		return (*x)->self_insns > (*y)->self_insns ? -1 : 1;
	return (*x)->entity < (*y)->entity ? -1 : (*x)->entity > (*y)->entity;
}

/* The order of numbers is that of columns[] in the page. */
static bool put_function(struct report *report, const struct calls *calls,
			 const struct calls_function *function)
{
	struct json *json = &report->json;
	uint32_t name = name_of(report, calls, function->entity);

	json_array(json, NULL);
	json_uint(json, NULL, name);
	json_uint(json, NULL, function->self_insns);
	json_uint(json, NULL, function->total_insns);
	json_uint(json, NULL, function->calls);
	json_uint(json, NULL, function->least);
	json_uint(json, NULL, function->most);
	json_close(json);
	return name > 0;
}

static int by_arc(const void *a, const void *b)
{
	const struct arc *const *x = a, *const *y = b;

	if ((*x)->total != (*y)->total)
		return (*x)->total > (*y)->total ? -1 : 1;
	if ((*x)->calls != (*y)->calls)
		return (*x)->calls > (*y)->calls ? -1 : 1;
	if ((*x)->caller != (*y)->caller)
		return (*x)->caller < (*y)->caller ? -1 : 1;
	return (*x)->callee < (*y)->callee ? -1 : (*x)->callee > (*y)->callee;
}

/*
 * "arcs" between functions that are shown: [caller's place (-1: nothing called it),
 * callee's place, calls, instructions]. places[] is by entity and counts from 1, so that
 * 0 is "not shown"; the page counts from 0.
 */
static bool put_arcs(struct json *json, const struct arcs *arcs, const uint32_t *places)
{
	const struct arc **order = calloc(arcs->n + 1, sizeof(*order));
	uint32_t n = 0;

	if (!order)
		return false;
	for (uint32_t i = 1; i < arcs->n; i++) {
		const struct arc *arc = &arcs->all[i];

		/*
		 * Arcs of functions that are not shown have no ends on the page. An
		 * inlined function has instructions and no call; one that was only
		 * jumped into has neither.
		 */
		if ((arc->calls || arc->total) && places[arc->callee] &&
		    (!arc->caller || places[arc->caller]))
			order[n++] = arc;
	}
	if (n)
		qsort(order, n, sizeof(*order), by_arc);
	json_uint(json, "arcs_in_all", n);
	json_array(json, "arcs");
	for (uint32_t i = 0; i < n && i < ARCS_MAX; i++) {
		json_array(json, NULL);
		/*
		 * Places count from 1 here, so that 0 is "not shown"; the page counts
		 * from 0.
		 */
		json_int(json, NULL,
			 order[i]->caller ? (int64_t)places[order[i]->caller] - 1 : -1);
		json_uint(json, NULL, places[order[i]->callee] - 1);
		json_uint(json, NULL, order[i]->calls);
		json_uint(json, NULL, order[i]->total);
		json_close(json);
	}
	json_close(json);
	free(order);
	return true;
}

/* The busiest, and methods that have a page. */
static bool is_shown(const struct report *report, const struct calls *calls, uint32_t i,
		     const struct calls_function *function)
{
	uint32_t number = sites_entity(calls->sites, function->entity)->function;
	bool shown = i < FUNCTIONS_MAX;

	for (unsigned k = 0; !shown && k < report->n_paged; k++)
		shown = report->paged[k] == number;
	return shown;
}

/* "calls": the functions come first, because arcs refer to their places. */
static bool put_graph(struct report *report, const struct calls *calls)
{
	const struct calls_function **order =
		calloc(calls->n_functions + 1, sizeof(*order));
	uint32_t *places = calloc(sites_entities(calls->sites) + 1, sizeof(*places));
	struct json *json = &report->json;
	uint32_t shown = 0;
	bool ok = order && places;

	json_object(json, "calls");
	json_uint(json, "in_all", calls->n_functions);
	json_array(json, "functions");
	for (uint32_t i = 0; ok && i < calls->n_functions; i++)
		order[i] = &calls->functions[i];
	if (ok && calls->n_functions)
		qsort(order, calls->n_functions, sizeof(*order), by_total);
	for (uint32_t i = 0; ok && i < calls->n_functions; i++) {
		if (!is_shown(report, calls, i, order[i]))
			continue;
		/* Only functions that are listed get a place. */
		places[order[i]->entity] = ++shown;
		ok = put_function(report, calls, order[i]);
	}
	json_close(json);
	ok = ok && put_arcs(json, &calls->arcs, places);
	json_close(json);
	free(order);
	free(places);
	return ok;
}

/* From before the walk until the calls are written. */
struct report_calls {
	struct bytecodes bytecodes; /* its walk also finds the frames of methods */
	struct tallies tallies;
	struct calls_walk *walk; /* NULL: there are no calls, because of `why` */
	unsigned number;	 /* in the walk */
	struct wm_error why;
};

static int gather(struct report_calls *mine, const struct report_ask *ask,
		  struct wm_error *err)
{
	const struct selection *selection = ask->selection;

	if (selection->from || selection->to != UINT64_MAX || selection->excerpts)
		return bytecodes_gather(&mine->bytecodes, ask->trace, ask->functions,
					selection, false, err);
	return bytecodes_and_tallies(&mine->bytecodes, &mine->tallies, ask->trace,
				     ask->functions, selection, err);
}

/* Methods are followed once, for the calls, the coverage and, in whole runs, their tables. */
static int begin_calls(struct report_calls *mine, const struct report_ask *ask,
		       struct wm_error *err)
{
	int ret = gather(mine, ask, err);

	if (ret)
		return ret;
	if (mine->bytecodes.sites)
		return calls_begin_at(&mine->walk, sites_share(mine->bytecodes.sites),
				      ask->trace, CONTEXTS_MAX, err);
	return calls_begin(&mine->walk, ask->trace, ask->functions, ask->selection,
			   CONTEXTS_MAX, err);
}

int report_calls_begin(struct report *report, struct wm_error *err)
{
	const struct report_ask *ask = report->ask;
	struct report_calls *mine = calloc(1, sizeof(*mine));
	int ret;

	report->calls = mine;
	if (!mine)
		return wm_fail_nomem(err, "calls");
	ret = begin_calls(mine, ask, err);
	/* It is not known which instructions call. */
	if (ret == WM_E_RANGE) {
		mine->why = *err;
		return 0;
	}
	report->bytecodes = &mine->bytecodes;
	report->tallies = mine->tallies.index ? &mine->tallies : NULL;
	mine->number = report->walk.n;
	if (!ret)
		joint_add(&report->walk, calls_walk_analysis(mine->walk), mine->walk,
			  ask->selection->streams, ask->selection->n);
	return ret;
}

void report_calls_end(struct report *report)
{
	report->bytecodes = NULL;
	report->tallies = NULL;
	if (report->calls) {
		calls_drop(report->calls->walk);
		tallies_fini(&report->calls->tallies);
		bytecodes_fini(&report->calls->bytecodes);
	}
	free(report->calls);
	report->calls = NULL;
}

int report_calls(struct report *report, struct wm_error *err)
{
	struct report_calls *mine = report->calls;
	struct calls_walk *walk = mine->walk;
	struct calls calls;
	int ret;

	/* Calls are nested too deep. */
	if (walk && report->walk.all[mine->number].failed.code)
		mine->why = report->walk.all[mine->number].failed;
	if (mine->why.code) {
		report_absent(report, "flame", &mine->why);
		report_absent(report, "calls", &mine->why);
		return 0;
	}
	mine->walk = NULL; /* calls_finish() frees it */
	ret = calls_finish(walk, &calls, err);
	if (ret)
		return ret;
	if (!put_flame(report, &calls) || !put_graph(report, &calls))
		ret = wm_fail_nomem(err, "calls");
	calls_fini(&calls);
	return ret;
}
