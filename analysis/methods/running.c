// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The instructions from a bytecode's begin to that of the thread's next one are its method's
 * (managed/labels.h). Most steps stay in the method, so who counts asks only where another bytecode
 * begins.
 *
 * Example: fib+2 begins at 100, fib+4 at 120, and 130 is the runtime's, behind a gap: asked for 100,
 * fib until 120; for 120, fib until 130; for 130, none.
 */
#include "analysis/methods/running.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/counted.h"
#include "base/error.h"
#include "managed/labels.h"

static int no_memory(struct wm_error *err)
{
	return wm_fail_nomem(err, "methods");
}

/* ---- the methods of a trace ---------------------------------------------- */

static bool is_wanted(const struct unit *unit, const char *pattern)
{
	return !pattern || method_fits(unit, pattern);
}

static bool number_methods(struct running_methods *methods, struct functions *functions,
			   const char *pattern)
{
	methods->functions = calloc(methods->index.n, sizeof(*methods->functions));
	for (uint32_t i = 1; methods->functions && i < methods->index.n; i++) {
		const struct unit *unit = methods->index.all[i];

		methods->functions[i] = is_wanted(unit, pattern) ?
						method_function(functions, unit) :
						RUNNING_OTHER;
		if (!methods->functions[i])
			return false;
	}
	return methods->functions;
}

/* The number of a line of a method; 0: no memory. */
static uint32_t number_line(struct functions *functions, const struct unit *unit,
			    uint32_t line)
{
	char place[512] = "", name[512];

	method_name(unit, name, sizeof(name));
	if (line)
		snprintf(place, sizeof(place), "%s:%" PRIu32,
			 counted_base_name(unit->file), line);
	return functions_named(functions, place, name, unit->file);
}

/* NULL: no memory. */
static uint32_t *number_offsets(struct functions *functions, const struct unit *unit)
{
	uint32_t *at = calloc(unit->bytes + 1ul, sizeof(*at));
	uint32_t last = 0, number = 0;

	for (uint32_t i = 0; at && i <= unit->bytes; i++) {
		uint32_t line = unit_line(unit, i);

		if (!i || line != last)
			number = number_line(functions, unit, line);
		if (!number) {
			free(at);
			return NULL;
		}
		at[i] = number;
		last = line;
	}
	return at;
}

static bool number_lines(struct running_methods *methods, struct functions *functions,
			 const char *pattern)
{
	methods->lines = calloc(methods->index.n, sizeof(*methods->lines));
	for (uint32_t i = 1; methods->lines && i < methods->index.n; i++) {
		const struct unit *unit = methods->index.all[i];

		if (!is_wanted(unit, pattern))
			continue;
		methods->lines[i] = number_offsets(functions, unit);
		if (!methods->lines[i])
			return false;
	}
	return methods->lines;
}

int running_methods_init(struct running_methods *methods, const struct wm_trace *trace,
			 struct functions *functions, enum running_by by,
			 const char *pattern, struct wm_error *err)
{
	int ret;

	*methods = (struct running_methods){ .none = pattern ? RUNNING_OTHER : 0,
					     .before = functions_count(functions) };
	ret = units_read(&methods->units, trace, err);
	if (!ret && !methods->units.n)
		return methods_missing(trace, "the trace ", err);
	if (!ret)
		ret = methods_init(&methods->index, &methods->units, err);
	if (!ret && !(by == RUNNING_BY_LINE ? number_lines : number_methods)(
			    methods, functions, pattern))
		ret = no_memory(err);
	methods->highest = functions_count(functions);
	return ret;
}

void running_methods_fini(struct running_methods *methods)
{
	for (uint32_t i = 0; methods->lines && i < methods->index.n; i++)
		free(methods->lines[i]);
	free(methods->lines);
	free(methods->functions);
	methods_fini(&methods->index);
	units_fini(&methods->units);
}

/* ---- a thread ------------------------------------------------------------ */

struct running {
	const struct running_methods *methods;
	struct labels *labels;
};

int running_new(struct running **out, const struct running_methods *methods,
		const struct wm_trace *trace, unsigned stream, struct wm_error *err)
{
	struct running *running = calloc(1, sizeof(*running));

	*out = running;
	if (!running)
		return no_memory(err);
	running->methods = methods;
	return labels_new(&running->labels, &methods->units, trace, stream, err);
}

void running_free(struct running *running)
{
	if (running)
		labels_free(running->labels);
	free(running);
}

static uint32_t function_of(const struct running_methods *methods,
			    const struct walk_step *label)
{
	uint32_t method = methods_number(&methods->index, label->unit);

	if (!methods->lines)
		return methods->functions[method];
	return methods->lines[method] ? methods->lines[method][label->offset] :
					RUNNING_OTHER;
}

int running_at(struct running *running, uint64_t insn, uint32_t *function,
	       struct wm_error *err)
{
	struct walk_step label = { .unit = NULL };
	int ret = labels_at(running->labels, insn, &label, err);

	*function = label.unit ? function_of(running->methods, &label) :
				 running->methods->none;
	return ret;
}

uint64_t running_until(const struct running *running)
{
	return labels_until(running->labels);
}
