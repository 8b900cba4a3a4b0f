// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bytes of a cover, lists of varints and texts with the number of their entries before:
 *
 *	runs  texts  modules  functions  lines  branches  blocks
 *
 * The cover that they are added to has numbers of its own for texts, modules and runs. Texts and
 * modules are added in the order in which the runs met them, so their new numbers are those
 * that the runs would have given them; of runs the number is where they begin, and the old one.
 *
 * Example: the cover of the runs 1 and 2 gets the bytes of one run, in which f has first = 1. If
 * f was not reached before, it has first = 3 afterwards.
 *
 * Places in a module of methods have the number of a text in them (COVER_METHOD_BITS).
 */
#include "analysis/cover/cover_state.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/cover/cover_index.h"
#include "analysis/statebytes.h"
#include "base/append.h"
#include "base/error.h"

/* ---- put ----------------------------------------------------------------- */

static void put_line(struct buf *out, const struct srcline *line)
{
	buf_put_varint(out, line->source);
	buf_put_varint(out, line->number);
}

static void put_modules(const struct cover *cover, struct buf *out)
{
	buf_put_varint(out, cover->n_modules);
	for (uint32_t i = 0; i < cover->n_modules; i++) {
		const struct cover_module *module = &cover->modules[i];

		buf_put_string(out, module->path);
		buf_put_string(out, module->build_id);
		buf_put_varint(out, module->base);
		buf_put_varint(out, module->image_bytes);
		buf_put_varint(out, module->of_methods);
	}
}

static void put_functions(const struct cover *cover, struct buf *out)
{
	buf_put_varint(out, cover->n_functions);
	for (uint32_t i = 0; i < cover->n_functions; i++) {
		const struct cover_function *function = &cover->functions[i];

		buf_put_varint(out, function->module);
		buf_put_varint(out, function->start);
		buf_put_varint(out, function->end - function->start);
		buf_put_string(out, function->name ? function->name : "");
		put_line(out, &function->line);
		buf_put_varint(out, function->executions);
		buf_put_varint(out, function->insns);
		buf_put_varint(out, function->first);
	}
}

static void put_lines(const struct cover *cover, struct buf *out)
{
	buf_put_varint(out, cover->n_lines);
	for (uint32_t i = 0; i < cover->n_lines; i++) {
		const struct cover_line *line = &cover->lines[i];

		put_line(out, &line->line);
		buf_put_varint(out, line->executions);
		buf_put_varint(out, line->first);
		buf_put_varint(out, line->bytecodes.all);
		buf_put_varint(out, line->bytecodes.reached);
		buf_put_varint(out, line->bytecodes.ways);
		buf_put_varint(out, line->bytecodes.ways_reached);
	}
}

static void put_branches(const struct cover *cover, struct buf *out)
{
	buf_put_varint(out, cover->n_branches);
	for (uint32_t i = 0; i < cover->n_branches; i++) {
		const struct cover_branch *branch = &cover->branches[i];

		buf_put_varint(out, branch->module);
		buf_put_varint(out, branch->file_off);
		put_line(out, &branch->line);
		buf_put_varint(out, branch->executions);
		buf_put_varint(out, branch->taken);
		buf_put_varint(out, branch->not_taken);
		buf_put_varint(out, branch->first_taken);
		buf_put_varint(out, branch->first_not_taken);
	}
}

static void put_blocks(const struct cover *cover, struct buf *out)
{
	buf_put_varint(out, cover->n_blocks);
	for (uint32_t i = 0; i < cover->n_blocks; i++) {
		buf_put_varint(out, cover->blocks[i].module);
		buf_put_varint(out, cover->blocks[i].image_off);
		buf_put_varint(out, cover->blocks[i].bytes);
	}
}

void cover_put(const struct cover *cover, struct buf *out)
{
	buf_put_varint(out, cover->n_runs);
	for (uint32_t i = 0; i < cover->n_runs; i++)
		buf_put_string(out, cover->runs[i]);
	buf_put_varint(out, cover->sources.count);
	for (uint32_t i = 1; i <= cover->sources.count; i++)
		buf_put_string(out, cover_path(cover, i));
	put_modules(cover, out);
	put_functions(cover, out);
	put_lines(cover, out);
	put_branches(cover, out);
	put_blocks(cover, out);
}

/* ---- take ---------------------------------------------------------------- */

struct taking {
	struct cover *cover;
	struct span in;
	uint32_t before, n_runs; /* runs of the cover, and in the bytes */
	uint32_t *texts,
		n_texts; /* [n_texts + 1] the cover's numbers, by those of the bytes */
	uint32_t *modules, n_modules; /* [n_modules] */
	bool nomem;
};

/* A number up to `most`, in 32 bits. */
static uint32_t get_number(struct taking *taking, uint32_t most)
{
	return (uint32_t)state_below(&taking->in, most);
}

static uint32_t get_count(struct taking *taking)
{
	uint64_t n = state_count(&taking->in);

	taking->in.failed |= n >= UINT32_MAX;
	return taking->in.failed ? 0 : (uint32_t)n;
}

static bool goes_on(const struct taking *taking)
{
	return !taking->in.failed && !taking->nomem;
}

/* NULL: malformed, or no memory. */
static char *get_text(struct taking *taking)
{
	char *text = span_string(&taking->in);

	taking->nomem |= !text && !taking->in.failed;
	return text;
}

static void take_run(struct taking *taking)
{
	char *name = get_text(taking);

	if (!name || APPEND(taking->cover->runs, taking->cover->n_runs, name))
		return;
	taking->nomem = true;
	free(name);
}

static void take_text(struct taking *taking, uint32_t number)
{
	char *text = get_text(taking);
	bool fresh;

	if (!text)
		return;
	taking->texts[number] = intern(&taking->cover->sources, 0, (const uint8_t *)text,
				       (uint32_t)strlen(text) + 1, &fresh);
	taking->nomem |= !taking->texts[number];
	free(text);
}

/* The place of a module is that of the first run which had it mapped. */
static void fill_module(struct taking *taking, struct cover_module *module)
{
	uint64_t base = span_varint(&taking->in);
	uint64_t bytes = span_varint(&taking->in);

	if (!module->image_bytes)
		module->base = base;
	if (bytes > module->image_bytes)
		module->image_bytes = bytes;
	module->of_methods |= state_bool(&taking->in);
}

static void take_module(struct taking *taking, uint32_t number)
{
	char *path = get_text(taking), *build_id = path ? get_text(taking) : NULL;
	struct cover_module *module =
		build_id ? cover_module_at(taking->cover, path, build_id) : NULL;

	taking->nomem |= build_id && !module;
	if (module) {
		fill_module(taking, module);
		taking->modules[number] = (uint32_t)(module - taking->cover->modules);
	}
	free(path);
	free(build_id);
}

static uint32_t get_module(struct taking *taking)
{
	uint32_t number = get_number(taking, UINT32_MAX);

	taking->in.failed |= number >= taking->n_modules;
	return taking->in.failed ? 0 : taking->modules[number];
}

/* 0 stays 0. */
static uint32_t get_source(struct taking *taking)
{
	uint32_t number = get_number(taking, taking->n_texts);

	return number ? taking->texts[number] : 0;
}

static struct srcline get_line(struct taking *taking)
{
	struct srcline line = { .source = get_source(taking) };

	line.number = get_number(taking, UINT32_MAX);
	return line;
}

/* In a module of the cover. */
static uint64_t get_place(struct taking *taking, uint32_t module)
{
	const uint64_t most = (UINT64_C(1) << COVER_PLACE_BITS) - 1;
	uint64_t place = state_below(&taking->in, most), text;

	if (taking->in.failed || !taking->cover->modules[module].of_methods)
		return place;
	text = place >> COVER_METHOD_BITS;
	taking->in.failed |= !text || text > taking->n_texts;
	if (taking->in.failed)
		return 0;
	text = taking->texts[text];
	taking->nomem |= text >> (COVER_PLACE_BITS - COVER_METHOD_BITS);
	place &= (UINT64_C(1) << COVER_METHOD_BITS) - 1;
	return taking->nomem ? 0 : text << COVER_METHOD_BITS | place;
}

/* The run that was the first to reach something is an earlier one, if one had reached it. */
static void get_first(struct taking *taking, uint32_t *first)
{
	uint32_t run = get_number(taking, taking->n_runs);

	if (*first == COVER_NEVER && run != COVER_NEVER)
		*first = taking->before + run;
}

/* What is the same in all runs is known already when an earlier run has listed it. */
static void fill_function(struct taking *taking, struct cover_function *function)
{
	uint64_t bytes = span_varint(&taking->in);
	char *name = get_text(taking);
	struct srcline line = get_line(taking);

	if (function->name) {
		free(name);
	} else {
		function->name = name;
		function->end = function->start + bytes;
		function->line = line;
	}
	function->executions += span_varint(&taking->in);
	function->insns += span_varint(&taking->in);
	get_first(taking, &function->first);
}

static void take_function(struct taking *taking)
{
	uint32_t module = get_module(taking);
	uint64_t start = goes_on(taking) ? get_place(taking, module) : 0;
	struct cover_function *function =
		goes_on(taking) ? cover_function_at(taking->cover, module, start) : NULL;

	if (function)
		fill_function(taking, function);
	else
		taking->nomem |= goes_on(taking);
}

static void fill_line(struct taking *taking, struct cover_line *line)
{
	struct cover_bytecodes bytecodes;

	line->executions += span_varint(&taking->in);
	get_first(taking, &line->first);
	bytecodes.all = get_number(taking, UINT32_MAX);
	bytecodes.reached = get_number(taking, UINT32_MAX);
	bytecodes.ways = get_number(taking, UINT32_MAX);
	bytecodes.ways_reached = get_number(taking, UINT32_MAX);
	cover_most_bytecodes(&line->bytecodes, &bytecodes);
}

static void take_line(struct taking *taking)
{
	struct srcline at = get_line(taking);
	struct cover_line *line = NULL;

	taking->in.failed |= !at.source;
	if (goes_on(taking))
		line = cover_line_at(taking->cover, &at);
	if (line)
		fill_line(taking, line);
	else
		taking->nomem |= goes_on(taking);
}

static void fill_branch(struct taking *taking, struct cover_branch *branch)
{
	struct srcline line = get_line(taking);

	if (!branch->line.source)
		branch->line = line;
	branch->executions += span_varint(&taking->in);
	branch->taken += span_varint(&taking->in);
	branch->not_taken += span_varint(&taking->in);
	get_first(taking, &branch->first_taken);
	get_first(taking, &branch->first_not_taken);
}

static void take_branch(struct taking *taking)
{
	uint32_t module = get_module(taking);
	uint64_t place = goes_on(taking) ? get_place(taking, module) : 0;
	struct cover_branch *branch =
		goes_on(taking) ? cover_branch_at(taking->cover, module, place) : NULL;

	if (branch)
		fill_branch(taking, branch);
	else
		taking->nomem |= goes_on(taking);
}

static void take_block(struct taking *taking)
{
	struct cover *cover = taking->cover;
	struct cover_block block = { .module = get_module(taking) };

	block.image_off = span_varint(&taking->in);
	block.bytes = get_number(taking, UINT32_MAX);
	if (goes_on(taking))
		taking->nomem |= !APPEND(cover->blocks, cover->n_blocks, block);
}

/* Runs, texts and modules: what the rest refers to. */
static void take_names(struct taking *taking)
{
	taking->n_runs = get_count(taking);
	for (uint32_t i = 0; i < taking->n_runs && goes_on(taking); i++)
		take_run(taking);
	taking->n_texts = get_count(taking);
	taking->texts = calloc(taking->n_texts + 1ul, sizeof(*taking->texts));
	taking->nomem |= !taking->texts;
	for (uint32_t i = 1; i <= taking->n_texts && goes_on(taking); i++)
		take_text(taking, i);
	taking->n_modules = get_count(taking);
	taking->modules = calloc(taking->n_modules + 1ul, sizeof(*taking->modules));
	taking->nomem |= !taking->modules;
	for (uint32_t i = 0; i < taking->n_modules && goes_on(taking); i++)
		take_module(taking, i);
}

int cover_take(struct cover *cover, struct span in, struct wm_error *err)
{
	static void (*const lists[])(struct taking * taking) = { take_function, take_line,
								 take_branch,
								 take_block };
	struct taking taking = { .cover = cover, .in = in, .before = cover->n_runs };

	take_names(&taking);
	for (unsigned i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		for (uint32_t n = get_count(&taking); n && goes_on(&taking); n--)
			lists[i](&taking);
	free(taking.texts);
	free(taking.modules);
	if (taking.nomem)
		return wm_fail_nomem(err, "coverage");
	if (taking.in.failed || span_left(&taking.in))
		return wm_fail(err, WM_E_FORMAT, 0, "a part's coverage is malformed");
	cover_fold(cover);
	return 0;
}
