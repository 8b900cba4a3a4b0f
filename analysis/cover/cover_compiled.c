// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Adds what a compiler made of a method to the method, when all runs are there: a program has
 * one function there, which ran however it was executed. Compiled code has the method's name without
 * the signature, and the line at which it begins; where there are several methods of that name, it
 * is of the last one that begins no later. Optimised code may have no line.
 *
 * Code of methods that a cover leaves out, because the compiler of the language added them, is left out,
 * too: that of a source file of which other methods are there.
 *
 * Example: "Bank.fib [C1 tier 3]" of Bank.java:13 is added to "Bank.fib(I)I" of the same line.
 */
#include "analysis/cover/cover_compiled.h"

#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "program/made/name.h"

/* The methods of a cover. */
struct by_name {
	struct cover_function **all; /* [n] by name and line */
	size_t n;
	bool *sources; /* [n_sources] whether a source file has any */
	uint32_t n_sources;
};

static size_t stem_bytes(const char *name)
{
	return strcspn(name, "(");
}

static int by_stem(const char *stem, size_t bytes, const struct cover_function *function)
{
	size_t other = stem_bytes(function->name);
	int order = memcmp(stem, function->name, bytes < other ? bytes : other);

	return order ? order : (bytes > other) - (bytes < other);
}

static int in_order(const void *a, const void *b)
{
	const struct cover_function *x = *(struct cover_function *const *)a;
	const struct cover_function *y = *(struct cover_function *const *)b;
	int order = by_stem(x->name, stem_bytes(x->name), y);

	if (!order)
		order = (x->line.number > y->line.number) -
			(x->line.number < y->line.number);
	return order ? order : strcmp(x->name, y->name);
}

static bool find_methods(const struct cover *cover, struct by_name *methods)
{
	for (uint32_t i = 0; i < cover->n_functions; i++)
		if (cover->functions[i].line.source >= methods->n_sources)
			methods->n_sources = cover->functions[i].line.source + 1;
	methods->all = malloc((cover->n_functions + 1ul) * sizeof(*methods->all));
	methods->sources = calloc(methods->n_sources + 1ul, sizeof(*methods->sources));
	if (!methods->all || !methods->sources)
		return false;
	for (uint32_t i = 0; i < cover->n_functions; i++) {
		struct cover_function *function = &cover->functions[i];

		if (!cover->modules[function->module].of_methods)
			continue;
		methods->all[methods->n++] = function;
		methods->sources[function->line.source] = true;
	}
	if (methods->n)
		qsort(methods->all, methods->n, sizeof(*methods->all), in_order);
	return true;
}

/* The method that the code is of; NULL: none. Optimised code may have no line at its begin. */
static struct cover_function *method_of(const struct by_name *methods,
					const struct cover_function *code, size_t bytes)
{
	size_t i = BISECT(methods->n, k, by_stem(code->name, bytes, methods->all[k]) > 0);
	struct cover_function *found = NULL;

	for (; i < methods->n && !by_stem(code->name, bytes, methods->all[i]); i++) {
		struct cover_function *method = methods->all[i];

		if (code->line.source && code->line.source != method->line.source)
			continue;
		if (!found || method->line.number <= code->line.number)
			found = method;
	}
	return found;
}

/* Adds it to its method. False: it is no compiled code of a file whose methods are known. */
static bool join(const struct cover *cover, const struct by_name *methods,
		 const struct cover_function *code)
{
	const char *tier = strstr(code->name, " [");
	struct cover_function *method;

	if (!tier || strcmp(cover->modules[code->module].path, MADE_MODULE) != 0)
		return false;
	method = method_of(methods, code, (size_t)(tier - code->name));
	if (!method)
		return methods->sources[code->line.source];
	method->insns += code->insns;
	if (code->executions > method->executions)
		method->executions = code->executions;
	if (code->first && (!method->first || code->first < method->first))
		method->first = code->first;
	return true;
}

void cover_join_compiled(struct cover *cover)
{
	struct by_name methods = { .n = 0 };
	bool *joined = calloc(cover->n_functions + 1ul, sizeof(*joined));
	uint32_t n = 0;

	if (joined && find_methods(cover, &methods) && methods.n)
		for (uint32_t i = 0; i < cover->n_functions; i++)
			joined[i] = join(cover, &methods, &cover->functions[i]);
	for (uint32_t i = 0; joined && i < cover->n_functions; i++) {
		if (joined[i])
			free(cover->functions[i].name);
		else
			cover->functions[n++] = cover->functions[i];
	}
	if (joined)
		cover->n_functions = n;
	free(methods.all);
	free(methods.sources);
	free(joined);
}
