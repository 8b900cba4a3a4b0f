// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a trace: all that is computed from one, with bounded work. Which part of it,
 * and how, is drawn from the input too, by a hash of it.
 */
#include <xxhash.h>

#include "analysis/calls/calls.h"
#include "analysis/calls/calltrace.h"
#include "analysis/cfg/trips.h"
#include "analysis/cover/cover_tables.h"
#include "analysis/hot/annotate.h"
#include "analysis/hot/hot.h"
#include "analysis/mix/mix.h"
#include "analysis/phases/estimate.h"
#include "export/calls_format.h"
#include "export/cfg_format.h"
#include "export/cover_format.h"
#include "export/phases_format.h"
#include "out/table_writer.h"
#include "out/view.h"
#include "sections.h"

enum { STREAMS = 4, CALLS = 5000, INTERVALS = 200 };

/* An input, opened. */
struct subject {
	const struct wm_trace *trace;
	struct symbols *symbols;
	struct functions *functions;
	struct srclines *lines;
	struct counts counts;
	unsigned streams[STREAMS];
	struct selection selection;
	uint64_t chance;
	FILE *out; /* nobody reads it */
};

static uint64_t draw(struct subject *subject, uint64_t sides)
{
	subject->chance = subject->chance * 6364136223846793005 + 1442695040888963407;
	return (subject->chance >> 16) % sides;
}

/* What failed says so. */
static bool worked(int ret, const struct wm_error *err)
{
	MUST(!ret || (err->code == ret && ret < 0 && *err->text));
	return !ret;
}

/* What a table goes through to be printed. */
struct printing {
	struct table_view wanted;
	struct table_writer writer;
	struct view view;
	struct table table;
};

static struct table *begin(struct subject *subject, struct printing *printing,
			   const struct table_column *columns, unsigned n,
			   const char *sort)
{
	printing->wanted = (struct table_view){ .sort = sort, .rows = 1000 };
	table_writer_init(&printing->writer, (enum table_format)draw(subject, 3),
			  subject->out, false);
	view_init(&printing->view, &printing->wanted, &printing->writer.sink);
	table_begin(&printing->table, columns, n, &printing->view.sink);
	return &printing->table;
}

static void end(struct printing *printing, int ret, struct wm_error *err)
{
	worked(table_end(&printing->table, ret, err), err);
	view_fini(&printing->view);
	table_writer_fini(&printing->writer);
}

/* ---- counts -------------------------------------------------------------- */

static void check_counts(const struct subject *subject)
{
	const struct counts *counts = &subject->counts;
	struct wm_block block;

	for (size_t i = 0; i < counts->n_rows; i++)
		MUST(counts->rows[i].count &&
		     !wm_trace_block(subject->trace, counts->rows[i].id, &block));
	for (size_t i = 0; i < counts->n_parts; i++) {
		const struct counts_part *part = &counts->parts[i];

		MUST(!wm_trace_block(subject->trace, part->id, &block));
		MUST(part->begin <= part->end && part->end <= block.insns);
		MUST(part->uncertain <= part->end - part->begin);
	}
}

static struct counted counted(const struct subject *subject, const char *function)
{
	return (struct counted){
		.trace = subject->trace,
		.selection = &subject->selection,
		.counts = &subject->counts,
		.symbols = subject->symbols,
		.functions = subject->functions,
		.lines = subject->lines,
		.function = function,
	};
}

static void tell_hot(struct subject *subject)
{
	struct counted of = counted(subject, draw(subject, 4) ? NULL : "*a*");
	struct printing printing;
	struct wm_error err;

	for (unsigned by = HOT_FUNCTION; by <= HOT_METHOD; by++) {
		unsigned n;
		const struct table_column *columns = hot_columns((enum hot_by)by, &n);
		struct table *table = begin(subject, &printing, columns, n, "insns");

		end(&printing, hot_fill(table, &of, (enum hot_by)by, &err), &err);
	}
}

static const char *text_of(void *cookie, const char *path, uint32_t line)
{
	(void)cookie;
	return line % 2 ? path : NULL;
}

static void annotate(struct subject *subject)
{
	struct annotate annotate = { .of = counted(subject, "*"), .text = text_of };
	struct printing printing;
	struct wm_error err;
	struct table *table =
		begin(subject, &printing, annotate_columns, annotate_n_columns, NULL);

	end(&printing, annotate_fill(table, &annotate, &err), &err);
}

static bool add_runs(struct subject *subject, struct cover *cover)
{
	struct cover_run run = { .name = "run", .of = counted(subject, NULL) };
	struct wm_error err;

	return worked(cover_add(cover, &run, &err), &err) &&
	       worked(cover_add(cover, &run, &err), &err);
}

static void tell_cover(struct subject *subject)
{
	struct cover cover;
	struct printing printing;
	struct wm_error err;

	if (!worked(cover_init(&cover, draw(subject, 2), &err), &err))
		return;
	if (add_runs(subject, &cover)) {
		cover_finish(&cover);
		for (unsigned by = COVER_TOTAL; by <= COVER_RUN; by++) {
			unsigned n;
			const struct table_column *columns =
				cover_columns((enum cover_by)by, &n);

			struct table *table = begin(subject, &printing, columns, n, NULL);
			int ret = cover_fill(table, &cover, (enum cover_by)by,
					     draw(subject, 2), &err);

			end(&printing, ret, &err);
		}
		worked(cover_lcov.write(subject->out, &cover, &err), &err);
		worked(cover_drcov.write(subject->out, &cover, &err), &err);
	}
	cover_fini(&cover);
}

static void tell_mix(struct subject *subject, enum kinds_by by)
{
	struct mix_ask ask = {
		.interval = 1 + draw(subject, UINT64_C(1) << draw(subject, 40)),
		.function = draw(subject, 4) ? NULL : "*a*",
		.functions = subject->functions,
	};
	struct wm_error err;
	struct mix mix;

	if (!worked(kinds_new(&ask.kinds, subject->trace, by, &err), &err))
		return;
	for (unsigned per = MIX_WHOLE; per <= MIX_INTERVAL; per++) {
		ask.per = (enum mix_per)per;
		if (!worked(mix_gather(&mix, subject->trace, &subject->selection, &ask,
				       &err),
			    &err))
			continue;
		for (size_t i = 0; i < mix.n_rows; i++)
			MUST(mix.rows[i].group < mix.n_groups &&
			     *kinds_name(ask.kinds, mix.rows[i].kind));
		mix_fini(&mix);
	}
	kinds_free(ask.kinds);
}

/* ---- the sequence -------------------------------------------------------- */

static void draw_graph(struct subject *subject, const struct cfg *cfg,
		       const struct loops *loops, const struct edges *edges)
{
	bool *picked = calloc((size_t)cfg->n + 1, sizeof(*picked));
	struct trips *trips = calloc((size_t)loops->n + 1, sizeof(*trips));
	struct cfg_picture picture = {
		.trace = subject->trace,
		.symbols = subject->symbols,
		.lines = subject->lines,
		.functions = subject->functions,
		.cfg = cfg,
		.loops = loops,
		.trips = trips,
		.picked = picked,
		.insns = 1,
	};
	struct wm_error err;

	MUST(picked && trips);
	for (uint32_t i = 0; i < cfg->n; i++)
		picked[i] = draw(subject, 4);
	if (worked(trips_find(trips, loops, cfg, edges, subject->functions,
			      subject->trace, &subject->selection, &err),
		   &err)) {
		worked(cfg_json.write(subject->out, &picture, &err), &err);
		worked(cfg_dot.write(subject->out, &picture, &err), &err);
		worked(cfg_bolt.write(subject->out, &picture, &err), &err);
		worked(cfg_autofdo.write(subject->out, &picture, &err), &err);
		worked(cfg_llvm_profile.write(subject->out, &picture, &err), &err);
		worked(cfg_llvm_profile_binary.write(subject->out, &picture, &err), &err);
	}
	free(trips);
	free(picked);
}

static void tell_graph(struct subject *subject)
{
	struct edges edges;
	struct loops loops;
	struct wm_error err;
	struct cfg cfg;

	if (!worked(edges_gather(&edges, subject->trace, &subject->selection, &err),
		    &err))
		return;
	if (worked(cfg_build(&cfg, subject->trace, &edges, subject->functions, &err),
		   &err)) {
		if (worked(loops_find(&loops, &cfg, subject->functions, &err), &err)) {
			draw_graph(subject, &cfg, &loops, &edges);
			loops_fini(&loops);
		}
		cfg_fini(&cfg);
	}
	edges_fini(&edges);
}

static void enter(void *cookie, const struct calltrace_call *call)
{
	unsigned *left = cookie;

	MUST(call->caller < UINT32_MAX);
	*left -= *left > 0;
}

static void leave(void *cookie, const struct callstack_frame *frame, uint64_t insn,
		  bool over)
{
	(void)cookie;
	(void)over;
	MUST(frame->insn <= insn);
}

static bool more(void *cookie)
{
	return *(unsigned *)cookie;
}

static void trace_calls(struct subject *subject, const struct sites *sites)
{
	unsigned left = CALLS;
	struct calltrace calltrace = { subject->trace,
				       sites,
				       subject->selection.from,
				       subject->selection.to,
				       enter,
				       leave,
				       more,
				       &left };
	struct wm_error err;

	for (unsigned i = 0; i < subject->selection.n; i++)
		worked(calltrace_run(&calltrace, subject->streams[i], &err), &err);
}

/* One of the profiles and timelines, whichever it may be. */
static void export_calls(struct subject *subject)
{
	const char *names[FORMAT_NAMES_MAX];
	unsigned n = format_names(FORMAT_CALLS, names);
	const struct format *format = format_find(FORMAT_CALLS, names[draw(subject, n)]);
	struct calls_picture picture = {
		.subject = {
			.trace = subject->trace,
			.symbols = subject->symbols,
			.functions = subject->functions,
			.lines = subject->lines,
			.selection = &subject->selection,
		},
		.most = draw(subject, CALLS),
	};
	struct wm_error err;

	worked(((const struct calls_format *)format)->write(subject->out, &picture, &err),
	       &err);
}

static void tell_calls(struct subject *subject)
{
	struct calls calls;
	struct wm_error err;

	if (!worked(calls_gather(&calls, subject->trace, subject->functions,
				 &subject->selection, (uint32_t)draw(subject, 200), &err),
		    &err))
		return;
	for (uint32_t i = 0; i < calls.n_functions; i++) {
		char *name = sites_name(calls.sites, calls.functions[i].entity);

		MUST(name);
		free(name);
	}
	trace_calls(subject, calls.sites);
	calls_fini(&calls);
}

static void estimate(struct subject *subject, const struct selection *selection,
		     const struct phases *phases)
{
	struct phases_picture picture = { .trace = subject->trace,
					  .functions = subject->functions,
					  .stream = selection->streams[0],
					  .phases = phases };
	struct estimate found;
	struct wm_error err;

	if (!worked(estimate_find(&found, phases, subject->trace, selection, &err), &err))
		return;
	picture.estimate = &found;
	phases_json.write(subject->out, &picture);
	estimate_fini(&found);
}

/* Of one thread, and so that there are not too many: they are clustered many times. */
static void tell_phases(struct subject *subject)
{
	struct selection selection = subject->selection;
	struct wm_stream stream = { .insns = 0 };
	struct phases_options options = {
		.k_max = (unsigned)draw(subject, 6),
	};
	struct phases phases;
	struct wm_error err;

	selection.n = 1;
	wm_trace_stream(subject->trace, selection.streams[0], &stream);
	options.interval = 1 + stream.insns / (1 + draw(subject, INTERVALS));
	if (!worked(phases_find(&phases, subject->trace, &selection, &options, &err),
		    &err))
		return;
	estimate(subject, &selection, &phases);
	phases_fini(&phases);
}

/* ---- one input ----------------------------------------------------------- */

static void select_part(struct subject *subject, uint64_t insns)
{
	struct selection *selection = &subject->selection;
	struct wm_stream stream;

	for (unsigned i = 0; i < STREAMS && !wm_trace_stream(subject->trace, i, &stream);
	     i++)
		subject->streams[selection->n++] = i;
	selection->streams = subject->streams;
	selection->to = UINT64_MAX;
	selection->threads = 1 + (unsigned)draw(subject, 3);
	selection->part_blocks = draw(subject, 2) ? 1 + draw(subject, 300) : 0;
	if (draw(subject, 2) && insns)
		selection->from = draw(subject, insns);
	if (draw(subject, 2) && insns)
		selection->to = selection->from + draw(subject, insns);
}

static void tell(struct subject *subject)
{
	struct wm_error err;

	if (worked(counts_gather(&subject->counts, subject->trace, &subject->selection,
				 &err),
		   &err)) {
		check_counts(subject);
		tell_hot(subject);
		annotate(subject);
		tell_cover(subject);
		counts_fini(&subject->counts);
	}
	for (unsigned by = KINDS_MNEMONIC; by <= KINDS_REGISTER; by++)
		tell_mix(subject, (enum kinds_by)by);
	tell_graph(subject);
	tell_calls(subject);
	export_calls(subject);
	tell_phases(subject);
}

static void analyse(const struct wm_trace *trace, uint64_t chance)
{
	struct subject subject = { .trace = trace, .chance = chance };
	struct wm_summary summary;
	struct wm_error err;

	subject.out = fopen("/dev/null", "w");
	MUST(subject.out);
	wm_trace_summary(trace, &summary);
	select_part(&subject, summary.insns);
	MUST(!symbols_new(&subject.symbols, trace, &err));
	MUST(!functions_new(&subject.functions, subject.symbols, &err));
	MUST(!srclines_new(&subject.lines, subject.symbols, &err));
	if (subject.selection.n)
		tell(&subject);
	srclines_free(subject.lines);
	functions_free(subject.functions);
	symbols_free(subject.symbols);
	fclose(subject.out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	uint8_t *repaired = malloc(bytes + 1);
	struct wm_trace *trace;

	watch_cpu();
	MUST(repaired);
	memcpy(repaired, data, bytes);
	repair(repaired, bytes);
	if (is_quick(repaired, bytes) &&
	    !wm_trace_open_memory(&trace, repaired, bytes, NULL)) {
		analyse(trace, XXH3_64bits(data, bytes));
		wm_trace_close(trace);
	}
	free(repaired);
	return 0;
}
