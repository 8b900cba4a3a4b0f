// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which calls are shown is decided when they begin; a call in text waits for what comes
 * next, because one in which nothing is shown takes a single line.
 *
 * When as many are shown as are wanted, the thread is followed to where the next one would
 * be shown: what has not returned by then is cut there.
 */
#include "cli/flow/calltree.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/calls/calltrace.h"
#include "base/error.h"
#include "cli/pager.h"
#include "out/json.h"
#include "out/number.h"
#include "out/text.h"
#include "query/threads.h"

enum { INDENT = 2, INSNS_WIDTH = 15, MATCH_ONLY = 1, MATCH_NOT = 2 };

struct calltree {
	struct query *query;
	const struct calltree_options *options;
	struct sites *sites;
	char **names;	  /* [entities + 1] made when they are first needed */
	uint8_t *matches; /* [entities + 1] MATCH_ONLY, MATCH_NOT */
	struct json json;
	unsigned thread;
	uint64_t depth;	     /* calls open, in the thread */
	uint64_t only_depth; /* that of the outermost one of `only`; 0: none is open */
	uint64_t not_depth;
	uint64_t left; /* calls to show */
	bool cut;      /* there are more */
	uint64_t cut_insn;
	bool waiting; /* the last call that was shown is not printed yet */
	struct callstack_frame last;
	bool failed; /* no memory */
};

/* How a call is over that was shown. */
enum ending { RETURNED, OPEN, CUT };

static const char *const endings[] = { "exit", "open", "cut" };

static const char *const kinds[] = {
	[FRAME_CALL] = "call",	   [FRAME_TAIL] = "tail",     [FRAME_JUMP] = "jump",
	[FRAME_SIGNAL] = "signal", [FRAME_ORIGIN] = "origin",
};

/* A thread may begin with the beginning of a function. */
static const char *kind_of(const struct callstack_frame *frame)
{
	return frame->kind == FRAME_ORIGIN && frame->entered ? "call" :
							       kinds[frame->kind];
}

/* ---- names ---------------------------------------------------------------------------- */

static const char *name_of(struct calltree *tree, uint32_t entity)
{
	char *name = tree->names[entity];

	if (!name) {
		name = tree->names[entity] = sites_name(tree->sites, entity);
		if (!name)
			tree->failed = true;
		else if (tree->query->view.format == TABLE_AS_TEXT)
			text_make_line(name);
	}
	return name ? name : "";
}

static bool matches_one(const struct calltree *tree, uint32_t entity,
			const char **patterns)
{
	while (*patterns && !sites_match(tree->sites, entity, *patterns))
		patterns++;
	return *patterns;
}

static void find_matches(struct calltree *tree)
{
	const struct calltree_options *options = tree->options;

	for (uint32_t i = 1; i <= sites_entities(tree->sites); i++)
		tree->matches[i] =
			(matches_one(tree, i, options->only) ? MATCH_ONLY : 0) |
			(matches_one(tree, i, options->not ) ? MATCH_NOT : 0);
}

/* ---- what is shown ------------------------------------------------------------------------ */

/* The level of a call that is shown, from 0; -1 for one that is not. */
static int64_t level_of(const struct calltree *tree)
{
	uint64_t top = *tree->options->only ? tree->only_depth : 1;

	if (!top || tree->not_depth || tree->depth - top >= tree->options->depth)
		return -1;
	return (int64_t)(tree->depth - top);
}

static void note_entry(struct calltree *tree, uint32_t entity)
{
	tree->depth++;
	if ((tree->matches[entity] & MATCH_ONLY) && !tree->only_depth)
		tree->only_depth = tree->depth;
	if ((tree->matches[entity] & MATCH_NOT) && !tree->not_depth)
		tree->not_depth = tree->depth;
}

static void note_exit(struct calltree *tree)
{
	if (tree->only_depth == tree->depth)
		tree->only_depth = 0;
	if (tree->not_depth == tree->depth)
		tree->not_depth = 0;
	tree->depth--;
}

/* ---- text ----------------------------------------------------------------------------------- */

static void put_start(const char *insns, int64_t level)
{
	printf("%*s  %*s", INSNS_WIDTH, insns, (int)(level * INDENT), "");
}

/* C++ has the parentheses in its names. */
static const char *parentheses(const char *name)
{
	size_t length = strlen(name);

	return length && name[length - 1] == ')' ? "" : "()";
}

static void put_name(struct calltree *tree, const struct callstack_frame *frame,
		     const char *end)
{
	static const char *const remarks[] = {
		[FRAME_CALL] = "",
		[FRAME_TAIL] = "  /* tail call */",
		[FRAME_JUMP] = "  /* by a jump */",
		[FRAME_SIGNAL] = "  /* signal handler */",
		[FRAME_ORIGIN] = "",
	};
	const char *name = name_of(tree, frame->entity);

	printf("%s%s%s%s\n", name, parentheses(name), end, remarks[frame->kind]);
}

static void put_waiting(struct calltree *tree, int64_t level)
{
	if (!tree->waiting)
		return;
	put_start("", level);
	put_name(tree, &tree->last, " {");
	tree->waiting = false;
}

static void put_exit(struct calltree *tree, const struct callstack_frame *frame,
		     uint64_t insns, int64_t level, enum ending ending)
{
	static const char *const remarks[] = { "", "still in it", "cut by -n" };
	const char *remark = remarks[ending];
	char number[NUMBER_TEXT], end[32] = ";";

	number_grouped(number, insns);
	put_start(number, level);
	if (tree->waiting && *remark)
		snprintf(end, sizeof(end), "; /* %s */", remark);
	if (tree->waiting)
		put_name(tree, frame, end);
	else
		printf("} /* %s%s%s */\n", name_of(tree, frame->entity),
		       *remark ? ", " : "", remark);
	tree->waiting = false;
}

/* ---- rows ------------------------------------------------------------------------------------- */

/* Of a call that begins, or is over at `insn`. */
struct row {
	const char *event;
	uint64_t insn;
	int64_t level;
	bool over;
};

static void put_csv(struct calltree *tree, const struct callstack_frame *frame,
		    const struct row *row)
{
	printf("%u,%s,%llu,%lld,%s,", tree->thread, row->event,
	       (unsigned long long)row->insn, (long long)row->level, kind_of(frame));
	text_csv(stdout, name_of(tree, frame->entity));
	if (row->over)
		printf(",%llu", (unsigned long long)(row->insn - frame->insn));
	else
		putchar(',');
	putchar('\n');
}

static void put_json(struct calltree *tree, const struct callstack_frame *frame,
		     const struct row *row)
{
	struct json *json = &tree->json;

	json_object(json, NULL);
	json_uint(json, "thread", tree->thread);
	json_string(json, "event", row->event);
	json_uint(json, "insn", row->insn);
	json_uint(json, "depth", (uint64_t)row->level);
	json_string(json, "kind", kind_of(frame));
	json_string(json, "function", name_of(tree, frame->entity));
	if (row->over)
		json_uint(json, "insns", row->insn - frame->insn);
	json_close(json);
}

static void put_row(struct calltree *tree, const struct callstack_frame *frame,
		    const struct row *row)
{
	if (tree->query->view.format == TABLE_AS_CSV)
		put_csv(tree, frame, row);
	else
		put_json(tree, frame, row);
}

/* ---- one thread --------------------------------------------------------------------------------- */

static void cut(struct calltree *tree, uint64_t insn)
{
	tree->not_depth = tree->depth;
	if (!tree->cut)
		tree->cut_insn = insn;
	tree->cut = true;
}

static void enter(void *cookie, const struct callstack_frame *frame)
{
	struct calltree *tree = cookie;
	int64_t level;

	note_entry(tree, frame->entity);
	level = level_of(tree);
	if (level < 0)
		return;
	if (!tree->left) {
		cut(tree, frame->insn);
		return;
	}
	tree->left--;
	if (tree->query->view.format != TABLE_AS_TEXT) {
		put_row(tree, frame, &(struct row){ "entry", frame->insn, level, false });
		return;
	}
	put_waiting(tree, level - 1);
	tree->waiting = true;
	tree->last = *frame;
}

static void leave(void *cookie, const struct callstack_frame *frame, uint64_t insn,
		  bool over)
{
	struct calltree *tree = cookie;
	enum ending ending = tree->cut ? CUT : over ? OPEN : RETURNED;
	int64_t level = level_of(tree);

	if (tree->cut)
		insn = tree->cut_insn;
	if (level >= 0 && tree->query->view.format != TABLE_AS_TEXT)
		put_row(tree, frame, &(struct row){ endings[ending], insn, level, true });
	else if (level >= 0)
		put_exit(tree, frame, insn - frame->insn, level, ending);
	note_exit(tree);
}

static bool more(void *cookie)
{
	const struct calltree *tree = cookie;

	return !tree->cut && !tree->failed && !ferror(stdout);
}

static void put_thread(const struct calltree *tree)
{
	const struct wm_trace *trace = tree->query->source.trace;
	struct wm_stream stream;

	if (tree->query->view.format == TABLE_AS_TEXT && tree->query->selection.n > 1 &&
	    !wm_trace_stream(trace, tree->thread, &stream)) {
		printf("%sthread %u, ",
		       tree->thread == tree->query->selection.streams[0] ? "" : "\n",
		       tree->thread);
		text_end_line(stdout, thread_name(trace, &stream));
	}
}

static int put_threads(struct calltree *tree, struct wm_error *err)
{
	const struct query *query = tree->query;
	struct calltrace calltrace = {
		.trace = query->source.trace,
		.sites = tree->sites,
		.from = query->scope.from,
		.to = query->scope.to,
		.enter = enter,
		.leave = leave,
		.more = more,
		.cookie = tree,
	};
	int ret = 0;

	for (unsigned i = 0; i < query->selection.n && !ret && tree->left && more(tree);
	     i++) {
		tree->thread = query->selection.streams[i];
		put_thread(tree);
		ret = calltrace_run(&calltrace, tree->thread, err);
	}
	return !ret && tree->failed ? wm_fail_nomem(err, "names") : ret;
}

static int put_all(struct calltree *tree, struct wm_error *err)
{
	enum table_format format = tree->query->view.format;
	int ret;

	query_done(tree->query);
	pager_start();
	if (format == TABLE_AS_CSV)
		puts("thread,event,insn,depth,kind,function,insns");
	if (format == TABLE_AS_JSON) {
		json_init(&tree->json, stdout, false);
		json_object(&tree->json, NULL);
		json_array(&tree->json, "calls");
	}
	ret = put_threads(tree, err);
	if (format == TABLE_AS_JSON) {
		json_close(&tree->json);
		json_close(&tree->json);
	}
	return ret;
}

int calltree_print(struct query *query, const struct calltree_options *options,
		   struct wm_error *err)
{
	struct calltree tree = {
		.query = query,
		.options = options,
		.left = query->view.rows,
	};
	size_t n;
	int ret = sites_new(&tree.sites, query->source.trace, query->functions,
			    &query->selection, err);

	if (ret)
		return ret;
	n = (size_t)sites_entities(tree.sites) + 1;
	tree.names = calloc(n, sizeof(*tree.names));
	tree.matches = calloc(n, sizeof(*tree.matches));
	if (tree.names && tree.matches) {
		find_matches(&tree);
		ret = put_all(&tree, err);
	} else {
		ret = wm_fail_nomem(err, "names");
	}
	for (size_t i = 0; tree.names && i < n; i++)
		free(tree.names[i]);
	free(tree.names);
	free(tree.matches);
	sites_free(tree.sites);
	return ret;
}
