// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * "machine": what the harts of a whole machine ran when, by program. Time is cut into bins of
 * equal length, in which each program has the share that it ran of the hart's time, and the
 * hart a number of switches. A trace whose threads stay on their hart has no such section.
 *
 * The schedule is read twice: first for the time of each space, which says which programs
 * have a series of their own, then for the bins. A thread may be in several spaces, one
 * after the other, as its chunks say.
 *
 * Example: hart 0 runs swapper/0 for 6 ms, and sh for 2 ms of a bin of 10 ms, and its next turn
 * is in the next bin: shares .6 of "idle", .4 of "sh", and 1 switch.
 */
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/bisect.h"
#include "base/error.h"
#include "report/section.h"

enum {
	BINS = 480,
	NAMED = 8,   /* programs with a series of their own; then one of all others */
	HARTS = 64,  /* shown */
	IDLE = 0,    /* of groups */
	THREADS = 1, /* of the kernel: what is in no process */
};

/* Where a stream is from a block on. */
struct place {
	uint32_t stream, space;
	uint64_t block;
};

/* Spaces with one program. */
struct group {
	const char *name;
	uint64_t ns;
	uint32_t series;
};

struct hart {
	bool runs;
	struct wm_turn turn; /* its last one */
	uint64_t switches;
	uint64_t bins[BINS][NAMED + 1]; /* nanoseconds */
	uint32_t turns[BINS];
};

struct machine {
	const struct wm_trace *trace;
	struct place *places;
	size_t n_places;
	struct group *groups;
	uint32_t n_groups;
	uint32_t *group_of; /* [spaces] */
	struct hart *harts; /* [HARTS] */
	uint64_t begin_ns, end_ns;
	bool binning; /* the second time */
};

static void machine_fini(struct machine *machine)
{
	free(machine->places);
	free(machine->groups);
	free(machine->group_of);
	free(machine->harts);
}

/* ---- whose time it is --------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->stream != y->stream)
		return x->stream < y->stream ? -1 : 1;
	return x->block < y->block ? -1 : x->block > y->block;
}

/* Only where a stream turns to another space. */
static bool find_places(struct machine *machine)
{
	struct wm_chunk chunk;

	for (uint64_t i = 0; !wm_trace_chunk(machine->trace, i, &chunk); i++) {
		struct place place = { chunk.stream, chunk.space, chunk.first_block };

		if (!APPEND(machine->places, machine->n_places, place))
			return false;
		if (chunk.end_ns > machine->end_ns)
			machine->end_ns = chunk.end_ns;
	}
	if (machine->n_places)
		qsort(machine->places, machine->n_places, sizeof(*machine->places),
		      by_place);
	return true;
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static uint32_t find_group(struct machine *machine, const char *name)
{
	struct group group = { .name = name };
	uint32_t i = 0;

	while (i < machine->n_groups && strcmp(machine->groups[i].name, name) != 0)
		i++;
	if (i == machine->n_groups && !APPEND(machine->groups, machine->n_groups, group))
		return UINT32_MAX;
	return i;
}

static bool find_groups(struct machine *machine)
{
	struct wm_summary summary;
	struct wm_space space;

	wm_trace_summary(machine->trace, &summary);
	machine->group_of = calloc(summary.spaces + 1ul, sizeof(*machine->group_of));
	if (!machine->group_of || find_group(machine, "idle") != IDLE ||
	    find_group(machine, "no process") != THREADS)
		return false;
	for (unsigned i = 0; i < summary.spaces; i++) {
		uint32_t *group = &machine->group_of[i];

		*group = THREADS;
		if (!wm_trace_space(machine->trace, i, &space) &&
		    space.over != UINT32_MAX)
			*group = find_group(machine, last_part(space.name));
		if (*group == UINT32_MAX)
			return false;
	}
	return true;
}

/* The idle threads of Linux are its swappers, without a number. */
static bool is_idle(const struct wm_stream *stream)
{
	return !stream->tid && !strncmp(stream->name, "swapper/", 8);
}

static struct group *group_at(const struct machine *machine, const struct wm_turn *turn)
{
	struct place at = { turn->stream, 0, turn->block_ordinal };
	size_t i = BISECT(machine->n_places, k, by_place(&machine->places[k], &at) <= 0);
	struct wm_stream stream;
	uint32_t group = THREADS;

	if (i && machine->places[i - 1].stream == turn->stream)
		group = machine->group_of[machine->places[i - 1].space];
	if (group == THREADS && !wm_trace_stream(machine->trace, turn->stream, &stream) &&
	    is_idle(&stream))
		group = IDLE;
	return &machine->groups[group];
}

/* ---- time ---------------------------------------------------------------------------- */

static uint64_t bin_ns(const struct machine *machine)
{
	return (machine->end_ns - machine->begin_ns) / BINS + 1;
}

static void add_to_bins(const struct machine *machine, struct hart *hart, uint32_t series,
			uint64_t from, uint64_t to)
{
	uint64_t length = bin_ns(machine);

	for (uint64_t bin = from / length; bin < BINS && from < to; bin++) {
		uint64_t end = (bin + 1) * length < to ? (bin + 1) * length : to;

		hart->bins[bin][series] += end - from;
		from = end;
	}
}

/* The hart's last turn ends. */
static void end_turn(const struct machine *machine, struct hart *hart, uint64_t ns)
{
	struct group *group;

	if (!hart->runs || ns <= hart->turn.ns)
		return;
	group = group_at(machine, &hart->turn);
	if (machine->binning)
		add_to_bins(machine, hart, group->series,
			    hart->turn.ns - machine->begin_ns, ns - machine->begin_ns);
	else
		group->ns += ns - hart->turn.ns;
}

static void begin_turn(struct machine *machine, struct hart *hart,
		       const struct wm_turn *turn)
{
	uint64_t bin;

	end_turn(machine, hart, turn->ns);
	if (!machine->begin_ns || turn->ns < machine->begin_ns)
		machine->begin_ns = turn->ns;
	bin = (turn->ns - machine->begin_ns) / bin_ns(machine);
	if (machine->binning && hart->runs && bin < BINS) {
		hart->switches++;
		hart->turns[bin]++;
	}
	hart->turn = *turn;
	hart->runs = true;
}

static int read_schedule(struct machine *machine, struct wm_error *err)
{
	struct wm_schedule *schedule;
	struct wm_turn turn;
	int ret = wm_schedule_new(&schedule, machine->trace, err);

	if (ret)
		return ret;
	for (unsigned i = 0; i < HARTS; i++)
		machine->harts[i].runs = false;
	while (!(ret = wm_schedule_next(schedule, &turn, err)))
		if (turn.hart < HARTS)
			begin_turn(machine, &machine->harts[turn.hart], &turn);
	for (unsigned i = 0; i < HARTS; i++)
		end_turn(machine, &machine->harts[i], machine->end_ns);
	wm_schedule_free(schedule);
	return ret == WM_END ? 0 : ret;
}

static int longer_first(const void *a, const void *b, void *cookie)
{
	const struct group *groups = cookie;
	uint64_t x = groups[*(const uint32_t *)a].ns, y = groups[*(const uint32_t *)b].ns;

	return x > y ? -1 : x < y;
}

/* order[0] is the group with the most time, and gets series 0. False: no memory. */
static bool choose_series(struct machine *machine, uint32_t **order)
{
	*order = calloc(machine->n_groups, sizeof(**order));
	if (!*order)
		return false;
	for (uint32_t i = 0; i < machine->n_groups; i++)
		(*order)[i] = i;
	qsort_r(*order, machine->n_groups, sizeof(**order), longer_first,
		machine->groups);
	for (uint32_t i = 0; i < machine->n_groups; i++)
		machine->groups[(*order)[i]].series = i < NAMED ? i : NAMED;
	machine->binning = true;
	return true;
}

/* ---- writing -------------------------------------------------------------------------- */

static void put_series(const struct machine *machine, const uint32_t *order,
		       struct json *json)
{
	uint64_t others = 0;
	char room[200];

	json_array(json, "series");
	for (uint32_t i = 0; i < machine->n_groups; i++) {
		const struct group *group = &machine->groups[order[i]];

		others += i < NAMED ? 0 : group->ns;
		if (i >= NAMED || !group->ns)
			continue;
		json_array(json, NULL);
		json_string(json, NULL, label_cut(room, group->name, 190));
		json_uint(json, NULL, group->ns);
		json_close(json);
	}
	json_close(json);
	json_uint(json, "others_ns", others);
}

/* A string of shades for each series, and one for the switches, of which `most` is the darkest. */
static void put_hart(const struct hart *hart, uint64_t length, uint32_t most,
		     struct json *json)
{
	char text[BINS + 1] = "";

	json_object(json, NULL);
	json_uint(json, "switches", hart->switches);
	json_array(json, "shares");
	for (unsigned series = 0; series <= NAMED; series++) {
		for (unsigned bin = 0; bin < BINS; bin++)
			text[bin] = report_shade((double)hart->bins[bin][series] /
						 (double)length);
		json_string(json, NULL, text);
	}
	json_close(json);
	for (unsigned bin = 0; bin < BINS; bin++)
		text[bin] = report_shade((double)hart->turns[bin] / most);
	json_string(json, "rate", text);
	json_close(json);
}

static void put(const struct machine *machine, const uint32_t *order, struct json *json)
{
	uint32_t most = 1, harts = 0;

	for (unsigned i = 0; i < HARTS; i++) {
		if (machine->harts[i].runs)
			harts = i + 1;
		for (unsigned bin = 0; bin < BINS; bin++)
			if (machine->harts[i].turns[bin] > most)
				most = machine->harts[i].turns[bin];
	}
	json_object(json, "machine");
	json_uint(json, "ns", machine->end_ns - machine->begin_ns);
	json_uint(json, "bin_ns", bin_ns(machine));
	json_uint(json, "most_switches", most);
	put_series(machine, order, json);
	json_array(json, "harts");
	for (unsigned i = 0; i < harts; i++)
		put_hart(&machine->harts[i], bin_ns(machine), most, json);
	json_close(json);
	json_close(json);
}

int report_machine(struct report *report, struct wm_error *err)
{
	struct machine machine = { .trace = report->ask->trace };
	uint32_t *order = NULL;
	int ret;

	machine.harts = calloc(HARTS, sizeof(*machine.harts));
	ret = machine.harts && find_places(&machine) && find_groups(&machine) ?
		      read_schedule(&machine, err) :
		      wm_fail_nomem(err, "a schedule");
	/* No turns: there is nothing to show. */
	if (!ret && machine.begin_ns) {
		ret = choose_series(&machine, &order) ? read_schedule(&machine, err) :
							wm_fail_nomem(err, "a schedule");
		if (!ret)
			put(&machine, order, &report->json);
	}
	free(order);
	machine_fini(&machine);
	return ret;
}
