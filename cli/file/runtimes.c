// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What an answer about a managed program can be trusted for depends on how the code ran: an
 * interpreter's every bytecode is known; of compiled code what its compiler kept. So each kind
 * of code is printed with its share of instructions. Libraries that it calls do not count: they
 * are native code, whose functions have their ordinary names.
 *
 * Counts are those of the chunks' histograms: nothing is retraced.
 *
 * Example: "interpreted 61.2 %: every bytecode" are the instructions of HotSpot's codelets.
 */
#include "cli/file/runtimes.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/executed.h"
#include "base/append.h"
#include "base/error.h"
#include "managed/methods.h"
#include "managed/strangers.h"
#include "managed/units.h"
#include "out/text.h"

enum { RUNTIMES_MOST = 64 };

static void free_runtime(struct runtime *runtime)
{
	free(runtime->name);
	free(runtime->version);
	free(runtime->mode);
}

void runtimes_fini(struct runtimes *runtimes)
{
	for (size_t i = 0; i < runtimes->n; i++)
		free_runtime(&runtimes->all[i]);
	free(runtimes->all);
	*runtimes = (struct runtimes){ .n = 0 };
}

/* ---- which ones ---------------------------------------------------------- */

/* A string of a note, malloc()ed; NULL: no memory. What is missing is empty. */
static char *get_text(struct span *span)
{
	size_t bytes;
	const uint8_t *at = note_string(span, &bytes);

	return strndup((const char *)at, bytes);
}

static bool is_known(const struct runtimes *runtimes, const struct runtime *runtime)
{
	for (size_t i = 0; i < runtimes->n; i++)
		if (!strcmp(runtimes->all[i].name, runtime->name) &&
		    !strcmp(runtimes->all[i].version, runtime->version) &&
		    !strcmp(runtimes->all[i].mode, runtime->mode))
			return true;
	return false;
}

/* A guest that starts a hundred of them tells as many times. False: no memory. */
static bool add_runtime(struct runtimes *runtimes, const struct notes_trace *notes,
			size_t index)
{
	const struct trace_note *note = &notes->notes[index];
	struct span span = span_of(note->data, note->bytes);
	struct runtime runtime = { .name = get_text(&span) };
	bool good;

	/* One after the other: the order of initializers is not defined. */
	runtime.version = get_text(&span);
	runtime.mode = get_text(&span);
	good = runtime.name && runtime.version && runtime.mode;
	if (!good || is_known(runtimes, &runtime)) {
		free_runtime(&runtime);
		return good;
	}
	runtime.strange = stranger_is(notes, index);
	if (APPEND(runtimes->all, runtimes->n, runtime))
		return true;
	free_runtime(&runtime);
	return false;
}

/* A guest may also tell of a million different ones: most are left out. */
static bool add_runtimes(struct runtimes *runtimes, const struct units *units)
{
	for (size_t i = 0; i < units->notes.n && runtimes->n < RUNTIMES_MOST; i++)
		if (units->notes.notes[i].kind == NOTE_RUNTIME &&
		    !add_runtime(runtimes, &units->notes, i))
			return false;
	return true;
}

/* ---- how much ------------------------------------------------------------ */

struct counting {
	struct runtimes *runtimes;
	const struct units *units;
	const struct wm_trace *trace;
};

/* The region of a block; REGIONS: native code. */
static enum runtime_region region_of(const struct counting *counting,
				     const struct executed *executed)
{
	uint64_t address = executed->block.address;
	const struct compiled_space *space;
	const struct made_piece *piece;

	if (units_piece(counting->units, executed->space, address))
		return REGION_INTERPRETER;
	piece = compiled_find(&counting->units->compiled, counting->trace,
			      executed->space, address, executed->id, &space);
	if (!piece || piece->tier == NOTE_NO_TIER)
		return REGIONS;
	return piece->tier == NOTE_COMPILED ? REGION_COMPILED : REGION_OPTIMISED;
}

static int count(void *cookie, const struct executed *executed)
{
	struct counting *counting = cookie;
	enum runtime_region region = region_of(counting, executed);

	if (region < REGIONS)
		counting->runtimes->insns[region] +=
			executed->count * (executed->end - executed->begin);
	return 0;
}

static int count_regions(struct runtimes *runtimes, const struct units *units,
			 const struct wm_trace *trace, struct wm_error *err)
{
	struct counting counting = { runtimes, units, trace };
	struct counts counts = COUNTS_INIT;
	struct selection all = { .to = UINT64_MAX, .threads = 1 };
	struct wm_summary summary;
	unsigned *streams;
	int ret;

	wm_trace_summary(trace, &summary);
	streams = calloc(summary.streams + 1ul, sizeof(*streams));
	if (!streams)
		return wm_fail_nomem(err, "threads");
	while (all.n < summary.streams) {
		streams[all.n] = all.n;
		all.n++;
	}
	all.streams = streams;
	ret = counts_gather(&counts, trace, &all, err);
	if (!ret)
		executed_each(&counts, trace, count, &counting);
	runtimes->total = counts.insns;
	counts_fini(&counts);
	free(streams);
	return ret;
}

/* A trace has a fact for each. Names that do not fit are left out. */
static void find_guides(struct runtimes *runtimes, const struct wm_trace *trace)
{
	const char *key, *value;

	for (unsigned i = 0; !wm_trace_meta_at(trace, i, &key, &value); i++) {
		size_t n = strlen(runtimes->guides);

		if (strcmp(key, "guide") != 0 ||
		    n + strlen(value) + 3 > sizeof(runtimes->guides))
			continue;
		sprintf(runtimes->guides + n, "%s%s", n ? ", " : "", value);
		runtimes->n_guides++;
	}
}

int runtimes_read(struct runtimes *runtimes, const struct wm_trace *trace,
		  struct wm_error *err)
{
	struct units units;
	int ret = units_read(&units, trace, err);

	*runtimes = (struct runtimes){ .awaited = methods_have_sites(trace) };
	find_guides(runtimes, trace);
	unguided_tell(trace, runtimes->unguided);
	if (!ret && !add_runtimes(runtimes, &units))
		ret = wm_fail_nomem(err, "runtimes");
	runtimes->has_bytecodes = units.n;
	runtimes->has_regions = units.n_pieces;
	if (!ret && units.n_pieces)
		ret = count_regions(runtimes, &units, trace, err);
	units_fini(&units);
	if (ret)
		runtimes_fini(runtimes);
	/* A guest may tell anything: the other facts stand. */
	return ret == WM_E_DAMAGED ? 0 : ret;
}

/* ---- printing ------------------------------------------------------------ */

static const struct region {
	const char *name, *exact;
} regions[REGIONS] = {
	[REGION_INTERPRETER] = { "interpreted", "every bytecode" },
	[REGION_COMPILED] = { "compiled",
			      "calls, and the bytecodes that the compiler kept "
			      "the places of, in order" },
	[REGION_OPTIMISED] = { "optimised",
			       "calls; methods, lines and inlined calls as the "
			       "compiler kept them" },
};

static double share_of(const struct runtimes *runtimes, unsigned region)
{
	return runtimes->total ?
		       (double)runtimes->insns[region] / (double)runtimes->total :
		       0;
}

static void print_regions(const struct runtimes *runtimes)
{
	for (unsigned i = 0; i < REGIONS; i++)
		if (runtimes->insns[i])
			printf("%-14s %.1f%% of instructions: %s\n", regions[i].name,
			       100 * share_of(runtimes, i), regions[i].exact);
}

/* Those of runtimes that tell nothing of themselves are seen by this alone. */
static void print_guides(const struct runtimes *runtimes)
{
	bool several = runtimes->n_guides > 1;

	if (!runtimes->n && runtimes->n_guides) {
		printf("%-14s %s guide%s ", "runtime",
		       runtimes->awaited ? "none began that" : "as", several ? "s" : "");
		text_line(stdout, runtimes->guides);
		printf(" follow%s", several ? "" : "s");
		puts(runtimes->awaited ? "" :
					 " it: functions and lines, but no bytecodes");
	} else if (several) {
		printf("%-14s ", "guides");
		text_line(stdout, runtimes->guides);
		putchar('\n');
	}
}

void runtimes_print_text(const struct runtimes *runtimes)
{
	for (size_t i = 0; i < runtimes->n; i++) {
		const struct runtime *runtime = &runtimes->all[i];

		printf("%-14s ", "runtime");
		text_line(stdout, runtime->name);
		putchar(' ');
		text_line(stdout, runtime->version);
		if (*runtime->mode)
			fputs(", ", stdout);
		text_line(stdout, runtime->mode);
		puts(runtime->strange ?
			     ": its guide does not know this release, so it has "
			     "no methods" :
			     "");
	}
	print_guides(runtimes);
	if (*runtimes->unguided)
		printf("%-14s %s\n", "not followed", runtimes->unguided);
	if (runtimes->has_regions)
		print_regions(runtimes);
	else if (runtimes->has_bytecodes)
		printf("%-14s %s\n", regions[REGION_INTERPRETER].name,
		       regions[REGION_INTERPRETER].exact);
}

void runtimes_print_json(const struct runtimes *runtimes, struct json *json)
{
	if (!runtimes->n && !runtimes->n_guides)
		return;
	json_string(json, "guide", runtimes->n_guides ? runtimes->guides : NULL);
	json_array(json, "runtimes");
	for (size_t i = 0; i < runtimes->n; i++) {
		json_object(json, NULL);
		json_string(json, "name", runtimes->all[i].name);
		json_string(json, "version", runtimes->all[i].version);
		json_string(json, "mode", runtimes->all[i].mode);
		json_bool(json, "known", !runtimes->all[i].strange);
		json_close(json);
	}
	json_close(json);
	json_bool(json, "bytecodes", runtimes->has_bytecodes);
	if (*runtimes->unguided)
		json_string(json, "not_followed", runtimes->unguided);
	if (!runtimes->has_regions)
		return;
	json_object(json, "regions");
	for (unsigned i = 0; i < REGIONS; i++)
		json_uint(json, regions[i].name, runtimes->insns[i]);
	json_close(json);
}
