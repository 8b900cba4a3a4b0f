// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which units are one method. A number is all that analyses keep of a method, so that they
 * count in arrays.
 *
 * Example: CPython frees the code of a module when that is reloaded, and makes it again
 * elsewhere: "f", "app.py", the same lines and code. Both units have the same number. Functions
 * that exec() makes may have all in common but their code: these have numbers of their own.
 */
#include "managed/methods.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/intern.h"
#include "base/nearest.h"
#include "base/pattern.h"
#include "isa/python.h"
#include "managed/strangers.h"

void method_name(const struct unit *unit, char *text, size_t size)
{
	snprintf(text, size, "%s%s", unit->name, unit->detail);
}

bool method_fits(const struct unit *unit, const char *pattern)
{
	char name[512];

	method_name(unit, name, sizeof(name));
	return pattern_fits(pattern, unit->name) || pattern_fits(pattern, name);
}

/* Behind the class, or the function around it. */
static const char *last_part(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && dot[1] ? dot + 1 : name;
}

/*
 * The method's name that `typed` is the last part of, or a pattern in text[METHODS_HINT] where several
 * have it; NULL: none has.
 */
static const char *by_part(const struct units *units, const char *typed,
			   char text[METHODS_HINT])
{
	const char *found = NULL;

	for (size_t i = 0; i < units->n; i++) {
		const char *name = units->all[i].name;

		if (strcmp(last_part(name), typed) != 0)
			continue;
		if (found && strcmp(found, name) != 0) {
			snprintf(text, METHODS_HINT, "*.%s", typed);
			return text;
		}
		found = name;
	}
	return found;
}

const char *methods_hint(char *text, const struct units *units, const char *typed)
{
	struct nearest nearest = { .typed = typed };
	char pattern[METHODS_HINT];
	const char *near = by_part(units, typed, pattern);
	bool part = near;

	for (size_t i = 0; i < units->n && !part; i++)
		if (nearest_try(&nearest, units->all[i].name))
			near = units->all[i].name;
	/* A pattern is no name, and a method that has just that name was meant: it did not run. */
	if (!near || !strcmp(near, typed) || strlen(near) + 24 > METHODS_HINT ||
	    strpbrk(typed, "*?"))
		*text = 0;
	else
		snprintf(text, METHODS_HINT, "; did you mean \"%s\"?", near);
	return text;
}

uint32_t method_line(const struct unit *unit)
{
	size_t begin = 0;

	if (unit->python)
		begin = python_begins(unit->python, unit->code, unit->bytes);
	return unit->n_lines ? unit_line(unit, begin) : 0;
}

void method_title(const struct unit *unit, char *text, size_t size)
{
	const char *slash = strrchr(unit->file, '/');
	const char *base = slash ? slash + 1 : unit->file;

	if (!*base)
		method_name(unit, text, size);
	else if (method_line(unit))
		snprintf(text, size, "%s%s (%s:%u)", unit->name, unit->detail, base,
			 method_line(unit));
	else
		snprintf(text, size, "%s%s (%s)", unit->name, unit->detail, base);
}

uint32_t method_function(struct functions *functions, const struct unit *unit)
{
	char title[512], name[512];

	method_title(unit, title, sizeof(title));
	method_name(unit, name, sizeof(name));
	return functions_named(functions, title, name, unit->file);
}

/* What units of one method have in common. */
static void put_key(struct buf *key, const struct unit *unit)
{
	buf_put_string(key, unit->name);
	buf_put_string(key, unit->detail);
	buf_put_string(key, unit->file);
	buf_put_varint(key, unit->n_lines);
	if (unit->n_lines)
		buf_put(key, unit->lines, unit->n_lines * sizeof(*unit->lines));
	buf_put(key, unit->code, unit->bytes);
}

/* Its number; 0: no memory. Numbers are those of `names`, in the order of first use. */
static uint32_t number_of(struct methods *methods, struct interner *names,
			  const struct unit *unit)
{
	struct buf key = BUF_INIT;
	uint32_t number = 0;
	bool fresh;

	put_key(&key, unit);
	if (!key.failed && key.len <= UINT32_MAX)
		number = intern(names, 0, key.data, (uint32_t)key.len, &fresh);
	buf_fini(&key);
	if (number && fresh && !APPEND(methods->all, methods->n, unit))
		return 0;
	return number;
}

int methods_init(struct methods *methods, const struct units *units, struct wm_error *err)
{
	const struct unit *none = NULL;
	struct interner names = INTERNER_INIT;
	bool good;

	*methods = (struct methods){ .units = units };
	methods->numbers = calloc(units->n + 1, sizeof(*methods->numbers));
	good = methods->numbers && APPEND(methods->all, methods->n, none);
	for (size_t i = 0; good && i < units->n; i++) {
		methods->numbers[i] = number_of(methods, &names, &units->all[i]);
		good = methods->numbers[i];
	}
	interner_fini(&names);
	return good ? 0 : wm_fail_nomem(err, "methods");
}

bool methods_have_sites(const struct wm_trace *trace)
{
	const char *values = wm_trace_meta(trace, "values");

	return values && strstr(values, "sites");
}

/* A guide that follows no bytecodes has other answers. */
int methods_missing(const struct wm_trace *trace, const char *which, struct wm_error *err)
{
	const char *guide = wm_trace_meta(trace, "guide");
	const char *isa = wm_trace_meta(trace, "guest-isa");
	char *stranger = guide ? stranger_find(trace) : NULL;

	if (isa && strcmp(isa, "riscv64") != 0)
		return wm_fail(err, WM_E_RANGE, 0,
			       "%shas no bytecodes: there are guides for riscv64 only",
			       which);
	if (stranger) {
		wm_fail(err, WM_E_RANGE, 0,
			"%shas no bytecodes: guide %.40s does not know %.80s", which,
			guide, stranger);
		free(stranger);
		return WM_E_RANGE;
	}
	if (!guide)
		return wm_fail(
			err, WM_E_RANGE, 0,
			"%shas no bytecodes: record a managed program with --guide",
			which);
	if (methods_have_sites(trace))
		return wm_fail(err, WM_E_RANGE, 0,
			       "%shas no bytecodes: guide %.40s saw no runtime begin",
			       which, guide);
	return wm_fail(
		err, WM_E_RANGE, 0,
		"%shas no bytecodes, only the functions that guide %.40s names: ask "
		"`hot --by method`, `calls` or `report`",
		which, guide);
}

void methods_fini(struct methods *methods)
{
	free(methods->numbers);
	free(methods->all);
	*methods = (struct methods){ .n = 0 };
}
