// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lines of methods that an interpreter ran. A source file takes the place of a module, and
 * the name of a method, as a number, with an offset in its bytecode that of a place in it. So
 * all that is known of native code is known of methods, in the same tables and formats.
 *
 * The runtime told all methods that it has loaded, so a method that did not run is listed
 * with its lines, if another one of the same file ran.
 *
 * What a compiler added is left out, and copies of what was written once count together.
 *
 * A line ran as often as that bytecode of it which ran most. Of a line it is also counted
 * how many bytecodes and ways of branches it has, and how many of these ran. With several
 * runs these are the numbers of the one that reached most.
 *
 * Example: "return n if n < 2 else f(n)" has 9 bytecodes and a branch with 2 ways; f(1)
 * alone reaches 5 of them, and 1 way.
 */
#include "analysis/cover/cover_methods.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/cover/cover_index.h"
#include "analysis/methods/bytecodes.h"
#include "base/append.h"
#include "base/error.h"
#include "base/pattern.h"
#include "managed/added.h"

enum { TEXT = 512 };

struct adding {
	struct cover *cover;
	const struct cover_run *run;
	uint32_t number;
	const struct bytecodes *bytecodes;
	struct classes classes;
	uint32_t *sources; /* [methods] of the cover; 0: none */
	uint32_t *places;  /* [methods] name and first line, among texts; 0: none */
	uint32_t *same; /* [methods] the next one of a class that was loaded again; 0: none */
	bool *reached; /* [n_reached] by source: some of it ran */
	uint32_t n_reached;
};

static uint32_t intern_text(struct cover *cover, const char *text)
{
	bool fresh;

	return intern(&cover->sources, 0, (const uint8_t *)text,
		      (uint32_t)strlen(text) + 1, &fresh);
}

static bool is_wanted(const struct adding *adding, const struct unit *unit)
{
	const char *pattern = adding->run->of.function;

	return *unit->file && unit->n_lines &&
	       (!pattern || pattern_fits(pattern, unit->name));
}

/* The numbers of sources, and of which some ran. */
static bool find_sources(struct adding *adding)
{
	const struct methods *methods = adding->bytecodes->methods;

	adding->sources = calloc(methods->n, sizeof(*adding->sources));
	for (uint32_t i = 1; adding->sources && i < methods->n; i++) {
		if (!is_wanted(adding, methods->all[i]))
			continue;
		adding->sources[i] = intern_text(adding->cover, methods->all[i]->file);
		if (!adding->sources[i])
			return false;
	}
	adding->n_reached = adding->cover->sources.count + 1;
	adding->reached = calloc(adding->n_reached, sizeof(*adding->reached));
	for (uint32_t i = 1; adding->sources && adding->reached && i < methods->n; i++)
		if (adding->bytecodes->ran[i])
			adding->reached[adding->sources[i]] = true;
	return adding->sources && adding->reached;
}

static uint32_t place_of(const struct adding *adding, const struct unit *unit)
{
	char key[2 * TEXT], name[TEXT];

	method_name(unit, name, sizeof(name));
	snprintf(key, sizeof(key), "%s\n%u", name, method_line(unit));
	return intern_text(adding->cover, key);
}

/*
 * A class of Java that two class loaders have is there once: the first of its methods, which
 * first[place] is, has the others in its chain.
 */
static void chain(struct adding *adding, uint32_t *first, uint32_t number)
{
	const struct methods *methods = adding->bytecodes->methods;
	uint32_t place = adding->places[number], other = first[place];

	if (!other) {
		first[place] = number;
		return;
	}
	/* Another version of it, or what has no name of its own. */
	if (methods->all[number]->language != UNIT_JAVA ||
	    methods->all[other]->bytes != methods->all[number]->bytes)
		return;
	adding->same[number] = adding->same[other];
	adding->same[other] = number;
	adding->sources[number] = 0;
}

static bool find_places(struct adding *adding)
{
	const struct methods *methods = adding->bytecodes->methods;
	uint32_t *first;

	adding->places = calloc(methods->n, sizeof(*adding->places));
	adding->same = calloc(methods->n, sizeof(*adding->same));
	if (!adding->places || !adding->same)
		return false;
	for (uint32_t i = 1; i < methods->n; i++)
		if (adding->sources[i] && adding->reached[adding->sources[i]] &&
		    !(adding->places[i] = place_of(adding, methods->all[i])))
			return false;
	first = calloc(adding->cover->sources.count + 1, sizeof(*first));
	for (uint32_t i = 1; first && i < methods->n; i++)
		if (adding->places[i])
			chain(adding, first, i);
	free(first);
	return first != NULL;
}

/* ---- what a method has --------------------------------------------------- */

/* A method that is being added. */
struct method {
	struct adding *adding;
	uint32_t number, source, module;
	const struct unit *unit;
	uint64_t place; /* of its first bytecode, in the module */
	struct added added;
};

/* What ran at an offset, in all classes that it is of. */
static struct bytecode ran_at(const struct method *method, uint32_t offset)
{
	const struct adding *adding = method->adding;
	struct bytecode sum = { 0 };

	for (uint32_t n = method->number; n; n = adding->same[n]) {
		const struct bytecode *ran = adding->bytecodes->ran[n];

		sum.executions += ran ? ran[offset].executions : 0;
		sum.insns += ran ? ran[offset].insns : 0;
	}
	return sum;
}

/* Of a bytecode and its copies. */
static uint64_t executions(const struct method *method, uint32_t offset)
{
	uint64_t sum = 0;

	for (; offset != ADDED_NONE; offset = added_copy(&method->added, offset))
		sum += ran_at(method, offset).executions;
	return sum;
}

/* gone[ways->n]: how often each way was gone, of a branch or switch and its copies. */
static void count_ways(const struct method *method, uint32_t offset,
		       const struct unit_ways *ways, uint64_t *gone)
{
	const struct adding *adding = method->adding;
	struct unit_ways own;

	memset(gone, 0, ways->n * sizeof(*gone));
	for (; offset != ADDED_NONE; offset = added_copy(&method->added, offset)) {
		unit_ways(method->unit, offset, &own);
		for (uint32_t n = method->number; n; n = adding->same[n])
			for (uint32_t i = 0; i < ways->n && i < own.n; i++)
				gone[i] += bytecodes_way(adding->bytecodes, n, offset,
							 &own, i);
	}
}

static void reach(uint32_t *first, const struct adding *adding, uint64_t n)
{
	if (n && !*first)
		*first = adding->number;
}

/*
 * How often it was called. Java's compilers inline methods, and compiled code may begin behind the
 * first bytecode; what Python resumes is executed from there on, and called once.
 */
static uint64_t calls_of(const struct method *method)
{
	const struct adding *adding = method->adding;
	uint64_t calls = 0;

	if (method->unit->language != UNIT_JAVA)
		return ran_at(method, 0).executions;
	for (uint32_t n = method->number; n; n = adding->same[n])
		calls += adding->bytecodes->calls[n];
	return calls;
}

static bool add_function(const struct method *method)
{
	struct cover_function *function =
		cover_function_at(method->adding->cover, method->module, method->place);
	char name[TEXT];

	if (!function)
		return false;
	if (!function->name) {
		method_name(method->unit, name, sizeof(name));
		function->name = strdup(name);
		function->end = function->start + method->unit->bytes;
		function->line.source = method->source;
		function->line.number = method_line(method->unit);
		/* What comes before the first line has none. */
		for (uint32_t i = 0; i < method->unit->n_lines && !function->line.number;
		     i++)
			function->line.number = method->unit->lines[i].line;
	}
	function->executions += calls_of(method);
	for (uint32_t i = 0; i < method->unit->bytes; i++)
		function->insns += ran_at(method, i).insns;
	reach(&function->first, method->adding, function->insns);
	return function->name;
}

static bool add_branch(const struct method *method, uint32_t offset,
		       const struct unit_ways *ways, const uint64_t *gone)
{
	struct cover *cover = method->adding->cover;
	struct cover_branch *branch;

	if (offset >> COVER_METHOD_BITS || ways->n != 2)
		return true;
	branch = cover_branch_at(cover, method->module, method->place + offset);
	if (!branch)
		return false;
	branch->line.source = method->source;
	branch->line.number = unit_line(method->unit, offset);
	branch->executions += executions(method, offset);
	branch->not_taken += gone[0];
	branch->taken += gone[1];
	reach(&branch->first_taken, method->adding, branch->taken);
	reach(&branch->first_not_taken, method->adding, branch->not_taken);
	return true;
}

/* What a line has, before it is the cover's. */
struct line {
	uint32_t number;
	uint32_t bytecodes, reached, ways, ways_reached;
	uint64_t executions;
};

static bool add_line(const struct method *method, const struct line *is)
{
	const struct srcline at = { .source = method->source, .number = is->number };
	struct cover_line *line;

	if (!is->number)
		return true;
	line = cover_line_at(method->adding->cover, &at);
	if (!line)
		return false;
	/* Several methods may lie in one line, as the function of a lambda does. */
	if (line->run != method->adding->number) {
		line->run = method->adding->number;
		line->now = (struct cover_bytecodes){ 0 };
	}
	line->now.all += is->bytecodes;
	line->now.reached += is->reached;
	line->now.ways += is->ways;
	line->now.ways_reached += is->ways_reached;
	cover_most_bytecodes(&line->bytecodes, &line->now);
	if (is->executions > line->most)
		line->most = is->executions;
	reach(&line->first, method->adding, is->executions);
	return true;
}

/* Adds a bytecode to what its line has. */
static bool add_bytecode(const struct method *method, uint32_t offset, struct line *line)
{
	struct unit_ways ways;
	uint64_t n = executions(method, offset), gone[UNIT_WAYS];

	line->bytecodes++;
	line->reached += n != 0;
	if (n > line->executions)
		line->executions = n;
	if (!unit_ways(method->unit, offset, &ways))
		return true;
	count_ways(method, offset, &ways, gone);
	for (uint32_t i = 0; i < ways.n; i++) {
		if (!added_is_way(&method->added, offset, ways.to[i]))
			continue;
		line->ways++;
		line->ways_reached += gone[i] != 0;
	}
	return !method->adding->cover->has_branches ||
	       add_branch(method, offset, &ways, gone);
}

static int by_number(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* A method's bytecodes of one line may lie apart, as those of a loop do. */
static bool add_lines(const struct method *method, struct line *lines)
{
	const struct unit *unit = method->unit;
	size_t n = 0, length;
	bool good = true;

	for (uint32_t at = 0; good && (length = unit_length(unit, at));
	     at += (uint32_t)length) {
		struct line one = { .number = unit_line(unit, at) };

		if (!added_is_written(&method->added, at))
			continue;
		good = add_bytecode(method, at, &one);
		lines[n++] = one;
	}
	qsort(lines, n, sizeof(*lines), by_number);
	for (size_t i = 0; good && i < n;) {
		struct line sum = lines[i];

		for (i++; i < n && lines[i].number == sum.number; i++) {
			sum.bytecodes += lines[i].bytecodes;
			sum.reached += lines[i].reached;
			sum.ways += lines[i].ways;
			sum.ways_reached += lines[i].ways_reached;
			if (lines[i].executions > sum.executions)
				sum.executions = lines[i].executions;
		}
		good = add_line(method, &sum);
	}
	return good;
}

/* Whether somebody wrote any of it. */
static bool is_written(const struct method *method)
{
	size_t length;

	for (uint32_t at = 0; (length = unit_length(method->unit, at));
	     at += (uint32_t)length)
		if (added_is_written(&method->added, at))
			return true;
	return false;
}

static bool add_written(struct method *method)
{
	struct adding *adding = method->adding;
	uint64_t place = adding->places[method->number];
	struct cover_module *module;
	struct line *lines;
	bool good;

	module = cover_module_at(adding->cover, cover_path(adding->cover, method->source),
				 "");
	if (!module || place >> (COVER_PLACE_BITS - COVER_METHOD_BITS))
		return false;
	module->of_methods = true;
	method->module = (uint32_t)(module - adding->cover->modules);
	method->place = place << COVER_METHOD_BITS;
	lines = calloc(method->unit->bytes + 1, sizeof(*lines));
	good = lines && add_function(method) && add_lines(method, lines);
	free(lines);
	return good;
}

static bool add_method(struct adding *adding, uint32_t number)
{
	struct method method = { .adding = adding,
				 .number = number,
				 .source = adding->sources[number],
				 .unit = adding->bytecodes->methods->all[number] };
	bool good = added_find(&method.added, &adding->classes, method.unit);

	if (good && is_written(&method))
		good = add_written(&method);
	added_fini(&method.added);
	return good;
}

static bool add_methods(struct adding *adding)
{
	const struct methods *methods = adding->bytecodes->methods;
	bool good = find_sources(adding) && find_places(adding);

	for (uint32_t i = 1; good && i < methods->n; i++)
		if (adding->sources[i] && adding->reached[adding->sources[i]])
			good = add_method(adding, i);
	return good;
}

int cover_add_methods(struct cover *cover, const struct cover_run *run,
		      const struct bytecodes *bytecodes, uint32_t number,
		      struct wm_error *err)
{
	struct adding adding = { cover, run, number, bytecodes };
	const struct methods *methods = bytecodes->methods;
	int ret = methods ? classes_read(&adding.classes, methods->units, err) : 0;

	if (!ret && methods && !add_methods(&adding))
		ret = wm_fail_nomem(err, "coverage");
	/* `most` is of this run, as that of native lines was. */
	for (uint32_t i = 0; i < cover->n_lines; i++) {
		cover->lines[i].executions += cover->lines[i].most;
		cover->lines[i].most = 0;
	}
	classes_fini(&adding.classes);
	free(adding.sources);
	free(adding.reached);
	free(adding.places);
	free(adding.same);
	return ret;
}
