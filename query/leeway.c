// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads what a user says may differ, and judges differences by it. Differences are few, so a
 * name of a function is looked up at each of them rather than turned into addresses, which
 * may be several, and change while a program runs.
 *
 * Example: "time" is no register of RISC-V's. It is a variable if a file of the run has one,
 * else a function, else an error: a name that was mistyped must not pass for leeway.
 */
#include "query/leeway.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/append.h"
#include "base/error.h"
#include "isa/registers.h"

void leeway_fini(struct leeway *leeway)
{
	free(leeway->moves);
	free(leeway->pairs);
	free(leeway->ranges);
	free(leeway->names);
	objects_free(leeway->objects);
	*leeway = (struct leeway){ .moves = NULL };
}

/* ---- to read ---------------------------------------------------------------------------- */

/* Reads a number; *at moves past it. */
static bool read_number(const char **at, uint64_t *number)
{
	char *end;

	if (**at < '0' || **at > '9')
		return false;
	*number = strtoull(*at, &end, 0);
	if (end == *at)
		return false;
	*at = end;
	return true;
}

/* Reads a separator and the number after it. */
static bool read_after(const char **at, char separator, uint64_t *number)
{
	if (**at != separator)
		return false;
	++*at;
	return read_number(at, number);
}

static int refuse(const char *text, const char *what, struct wm_error *err)
{
	return wm_fail(err, WM_E_RANGE, 0, "\"%s\" is not %s", text, what);
}

static int add_number(struct leeway *leeway, const char *text, struct wm_error *err)
{
	const char *at = text;
	uint64_t x, y, bytes = 1;
	bool good;

	if (!read_number(&at, &x))
		return refuse(text, "a register, name or number", err);
	if (read_after(&at, '=', &y)) {
		good = APPEND(leeway->pairs, leeway->n_pairs,
			      ((struct alike_pair){ x, y }));
	} else {
		read_after(&at, ',', &bytes);
		if (!bytes || bytes - 1 > UINT64_MAX - x)
			return refuse(text, "a range of addresses", err);
		good = APPEND(leeway->ranges, leeway->n_ranges,
			      ((struct leeway_range){ x, x + bytes - 1 }));
	}
	if (*at)
		return refuse(text, "ADDRESS, ADDRESS,BYTES or VALUE=VALUE", err);
	return good ? 0 : wm_fail_nomem(err, "what may differ");
}

int leeway_add(struct leeway *leeway, const char *text, struct wm_error *err)
{
	struct leeway_name name = { .text = text };

	if (!*text || (*text >= '0' && *text <= '9'))
		return add_number(leeway, text, err);
	return APPEND(leeway->names, leeway->n_names, name) ?
		       0 :
		       wm_fail_nomem(err, "what may differ");
}

int leeway_add_move(struct leeway *leeway, const char *text, struct wm_error *err)
{
	struct alike_move move = { .bytes = 1 };
	const char *at = text;
	bool sized;

	if (!read_number(&at, &move.a) || !read_after(&at, '=', &move.b))
		return refuse(text, "ADDRESS=ADDRESS or ADDRESS=ADDRESS,BYTES", err);
	sized = read_after(&at, ',', &move.bytes);
	if (*at || !move.bytes)
		return refuse(text, "ADDRESS=ADDRESS or ADDRESS=ADDRESS,BYTES", err);
	/* Without a size it is everything from there on. */
	if (!sized)
		move.bytes = UINT64_MAX - move.a;
	return APPEND(leeway->moves, leeway->n_moves, move) ?
		       0 :
		       wm_fail_nomem(err, "what may differ");
}

/* ---- names ------------------------------------------------------------------------------ */

/* Whether a file of the trace has a function of that name. */
static bool has_function(const struct source *a, const char *name)
{
	struct symbol_range range;

	for (uint32_t file = 0; file < symbols_files(a->symbols); file++)
		for (uint32_t i = 0; symbols_at(a->symbols, file, i, &range); i++)
			if (!strcmp(range.name, name))
				return true;
	return false;
}

static bool has_variable(const struct objects *objects, const struct source *a,
			 const char *name)
{
	struct object_range range;
	struct wm_process process;

	for (uint32_t space = 0; !wm_trace_process(a->trace, space, &process); space++)
		if (objects_find(objects, space, name, &range))
			return true;
	return false;
}

static int open_name(struct leeway *leeway, struct leeway_name *name,
		     const struct source *a, struct wm_error *err)
{
	const char *isa = wm_trace_meta(a->trace, "guest-isa");
	char hint[SUGGEST_TEXT];
	int ret = 0;

	name->number = isa ? register_number(isa, name->text) : -1;
	name->is_register = name->number >= 0;
	if (name->is_register)
		return 0;
	if (!leeway->objects)
		ret = objects_new(&leeway->objects, a->trace, a->symbols, err);
	if (ret)
		return ret;
	name->is_variable = has_variable(leeway->objects, a, name->text);
	if (name->is_variable || has_function(a, name->text))
		return 0;
	return wm_fail(err, WM_E_RANGE, 0,
		       "the program has no register, variable or function \"%s\"%s",
		       name->text, objects_suggest(hint, leeway->objects, name->text));
}

int leeway_open(struct leeway *leeway, const struct source *a, struct wm_error *err)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < leeway->n_names; i++)
		ret = open_name(leeway, &leeway->names[i], a, err);
	return ret;
}

/* ---- to judge --------------------------------------------------------------------------- */

/* The effect, of A if A has it. */
static const struct wm_access *of(const struct diff_value *value)
{
	return value->in_a ? &value->of_a : &value->of_b;
}

static bool is_memory(const struct wm_access *access)
{
	return access->kind == WM_ACCESS_LOAD || access->kind == WM_ACCESS_STORE ||
	       access->kind == WM_ACCESS_MEMORY;
}

/* Whether a byte of the access lies in a range. */
static bool touches(const struct wm_access *access, uint64_t first, uint64_t last)
{
	uint64_t end = access->address + (access->size ? access->size - 1u : 0);

	return is_memory(access) && access->address <= last && end >= first;
}

static bool is_in_function(const struct leeway_use *use, const struct diff_value *value,
			   uint32_t id, const char *name)
{
	const struct wm_trace *trace = use->a->trace;
	struct wm_block block;
	struct symbol symbol;
	uint64_t pc;
	bool is;

	if (!id || wm_trace_block(trace, id, &block))
		return false;
	pc = block.address;
	for (uint32_t i = 0; i < value->of_a.insn; i++)
		pc += block.sizes[i];
	pthread_mutex_lock(use->lock);
	is = symbols_find(use->a->symbols, use->space, pc, id, &symbol) &&
	     !strcmp(symbol.name, name);
	pthread_mutex_unlock(use->lock);
	return is;
}

static bool name_allows(const struct leeway_use *use, const struct leeway_name *name,
			const struct diff_value *value, uint32_t id)
{
	const struct wm_access *access = of(value);
	struct object_range range;

	if (name->is_register)
		return !is_memory(access) && access->address == (uint64_t)name->number;
	if (!name->is_variable)
		return is_in_function(use, value, id, name->text);
	return objects_find(use->leeway->objects, use->space, name->text, &range) &&
	       touches(access, range.start, range.last);
}

bool leeway_allows(void *cookie, const struct diff_value *value, uint32_t id)
{
	const struct leeway_use *use = cookie;
	const struct leeway *leeway = use->leeway;

	for (size_t i = 0; i < leeway->n_ranges; i++)
		if (touches(of(value), leeway->ranges[i].first, leeway->ranges[i].last))
			return true;
	for (size_t i = 0; i < leeway->n_names; i++)
		if (name_allows(use, &leeway->names[i], value, id))
			return true;
	return false;
}
