// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The rows of a call tree: one for each call that begins, one for each that ends. Whether
 * a call is shown is decided when it begins, by its depth and by the patterns of the
 * options; the same condition holds when it ends, because the depths are restored by
 * then.
 *
 * A limit on calls ends the tree: the thread is followed to where the next call would be
 * shown, and the calls that have not returned by then are cut at that instruction.
 *
 * Example with "calls" 2, when main() calls f() and then g():
 *
 *	entry main, entry f, exit f		two calls are shown
 *	g would be the third			cut main, at the first instruction of g
 *
 * With "methods", other calls are passed over as if they were not there.
 *
 * Invariant: only_depth and not_depth are the depths of the outermost open call that
 * matched "filter" and "notrace", 0 when none is open.
 */
#include "query/questions/calltree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calls/calllog.h"
#include "analysis/calls/calltrace.h"
#include "base/append.h"
#include "base/error.h"
#include "events/render.h"
#include "query/questions/lacks.h"

const struct table_column calltree_columns[CALLTREE_COLUMNS] = {
	[CALLTREE_THREAD] = { "thread", TABLE_COUNT, false },
	[CALLTREE_EVENT] = { "event", TABLE_TEXT, false },
	[CALLTREE_INSN] = { "insn", TABLE_COUNT, false },
	[CALLTREE_DEPTH] = { "depth", TABLE_COUNT, false },
	[CALLTREE_KIND] = { "kind", TABLE_TEXT, false },
	[CALLTREE_FUNCTION] = { "function", TABLE_TEXT, false, true },
	[CALLTREE_INSNS] = { "insns", TABLE_COUNT, false },
	[CALLTREE_DETAIL] = { "detail", TABLE_TEXT, false },
};

/* An interrupt's name, by which the end of its call knows it, too. */
struct irq {
	uint32_t edge;
	char text[96];
};

struct calltree {
	const struct query *query;
	struct table *table;
	struct sites *sites;
	char **names;	  /* [entities + 1] made when they are first needed */
	uint8_t *matches; /* [entities + 1] CALLLOG_ONLY, CALLLOG_NOT */
	unsigned thread;
	uint64_t depth;	     /* calls open, in the thread */
	uint64_t only_depth; /* of the outermost call of `filter`; 0: none */
	uint64_t not_depth;
	uint64_t left; /* calls to show */
	bool cut;      /* the limit was reached */
	uint64_t cut_insn;
	struct irq *irqs; /* [n_irqs] */
	size_t n_irqs;
	bool failed; /* no memory */
};

/*
 * The kind of a call. A thread's first function was not called, but is shown as a call
 * when the recording has the thread from its begin.
 */
static const char *kind_of(const struct callstack_frame *frame)
{
	static const char *const kinds[] = {
		[FRAME_CALL] = "call",	   [FRAME_TAIL] = "tail",
		[FRAME_JUMP] = "jump",	   [FRAME_SIGNAL] = "signal",
		[FRAME_ORIGIN] = "origin", [FRAME_METHOD] = "method",
		[FRAME_INLINE] = "inline", [FRAME_RESUMED] = "resumed",
	};

	if (frame->edge >= CALLTRACE_IRQ)
		return "irq";
	if (frame->kind == FRAME_SIGNAL && frame->edge)
		return frame->edge >= CALLTRACE_SYSCALL ? "syscall" : "trap";
	return frame->kind == FRAME_ORIGIN && frame->entered ? "call" :
							       kinds[frame->kind];
}

/*
 * The cause of a trap, in words, the name of a system call, or an interrupt's number and
 * device; NULL for other calls. An edge of a trap's frame is its cause plus 1, so that 0 means
 * a signal.
 */
static const char *detail_of(const struct calltree *tree,
			     const struct callstack_frame *frame)
{
	const struct event_info *trap = event_info(WM_EVENT_TRAP);
	const struct call *call;

	for (size_t i = 0; frame->edge >= CALLTRACE_IRQ && i < tree->n_irqs; i++)
		if (tree->irqs[i].edge == frame->edge)
			return tree->irqs[i].text;
	if (frame->kind != FRAME_SIGNAL || !frame->edge)
		return NULL;
	if (frame->edge >= CALLTRACE_SYSCALL) {
		call = kernel_call(tree->query->source.kernel,
				   frame->edge - CALLTRACE_SYSCALL);
		return call ? call->name : NULL;
	}
	for (unsigned i = 0; trap && i < trap->n_numbers; i++)
		if (!strcmp(trap->fields[i].name, "cause"))
			return event_word(&trap->fields[i], frame->edge - 1);
	return NULL;
}

/* ---- names --------------------------------------------------------------- */

/* A failure is reported at the end, because the callbacks return nothing. */
static const char *name_of(struct calltree *tree, uint32_t entity)
{
	char *name = tree->names[entity];

	if (!name) {
		name = tree->names[entity] = sites_name(tree->sites, entity);
		if (!name)
			tree->failed = true;
	}
	return name ? name : "";
}

/*
 * Patterns are matched once per function, not once per call. Warns of one that fits none:
 * it is mistyped, or the function did not run.
 */
static void find_matches(struct calltree *tree, unsigned option, uint8_t bit)
{
	const struct query_value *patterns = &tree->query->values[option];

	for (unsigned i = 0; i < patterns->n_texts; i++) {
		bool any = false;

		for (uint32_t j = 1; j <= sites_entities(tree->sites); j++)
			if (sites_match(tree->sites, j, patterns->texts[i])) {
				tree->matches[j] |= bit;
				any = true;
			}
		if (!any)
			query_warn_function(tree->query, patterns->texts[i]);
	}
}

void calls_check_methods(const struct query *query, const struct sites *sites)
{
	bool any = !query_number(query, CALLS_METHODS);

	for (uint32_t i = 1; !any && i <= sites_entities(sites); i++)
		any = sites_is_method(sites, i);
	if (!any)
		listener_warn(query->listener,
			      "nothing told of a method of a managed program");
	lacks_guides_warn(query);
}

/* ---- what is shown ------------------------------------------------------- */

/*
 * The level at which a call is shown, from 0; -1 when it is not shown. With "filter"
 * levels count from the outermost call that matched: its callees are shown as well.
 * Without it they count from depth 1. Everything inside a call of "notrace" is hidden,
 * and so is the call.
 */
static int64_t level_of(const struct calltree *tree)
{
	uint64_t top = query_given(tree->query, CALLS_FILTER) ? tree->only_depth : 1;

	if (!top || tree->not_depth ||
	    tree->depth - top >= query_number(tree->query, CALLS_DEPTH))
		return -1;
	return (int64_t)(tree->depth - top);
}

/* The first match counts: a recursive call does not move the top of the tree. */
static void note_entry(struct calltree *tree, uint32_t entity)
{
	tree->depth++;
	if ((tree->matches[entity] & CALLLOG_ONLY) && !tree->only_depth)
		tree->only_depth = tree->depth;
	if ((tree->matches[entity] & CALLLOG_NOT) && !tree->not_depth)
		tree->not_depth = tree->depth;
}

/* Called with the depth that the call had when it began. */
static void note_exit(struct calltree *tree)
{
	if (tree->only_depth == tree->depth)
		tree->only_depth = 0;
	if (tree->not_depth == tree->depth)
		tree->not_depth = 0;
	tree->depth--;
}

/* ---- rows ---------------------------------------------------------------- */

static void put_row(struct calltree *tree, const struct callstack_frame *frame,
		    const char *event, uint64_t insn, int64_t level)
{
	struct table *table = tree->table;

	table_row(table);
	table_count(table, CALLTREE_THREAD, tree->thread);
	table_text(table, CALLTREE_EVENT, event);
	table_count(table, CALLTREE_INSN, insn);
	table_count(table, CALLTREE_DEPTH, (uint64_t)level);
	table_text(table, CALLTREE_KIND, kind_of(frame));
	table_text(table, CALLTREE_FUNCTION, name_of(tree, frame->entity));
	if (detail_of(tree, frame))
		table_text(table, CALLTREE_DETAIL, detail_of(tree, frame));
}

/*
 * The limit is reached at `insn`. not_depth hides the call that begins; it was not shown,
 * so it must not be shown when it ends. The first such place counts.
 */
static void cut(struct calltree *tree, uint64_t insn)
{
	tree->not_depth = tree->depth;
	if (!tree->cut)
		tree->cut_insn = insn;
	tree->cut = true;
}

/* There are some dozens of them in a machine. */
static void note_irq(struct calltree *tree, uint32_t edge, const char *name)
{
	struct irq irq = { .edge = edge };
	size_t i = 0;

	snprintf(irq.text, sizeof(irq.text), "IRQ %u%s%s", edge - CALLTRACE_IRQ,
		 *name ? ": " : "", name);
	while (i < tree->n_irqs && tree->irqs[i].edge != edge)
		i++;
	if (i < tree->n_irqs)
		tree->irqs[i] = irq;
	else if (!APPEND(tree->irqs, tree->n_irqs, irq))
		tree->failed = true;
}

static bool is_passed_over(const struct calltree *tree, uint32_t entity)
{
	return query_number(tree->query, CALLS_METHODS) &&
	       !sites_is_method(tree->sites, entity);
}

static void enter(void *cookie, const struct calltrace_call *call)
{
	const struct callstack_frame *frame = call->frame;
	struct calltree *tree = cookie;
	int64_t level;

	if (is_passed_over(tree, frame->entity))
		return;
	note_entry(tree, frame->entity);
	if (call->irq)
		note_irq(tree, frame->edge, call->irq);
	level = level_of(tree);
	if (level < 0)
		return;
	if (!tree->left) {
		cut(tree, frame->insn);
		return;
	}
	tree->left--;
	put_row(tree, frame, "entry", frame->insn, level);
}

/*
 * `over`: the trace ended inside the call. The level is computed before the depth
 * changes, so it is that of the entry.
 */
static void leave(void *cookie, const struct callstack_frame *frame, uint64_t insn,
		  bool over)
{
	struct calltree *tree = cookie;
	int64_t level = level_of(tree);

	if (is_passed_over(tree, frame->entity))
		return;
	/* Open calls end at the cut, not where the callstack is unwound. */
	if (tree->cut)
		insn = tree->cut_insn;
	if (level >= 0) {
		put_row(tree, frame,
			tree->cut ? "cut" :
			over	  ? "open" :
				    "exit",
			insn, level);
		table_count(tree->table, CALLTREE_INSNS, insn - frame->insn);
	}
	note_exit(tree);
}

/* The same where calls that cannot be shown are left out: frames have their level then. */
static void enter_known(void *cookie, const struct calltrace_call *call)
{
	struct calltree *tree = cookie;

	tree->depth = call->frame->level - 1;
	enter(tree, call);
}

static void leave_known(void *cookie, const struct callstack_frame *frame, uint64_t insn,
			bool over)
{
	struct calltree *tree = cookie;

	tree->depth = frame->level;
	leave(tree, frame, insn, over);
}

/* Whether to go on: no cut, no failure, and the sink wants more rows. */
static bool more(void *cookie)
{
	const struct calltree *tree = cookie;

	return !tree->cut && !tree->failed && !table_is_full(tree->table);
}

/* Several processes share the work. A thread is not begun when no call is left to show. */
static int put_shared(struct calltree *tree, struct calltrace *calltrace,
		      struct wm_error *err)
{
	const struct query *query = tree->query;
	const struct calllog_wanted wanted = {
		.matches = tree->matches,
		.only = query_given(query, CALLS_FILTER),
		.without = query_given(query, CALLS_NOTRACE),
		.levels = query_number(query, CALLS_DEPTH),
		.calls = query_number(query, CALLS_MOST),
	};

	calltrace->enter = enter_known;
	calltrace->leave = leave_known;
	return calltrace_run_shared(calltrace, &wanted, &query->selection, &tree->thread,
				    err);
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
		.excerpts = query->selection.excerpts,
	};
	int ret = 0;

	if (query->selection.runner)
		ret = put_shared(tree, &calltrace, err);
	for (unsigned i = 0; !query->selection.runner && i < query->selection.n && !ret &&
			     tree->left && more(tree);
	     i++) {
		tree->thread = query->selection.streams[i];
		ret = calltrace_run(&calltrace, tree->thread, err);
	}
	return !ret && tree->failed ? wm_fail_nomem(err, "names") : ret;
}

int calltree_fill(struct query *query, struct table *table, struct wm_error *err)
{
	struct calltree tree = {
		.query = query,
		.table = table,
		.left = query_number(query, CALLS_MOST),
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
		find_matches(&tree, CALLS_FILTER, CALLLOG_ONLY);
		find_matches(&tree, CALLS_NOTRACE, CALLLOG_NOT);
		calls_check_methods(query, tree.sites);
		ret = put_threads(&tree, err);
	} else {
		ret = wm_fail_nomem(err, "names");
	}
	for (size_t i = 0; tree.names && i < n; i++)
		free(tree.names[i]);
	free(tree.names);
	free(tree.matches);
	free(tree.irqs);
	sites_free(tree.sites);
	return ret;
}
