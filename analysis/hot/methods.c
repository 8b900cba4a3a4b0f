// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table by method: functions of a program that a runtime runs. What the runtime does for
 * a method counts in it: bytecode handlers, builtins, native code that it calls. So the
 * rows are what a profiler of the language would have, and exact.
 *
 * A method is code made at run time that has a line of source in its name, or is a function of
 * WebAssembly; its tiers
 * (interpreted, compiled, optimised) are one method. Each instruction is of the innermost
 * method on the stack of calls; without one it is of the native function, which has a row.
 *
 *	JS:~total	a call		10 instructions		total: 10 of its own
 *	  Add		a handler	 4 instructions		total: 4
 *	  JS:*norm	a call		 6 instructions		norm: 6 of its own
 *
 * When a method has become hot, its entry jumps to code of the next tier, or compiled code
 * calls the runtime first of all, which jumps to the method's beginning. Neither is another
 * call. The first is seen when it happens: a method that is reached from itself by jumps
 * alone was called once. The second is seen when both end at the same instant and the
 * outer one has done nothing since.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/calls/calltrace.h"
#include "analysis/counted.h"
#include "analysis/hot/rows.h"
#include "base/append.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/pattern.h"
#include "program/made/name.h"

enum {
	METHOD_SELF = HOT_COMMON,
	METHOD_NAME,
	METHOD_SOURCE,
	METHOD_INTERPRETED,
	METHOD_COMPILED,
	METHOD_OPTIMISED,
	METHOD_PATH,
	METHOD_LINE,
	COLUMNS
};

static const struct table_column columns[COLUMNS] = {
	HOT_COLUMNS,
	[METHOD_SELF] = { "self", TABLE_COUNT, false },
	[METHOD_NAME] = { "method", TABLE_TEXT, false, true },
	[METHOD_SOURCE] = { "source", TABLE_TEXT, .spare = 2 },
	[METHOD_INTERPRETED] = { "interpreted", TABLE_COUNT, true },
	[METHOD_COMPILED] = { "compiled", TABLE_COUNT, true },
	[METHOD_OPTIMISED] = { "optimised", TABLE_COUNT, true },
	[METHOD_PATH] = { "path", TABLE_TEXT, true },
	[METHOD_LINE] = { "line", TABLE_COUNT, true },
};

enum tier { INTERPRETED, COMPILED, OPTIMISED };

struct method {
	struct made_name is;
	uint64_t insns, self, executions;
	uint64_t by_tier[TALLY_TIERS]; /* of `insns` */
};

/* What an entity is; method 0 is the runtime. */
struct code {
	uint32_t method;
	uint8_t tier;
};

struct frame {
	struct code nearest;
	uint32_t entity;
	bool own;	/* it is the method's */
	bool jumps;	/* the method's frame, or reached from it by jumps alone */
	bool jumped_to; /* the method's, entered by a jump */
	bool resumed;	/* it ran again after it had called something */
	bool called;
};

struct gathering {
	const struct sites *sites;
	struct code *code;	/* [entities + 1] */
	struct method *methods; /* [n], 0 of which is the runtime */
	uint64_t *native;	/* [entities + 1] of the runtime's, in frames of these */
	uint32_t n;
	struct interner names;
	struct frame *frames; /* [depth] */
	size_t depth;
	uint64_t since; /* instructions from here on are not counted yet */
	uint32_t left; /* the method that was left last, by its return, if it was jumped to */
	uint64_t left_insn;
	bool failed; /* no memory */
};

/* ---- which code is a method's -------------------------------------------- */

static uint8_t tier_of(char mark)
{
	return mark == '~' ? INTERPRETED : mark == '*' ? OPTIMISED : COMPILED;
}

static bool add_code(struct gathering *gathering, uint32_t entity, const char *symbol)
{
	struct method method = { .is = made_name_of(symbol) };
	uint32_t number;
	bool fresh;

	if (!method.is.is_method)
		return true;
	number = intern(&gathering->names, 0, (const uint8_t *)method.is.name,
			(uint32_t)method.is.bytes, &fresh);
	gathering->code[entity] = (struct code){ number, tier_of(method.is.tier) };
	return number && (!fresh || APPEND(gathering->methods, gathering->n, method));
}

static bool add_all_code(struct gathering *gathering, const struct counted *hot)
{
	uint32_t n = sites_entities(gathering->sites);
	const struct method runtime = { .is = { .name = "[runtime]", .name_bytes = 9 } };
	bool good = APPEND(gathering->methods, gathering->n, runtime);

	gathering->code = calloc(n + 1ul, sizeof(*gathering->code));
	gathering->native = calloc(n + 1ul, sizeof(*gathering->native));
	good = good && gathering->code && gathering->native;
	for (uint32_t i = 1; good && i <= n; i++) {
		const struct function *function = functions_get(
			hot->functions, sites_entity(gathering->sites, i)->function);

		if (function->symbol)
			good = add_code(gathering, i, function->symbol);
	}
	return good;
}

/* ---- whose instructions are ---------------------------------------------- */

static struct frame top_of(const struct gathering *gathering)
{
	return gathering->depth ? gathering->frames[gathering->depth - 1] :
				  (struct frame){ .own = true };
}

/* All instructions before `insn` are of what is on top. */
static void spend(struct gathering *gathering, uint64_t insn)
{
	struct frame top = top_of(gathering);
	struct method *method = &gathering->methods[top.nearest.method];
	uint64_t insns = insn > gathering->since ? insn - gathering->since : 0;

	method->insns += insns;
	method->self += top.own ? insns : 0;
	if (gathering->depth && insns && top.called)
		gathering->frames[gathering->depth - 1].resumed = true;
	if (top.nearest.method)
		method->by_tier[top.nearest.tier] += insns;
	else
		gathering->native[top.entity] += insns;
	gathering->since = insn > gathering->since ? insn : gathering->since;
}

static void enter(void *cookie, const struct calltrace_call *call)
{
	struct gathering *gathering = cookie;
	struct frame top = top_of(gathering), frame;
	struct code code = gathering->code[call->frame->entity];
	bool jump = call->frame->kind == FRAME_TAIL && top.jumps;

	if (gathering->failed)
		return;
	spend(gathering, call->frame->insn);
	if (gathering->depth)
		gathering->frames[gathering->depth - 1].called = true;
	frame = (struct frame){
		.nearest = top.nearest,
		.entity = call->frame->entity,
		.own = !top.nearest.method && !code.method,
		.jumps = jump,
	};
	if (code.method) {
		bool again = jump && top.nearest.method == code.method;

		gathering->methods[code.method].executions += call->frame->entered &&
							      !again;
		frame = (struct frame){
			.nearest = code,
			.own = true,
			.jumps = true,
			.jumped_to = call->frame->entered && !again &&
				     call->frame->kind == FRAME_TAIL,
		};
	}
	if (!APPEND(gathering->frames, gathering->depth, frame))
		gathering->failed = true;
}

static void leave(void *cookie, const struct callstack_frame *frame, uint64_t insn,
		  bool over)
{
	struct gathering *gathering = cookie;
	struct frame left;

	(void)frame, (void)over;
	/* After a failure calls end that were not noted. */
	if (gathering->failed)
		return;
	spend(gathering, insn);
	left = gathering->frames[--gathering->depth];
	if (!left.own || !left.nearest.method)
		return;
	/* The inner one took its place. */
	if (left.nearest.tier != INTERPRETED && !left.resumed &&
	    gathering->left == left.nearest.method && gathering->left_insn == insn)
		gathering->methods[left.nearest.method].executions--;
	gathering->left = left.jumped_to ? left.nearest.method : 0;
	gathering->left_insn = insn;
}

static bool more(void *cookie)
{
	const struct gathering *gathering = cookie;

	return !gathering->failed;
}

/* The instructions of a thread within the selection end here. */
static uint64_t end_of(const struct counted *hot, unsigned stream)
{
	struct wm_stream is;
	uint64_t end = wm_trace_stream(hot->trace, stream, &is) ? 0 : is.insns;

	return end < hot->selection->to ? end : hot->selection->to;
}

static int gather(struct gathering *gathering, const struct counted *hot,
		  struct wm_error *err)
{
	const struct selection *selection = hot->selection;
	struct calltrace calltrace = {
		.trace = hot->trace,
		.sites = gathering->sites,
		.from = selection->from,
		.to = selection->to,
		.enter = enter,
		.leave = leave,
		.more = more,
		.cookie = gathering,
	};
	int ret = 0;

	if (!add_all_code(gathering, hot))
		return wm_fail_nomem(err, "methods");
	for (unsigned i = 0; i < selection->n && !ret && !gathering->failed; i++) {
		gathering->since = selection->from;
		gathering->depth = 0;
		gathering->left = 0;
		ret = calltrace_run(&calltrace, selection->streams[i], err);
		spend(gathering, end_of(hot, selection->streams[i]));
	}
	return !ret && gathering->failed ? wm_fail_nomem(err, "methods") : ret;
}

/* ---- the table ----------------------------------------------------------- */

/* "name" or, of a function without one, "(anonymous)"; its place is the other column. */
static void put_names(struct table *table, const struct made_name *is)
{
	char text[512], file[512], room[512];
	const char *path;

	made_name_own(is, text, sizeof(text));
	table_text(table, METHOD_NAME, text);
	if (!is->file_bytes)
		return;
	snprintf(file, sizeof(file), "%.*s", (int)is->file_bytes, is->file);
	path = made_name_path(file, room, sizeof(room));
	snprintf(text, sizeof(text), "%s", counted_base_name(path));
	if (is->line)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), ":%u",
			 is->line);
	table_text(table, METHOD_SOURCE, text);
	table_text(table, METHOD_PATH, path);
	if (is->line)
		table_count(table, METHOD_LINE, is->line);
}

static void put_tiers(struct table *table, const uint64_t insns[TALLY_TIERS])
{
	for (unsigned i = 0; i < TALLY_TIERS; i++)
		table_count(table, METHOD_INTERPRETED + i, insns[i]);
}

static void put_method(const struct counted *hot, struct table *table,
		       const struct method *method)
{
	const struct hot_tally tally = { .insns = method->insns };

	hot_put_tally(hot, table, &tally);
	table_count(table, METHOD_SELF, method->self);
	put_names(table, &method->is);
	if (!method->is.is_method)
		return;
	table_count(table, HOT_EXECUTIONS, method->executions);
	put_tiers(table, method->by_tier);
}

struct rows {
	const struct counted *hot;
	struct table *table;
};

static void put_interpreted(void *cookie, const struct hot_interpreted *method)
{
	const struct rows *rows = cookie;
	const struct hot_tally tally = { .insns = code_tally_insns(&method->sum) };
	const struct made_name is = { .name = method->name,
				      .name_bytes = strlen(method->name),
				      .file = method->file,
				      .file_bytes = strlen(method->file),
				      .line = method->line };

	hot_put_tally(rows->hot, rows->table, &tally);
	put_names(rows->table, &is);
	if (!method->ran)
		return;
	table_count(rows->table, HOT_EXECUTIONS, method->sum.executions);
	put_tiers(rows->table, method->sum.insns);
}

/* Of a trace with bytecodes. */
static int fill_interpreted(struct table *table, const struct counted *hot,
			    struct wm_error *err)
{
	struct rows rows = { hot, table };

	return hot_interpreted_each(hot, put_interpreted, &rows, err);
}

static bool wants(const struct counted *hot, const struct method *method)
{
	char name[512];

	made_name_own(&method->is, name, sizeof(name));
	return !hot->function ||
	       (method->is.is_method && pattern_fits(hot->function, name));
}

/* What is no method's, by function: an entity is one, or a part of one. */
static bool put_native(const struct counted *hot, struct table *table,
		       const struct gathering *gathering)
{
	uint32_t n = functions_count(hot->functions);
	uint64_t *insns = calloc(n + 1ul, sizeof(*insns));

	for (uint32_t i = 1; insns && i <= sites_entities(gathering->sites); i++)
		insns[sites_entity(gathering->sites, i)->function] +=
			gathering->native[i];
	for (uint32_t i = 1; insns && i <= n; i++) {
		const struct function *function = functions_get(hot->functions, i);
		const char *file = function->module ? function->module : "";
		struct method method = { .insns = insns[i], .self = insns[i] };

		method.is.name = function->name;
		method.is.name_bytes = strlen(function->name);
		method.is.file = file;
		method.is.file_bytes = strlen(file);
		if (insns[i])
			put_method(hot, table, &method);
	}
	if (insns && gathering->native[0]) {
		struct method rest = gathering->methods[0];

		rest.insns = rest.self = gathering->native[0];
		put_method(hot, table, &rest);
	}
	free(insns);
	return insns;
}

static int fill_made(struct table *table, const struct counted *hot, struct wm_error *err)
{
	struct gathering gathering = { .n = 0 };
	struct sites *sites;
	int ret = sites_new(&sites, hot->trace, hot->functions, hot->selection, err);

	if (ret)
		return ret;
	gathering.sites = sites;
	ret = gather(&gathering, hot, err);
	if (!ret && !hot->function && !put_native(hot, table, &gathering))
		ret = wm_fail_nomem(err, "methods");
	for (uint32_t i = 1; !ret && i < gathering.n; i++)
		if (gathering.methods[i].insns && wants(hot, &gathering.methods[i]))
			put_method(hot, table, &gathering.methods[i]);
	free(gathering.code);
	free(gathering.native);
	free(gathering.methods);
	free(gathering.frames);
	interner_fini(&gathering.names);
	sites_free(sites);
	return ret;
}

static int fill(struct table *table, const struct counted *hot, struct wm_error *err)
{
	int ret = fill_interpreted(table, hot, err);

	return ret == WM_END ? fill_made(table, hot, err) : ret;
}

const struct hot_kind hot_methods = { columns, COLUMNS, fill };
