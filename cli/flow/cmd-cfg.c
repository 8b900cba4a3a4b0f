// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark cfg: the control-flow graph that was executed, or its loops. Loops are a table
 * of the question "cfg". The graph itself is for other programs, so it is written in a
 * format of the registry (export/cfg_format.h).
 *
 * A picture has room for a limited number of blocks, which its format states (`most`).
 * When there are more, only the hottest by executed instructions are drawn, and a remark
 * on stderr says so; --hot and --function override that.
 *
 * Example: a block of 5 instructions that ran 100 times has the heat 500 and comes before
 * one of 2 instructions that ran 200 times.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "cli/ask.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/formats.h"
#include "cli/fresh_file.h"
#include "cli/values.h"
#include "export/cfg_format.h"
#include "export/flow_graph.h"
#include "managed/methods.h"
#include "out/number.h"
#include "program/suggest.h"
#include "query/questions/cfg.h"
#include "query/undivided_text.h"

static const char doc[] =
	"Print the control-flow graph that FILE (waymark.wmk) executed: basic blocks and "
	"how often they ran, and edges between them with counts and kinds; or its loops, also of "
	"several FILEs together."
	"\v-n, -s and -f are for --loops, which is a table: text, csv, json. ";

enum { OPTION_FORMAT = 256, OPTION_HOT, OPTION_LOOPS, OPTION_TRIPS, OPTION_METHOD };

static const struct argp_option options[] = {
	{ "format", OPTION_FORMAT, "FORMAT", 0,
	  "One of the formats below (json); with --loops one of a table (text)", 0 },
	{ "hot", OPTION_HOT, "N", 0,
	  "Only the N blocks that ran the most instructions (all; in pictures as many as fit, "
	  "unless --function is given)",
	  0 },
	{ "by", 'b', "trace", 0, "Print a table of FILEs: what their blocks ran", 0 },
	{ "method", OPTION_METHOD, "NAME", 0,
	  "The execution-flow graph of methods that an interpreter ran, with the order in which "
	  "its parts ran first: json or dot; wildcards are taken",
	  0 },
	{ "loops", OPTION_LOOPS, NULL, 0, "Print a table of the natural loops", 0 },
	{ "trips", OPTION_TRIPS, NULL, 0,
	  "Also print the fewest and the most iterations of each loop (retraces twice)",
	  0 },
	{ 0 },
};

struct arguments {
	uint64_t hot; /* 0: not given */
	bool loops;
	const char *method;	 /* NULL: a graph of native code */
	const char *format_name; /* NULL: not given */
	const struct cfg_format *format;
};

/*
 * --format has two sets of values, by --loops, so it is parsed when all options are
 * known.
 */
static void check_options(struct ask *ask, struct argp_state *state)
{
	const struct table_view *view = &ask->query.view;
	struct arguments *args = ask->cookie;
	const char *name = args->format_name;

	/* Each of these options has a meaning for only one of the two outputs. */
	if (args->loops && args->hot)
		argp_error(state, "--hot is of blocks; for --loops there is -n");
	if (args->loops && name)
		ask->format = choice_or_end(name, "loops --format", table_formats, state);
	if (args->method && (args->loops || args->hot))
		argp_error(state, "--method takes neither --loops nor --hot");
	/* Frames are followed from the begin of their thread, one thread after the other. */
	ask->alone = args->method;
	if (args->loops)
		return;
	if (ask_is_several(ask))
		argp_error(state, "a graph is of one FILE; --loops takes several");
	/* Without --format the graph is JSON, which has everything. */
	args->format = (const struct cfg_format *)format_or_end(
		name ? name : cfg_json.format.name, FORMAT_CFG, state);
	if (view->columns || view->rows != UINT64_MAX || view->sort)
		argp_error(state, "-n, -s and -f are for --loops");
	if (args->method && args->format != &cfg_json && args->format != &cfg_dot)
		argp_error(state, "--method writes json or dot, not \"%s\"", name);
}

static error_t parse(struct ask *ask, int key, char *arg, struct argp_state *state)
{
	struct arguments *args = ask->cookie;

	switch (key) {
	case OPTION_FORMAT:
		args->format_name = arg;
		return 0;
	case OPTION_HOT:
		args->hot = amount_or_end(arg, "--hot", 1, UINT64_MAX, state);
		return 0;
	case 'b':
		if (!ask_take_by_trace(ask, arg))
			argp_error(state, "--by takes trace, not \"%s\"", arg);
		args->loops = true;
		return 0;
	case OPTION_METHOD:
		args->method = arg;
		return 0;
	case OPTION_LOOPS:
		args->loops = true;
		return 0;
	case ARGP_KEY_SUCCESS:
		check_options(ask, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- which blocks -------------------------------------------------------- */

/* The work of a block: executions alone would prefer short blocks. */
static uint64_t insns_of(const struct cfg_block *block)
{
	return block->insns * block->executions;
}

/*
 * Hottest first; of equal blocks the one with the lower index, so that the choice is the
 * same on every run.
 */
static int compare_heat(const void *a, const void *b, void *cookie)
{
	const struct cfg_block *blocks = cookie;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	uint64_t x = insns_of(&blocks[i]), y = insns_of(&blocks[j]);

	if (x != y)
		return x > y ? -1 : 1;
	return i < j ? -1 : i > j;
}

/*
 * Clears picked[] for all but the `hot` hottest blocks of those that are set. The order
 * of blocks in the graph is unchanged.
 */
static int keep_hot(bool *picked, const struct cfg *cfg, uint64_t hot,
		    struct wm_error *err)
{
	uint32_t *order = calloc((size_t)cfg->n + 1, sizeof(*order)), n = 0;

	if (!order)
		return wm_fail_nomem(err, "the hottest blocks");
	for (uint32_t i = 0; i < cfg->n; i++)
		if (picked[i])
			order[n++] = i;
	qsort_r(order, n, sizeof(*order), compare_heat, cfg->blocks);
	/* What comes after the first `hot` blocks is not drawn. */
	for (uint64_t i = hot; i < n; i++)
		picked[order[i]] = false;
	free(order);
	return 0;
}

/* Selects the blocks to draw. `n` counts the selected ones while the array is filled. */
static int pick(bool *picked, const struct ask *ask, const struct cfg *cfg,
		struct wm_error *err)
{
	const struct arguments *args = ask->cookie;
	const struct query *query = &ask->query;
	char all[NUMBER_TEXT], most[NUMBER_TEXT], near[SUGGEST_TEXT];
	uint64_t hot = args->hot;
	uint32_t n = 0;

	for (uint32_t i = 0; i < cfg->n; i++)
		n += picked[i] = cfg_answer_wants(query, &cfg->blocks[i]);
	/*
	 * A pattern that matches nothing is more likely a typing error than an empty
	 * graph.
	 */
	if (query->function && !n)
		return wm_fail(err, WM_E_RANGE, 0, "no function \"%.80s\" ran%s",
			       query->function,
			       suggest_function(near, query->source.symbols,
						query->function));
	/* A picture of a function is drawn whole, because the user chose it. */
	if (!hot && args->format->most && !query->function && n > args->format->most) {
		hot = args->format->most;
		remark("of %s blocks the %s hottest are drawn: see --hot",
		       number_grouped(all, n), number_grouped(most, hot));
	}
	return hot ? keep_hot(picked, cfg, hot, err) : 0;
}

/* ---- what is printed ----------------------------------------------------- */

/*
 * Writes the graph. Text goes to stdout directly; binary formats go through fresh_file,
 * because stdout is for text only.
 */
static int write_graph(const struct cfg_format *format, const struct cfg_picture *picture,
		       struct wm_error *err)
{
	struct fresh_file file;
	int ret;

	if (!format->format.binary)
		return format->write(stdout, picture, err);
	ret = fresh_file_open(&file, "-", err);
	if (ret)
		return ret;
	return fresh_file_end(&file, format->write(file.out, picture, err), err);
}

/*
 * Picks the blocks and writes them. The progress line must be gone before the first byte.
 */
static int put_graph(struct ask *ask, const struct cfg_answer *answer,
		     struct wm_error *err)
{
	const struct arguments *args = ask->cookie;
	bool *picked = calloc((size_t)answer->cfg.n + 1, sizeof(*picked));
	struct cfg_picture picture = {
		.trace = ask->query.source.trace,
		.symbols = ask->query.source.symbols,
		.lines = ask->query.lines,
		.functions = ask->query.functions,
		.cfg = &answer->cfg,
		.loops = &answer->loops,
		.trips = answer->trips,
		.picked = picked,
		.insns = cfg_answer_insns(answer),
	};
	int ret = picked ? pick(picked, ask, &answer->cfg, err) :
			   wm_fail_nomem(err, "a graph");

	if (!ret) {
		watch_end(&ask->watch);
		ret = write_graph(args->format, &picture, err);
	}
	free(picked);
	return ret;
}

static int print_methods(const struct ask *ask, FILE *out, struct wm_error *err)
{
	const struct arguments *args = ask->cookie;
	const struct query *query = &ask->query;
	struct bytecodes bytecodes;
	int ret = bytecodes_gather(&bytecodes, query->source.trace, query->functions,
				   &query->selection, true, err);

	if (!ret && !bytecodes.methods)
		ret = methods_missing(query->source.trace, "the trace ", err);
	if (!ret)
		ret = args->format == &cfg_dot ?
			      flow_graph_dot(out, &bytecodes, args->method, err) :
			      flow_graph_json(out, &bytecodes, args->method, err);
	bytecodes_fini(&bytecodes);
	return ret;
}

/* Nothing is written before it is known that there is such a method. */
static int write_methods(void *cookie, FILE *out, uint64_t *count, struct wm_error *err)
{
	struct ask *ask = cookie;
	char *text = NULL;
	size_t bytes;
	FILE *memory = open_memstream(&text, &bytes);
	int ret = memory ? print_methods(ask, memory, err) :
			   wm_fail_nomem(err, "a graph");

	*count = 0;
	if (memory && fclose(memory) && !ret)
		ret = wm_fail_nomem(err, "a graph");
	watch_end(&ask->watch);
	if (!ret)
		fwrite(text, 1, bytes, out);
	free(text);
	return ret;
}

static int put_methods(struct ask *ask, struct wm_error *err)
{
	const struct undivided_text text = { write_methods, ask };
	uint64_t nothing;

	return share_options_is_on(&ask->shared) ?
		       undivided_write(&text, ask->query.source.trace, &ask->shared.share,
				       stdout, &nothing, err) :
		       write_methods(ask, stdout, &nothing, err);
}

static int answer(struct ask *ask, struct wm_error *err)
{
	const struct arguments *args = ask->cookie;
	struct cfg_answer answer;
	int ret;

	/* Loops are rows of the question, as in any table. */
	if (args->loops)
		return ask_print(ask, err);
	if (args->method)
		return put_methods(ask, err);
	ret = cfg_answer_find(&answer, &ask->query, err);
	if (ret)
		return ret;
	query_warn_behind_end(&ask->query);
	ret = put_graph(ask, &answer, err);
	cfg_answer_fini(&answer);
	return ret;
}

int cmd_cfg(int argc, char **argv)
{
	const struct ask_command cfg = {
		.question = "cfg",
		.doc = formats_help(doc, FORMAT_CFG),
		.args = "[FILE...]",
		.takes = ASK_FUNCTION | ASK_TABLE | ASK_SHARE | ASK_SEVERAL,
		.options = options,
		.parse = parse,
	};
	struct arguments args = { .loops = false };
	struct ask ask;
	int status;

	ask_parse(&ask, &cfg, &args, argc, argv);
	status = ask_run(&ask, answer);
	ask_fini(&ask);
	return status;
}
