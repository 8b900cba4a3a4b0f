// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes the page: text that is the same for every trace, with the data as JSON in its
 * middle. All of the data is made before anything is written, so a failure leaves no half
 * page.
 *
 * Names come from anywhere, and no byte of the data may end the HTML element that it is
 * in. In JSON a "<" can only be part of a string, where the escape \u003c means the same.
 * So each one is replaced. Example: a function named "</script>" becomes
 * "\u003c/script>".
 *
 * Invariant: every section writes exactly one value under each of its keys, or an object
 * with "absent" and the reason; "methods" and what belongs to it is left out of a program
 * without, "memory" of a trace without accesses, "machine" of one whose threads stay on their
 * harts, "boot" of one without a named kernel.
 */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "report/page.h"
#include "report/section.h"

/* All sections that need the order of blocks get it from one walk. */
static int walk(struct report *report, struct wm_error *err)
{
	const struct report_ask *ask = report->ask;
	struct selection selection = *ask->selection;
	struct edges_walk edges;
	int ret = report_timeline_begin(report, err);

	edges_begin(&edges, &report->edges, ask->trace);
	joint_add(&report->walk, &edges_analysis, &edges, ask->selection->streams,
		  ask->selection->n);
	if (!ret)
		ret = report_phases_begin(report, err);
	if (!ret)
		ret = report_calls_begin(report, err);
	if (!ret)
		ret = report_events_begin(report, err);
	report_stage(report, &selection, WEIGHT_WALK);
	if (!ret)
		ret = joint_run(&report->walk, ask->trace, &selection, err);
	return ret ? ret : edges_finish(&edges, err);
}

/*
 * In the order of writing; report_functions() comes before the sections that use its
 * totals, and before the walk.
 */
static report_section *const sections[] = {
	report_summary, report_functions, walk,		  report_source,
	report_tables,	report_methods,	  report_events,  report_timeline,
	report_memory,	report_blocks,	  report_mix,	  report_phases,
	report_calls,	report_cover,	  report_machine, report_boot,
};

enum { SECTIONS = sizeof(sections) / sizeof(*sections) };

bool report_is_built(void)
{
	return page_head_bytes > 0;
}

/* Example: weights 2, 60 and 15; half of the second stage is 32/77 of the whole. */
static void show_stage(void *cookie, uint64_t done, uint64_t of)
{
	const struct report_stages *stages = cookie;
	double part = of ? (double)done / (double)of : 1;
	double share = (stages->done + stages->weight * part) / stages->all;

	stages->shown->progress(stages->shown->cookie,
				(uint64_t)(share * (double)stages->insns), stages->insns);
}

void report_stage(struct report *report, struct selection *selection,
		  enum report_weight weight)
{
	struct report_stages *stages = &report->stages;

	stages->done += stages->weight;
	stages->weight = weight;
	if (!stages->shown->progress)
		return;
	selection->progress = show_stage;
	selection->cookie = stages;
}

/* Sections that need no walk are a stage, too: those of a big program take seconds. */
static void end_section(struct report_stages *stages)
{
	stages->done += stages->weight + WEIGHT_SECTION;
	stages->weight = 0;
	if (stages->shown->progress)
		show_stage(stages, 1, 1);
}

void report_absent(struct report *report, const char *key, const struct wm_error *why)
{
	json_object(&report->json, key);
	json_string(&report->json, "absent", why->text);
	json_close(&report->json);
}

/*
 * Interning makes this cheap to repeat: sections need not remember which names they used.
 */
uint32_t report_function(struct report *report, uint32_t function)
{
	const struct function *found = functions_get(report->ask->functions, function);

	return labels_add(&report->names, found->name, found->module);
}

/* A selection may end beyond a short thread, or begin there: then the range is empty. */
void report_range(const struct report *report, const struct wm_stream *stream,
		  uint64_t *from, uint64_t *to)
{
	const struct selection *selection = report->ask->selection;

	*to = selection->to < stream->insns ? selection->to : stream->insns;
	*from = selection->from < *to ? selection->from : *to;
}

/*
 * The alphabet of base 64: the page finds the level of a digit by its index in the same
 * string. ceil() gives every share above 0 at least level 1.
 */
char report_shade(double share)
{
	static const char shades[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const int most = sizeof(shades) - 2;
	int level = (int)ceil(share * most);

	return shades[level < 0 ? 0 : level > most ? most : level];
}

unsigned report_busiest(const struct report *report, uint64_t *insns)
{
	const struct selection *selection = report->ask->selection;
	unsigned chosen = selection->n ? selection->streams[0] : 0;
	struct wm_stream stream;
	uint64_t from, to;

	*insns = 0;
	for (unsigned i = 0; i < selection->n; i++) {
		if (wm_trace_stream(report->ask->trace, selection->streams[i], &stream))
			continue;
		report_range(report, &stream, &from, &to);
		if (to - from > *insns) {
			chosen = selection->streams[i];
			*insns = to - from;
		}
	}
	return chosen;
}

/*
 * Names come last, because every section adds some. The JSON goes to memory, so an error
 * of the stream can only be missing memory.
 */
static int put_sections(struct report *report, struct wm_error *err)
{
	int ret = 0;

	json_object(&report->json, NULL);
	for (unsigned i = 0; !ret && i < SECTIONS; i++)
		if (!(ret = sections[i](report, err)))
			end_section(&report->stages);
	if (ret)
		return ret;
	/* Last, because every section adds names. */
	labels_put(&report->names, &report->json);
	json_close(&report->json);
	return ferror(report->json.out) ? wm_fail_nomem(err, "a report") : 0;
}

static void begin_stages(struct report *report, const struct selection *shown)
{
	const struct wm_trace *trace = report->ask->trace;
	struct wm_stream stream;
	uint64_t from, to;

	report->stages = (struct report_stages){
		.shown = shown,
		.all = WEIGHT_COUNTS + WEIGHT_WALK + SECTIONS * WEIGHT_SECTION +
		       (report_has_memory(trace) ? WEIGHT_MEMORY : 0),
	};
	for (unsigned i = 0; i < shown->n; i++)
		if (!wm_trace_stream(trace, shown->streams[i], &stream)) {
			report_range(report, &stream, &from, &to);
			report->stages.insns += to - from;
		}
}

/* Blocks and instructions are counted once, for all sections that need no order of execution. */
static int put_data(const struct report_ask *whole, FILE *data, struct wm_error *err)
{
	struct counts counts = COUNTS_INIT;
	struct insn_counts insns = INSN_COUNTS_INIT;
	struct selection quiet = *whole->selection, shown = quiet;
	struct report_ask ask = *whole;
	struct report report = {
		.ask = &ask,
		.counts = &counts,
		.insns = &insns,
		.names = LABELS_INIT,
	};
	int ret;

	quiet.progress = NULL;
	ask.selection = &quiet;
	begin_stages(&report, whole->selection);
	report_stage(&report, &shown, WEIGHT_COUNTS);
	ret = counts_gather(&counts, ask.trace, &shown, err);
	if (!ret)
		ret = insn_counts_gather(&insns, ask.trace, ask.symbols, &counts, err);
	json_init(&report.json, data, false);
	if (!ret)
		ret = put_sections(&report, err);
	report_timeline_end(&report);
	report_phases_end(&report);
	report_calls_end(&report);
	report_events_end(&report);
	edges_fini(&report.edges);
	labels_fini(&report.names);
	free(report.hottest);
	free(report.inlined);
	insn_counts_fini(&insns);
	counts_fini(&counts);
	return ret;
}

/* The escape is valid in strings only, and "<" is in nothing else of JSON. */
static void write_escaped(FILE *out, const char *data, size_t bytes)
{
	const char *end = data + bytes, *less;

	while ((less = memchr(data, '<', (size_t)(end - data)))) {
		fwrite(data, 1, (size_t)(less - data), out);
		fputs("\\u003c", out);
		data = less + 1;
	}
	fwrite(data, 1, (size_t)(end - data), out);
}

/*
 * The caller may pass no `err`, but sections need one: its text says why a section is
 * absent.
 */
int report_write(const struct report_ask *ask, FILE *out, struct wm_error *err)
{
	struct wm_error unheard; /* receives the reasons why sections are absent */
	char *text = NULL;
	size_t bytes = 0;
	FILE *data = open_memstream(&text, &bytes);
	int ret;

	if (!data)
		return wm_fail_nomem(err, "a report");
	err = err ? err : &unheard;
	ret = put_data(ask, data, err);
	if (fclose(data) && !ret)
		ret = wm_fail_nomem(err, "a report");
	if (!ret) {
		fwrite(page_head, 1, page_head_bytes, out);
		write_escaped(out, text, bytes);
		fwrite(page_tail, 1, page_tail_bytes, out);
	}
	free(text);
	return ret;
}
