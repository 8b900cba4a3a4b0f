// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The part of "mem" that lists values that are no accesses of memory by the program:
 * those that `record --value` read at places, and those that instructions wrote to
 * registers, which `record --commits` records. They travel in the same lists as accesses;
 * `others` of struct mem_wanted selects them.
 *
 * A place is a line of the trace's META value_places and is printed as the user gave it.
 * Example: value_places is "malloc:a0,ret\nfree:a0"; a value with place 2 is printed with
 * "free:a0", one with place 0 was not asked for at a place, so its cell is empty.
 */
#include <stdio.h>
#include <string.h>

#include "analysis/mem/walk.h"
#include "base/error.h"
#include "isa/registers.h"
#include "query/questions/mem.h"
#include "trace/access_text.h"
#include "trace/values.h"

enum {
	COLUMN_INSN, /* ordinal in the thread */
	COLUMN_THREAD,
	COLUMN_PC,	 /* of the instruction */
	COLUMN_KIND,	 /* access_kind() */
	COLUMN_PLACE,	 /* as given to --value; empty for values of --commits */
	COLUMN_REGISTER, /* empty for memory */
	COLUMN_ADDRESS,	 /* of memory; empty for a register */
	COLUMN_VALUE,
	COLUMN_FUNCTION,
	COLUMN_MODULE,
	COLUMNS,
};

static const struct table_column all_columns[COLUMNS] = {
	[COLUMN_INSN] = { "insn", TABLE_COUNT, false },
	[COLUMN_THREAD] = { "thread", TABLE_COUNT, .spare = 2 },
	[COLUMN_PC] = { "pc", TABLE_ADDRESS, .spare = 1 },
	[COLUMN_KIND] = { "kind", TABLE_TEXT, false },
	[COLUMN_PLACE] = { "place", TABLE_TEXT, false, true },
	[COLUMN_REGISTER] = { "register", TABLE_TEXT, false },
	[COLUMN_ADDRESS] = { "address", TABLE_ADDRESS, .spare = 1 },
	[COLUMN_VALUE] = { "value", TABLE_TEXT, .hexadecimal = true },
	[COLUMN_FUNCTION] = { "function", TABLE_TEXT, false, true },
	[COLUMN_MODULE] = { "module", TABLE_TEXT, true },
};

unsigned mem_registers_columns(struct table_column *columns)
{
	memcpy(columns, all_columns, sizeof(all_columns));
	return COLUMNS;
}

struct listing {
	const struct query *query;
	struct table *table;
	const char *isa, *places; /* of META; NULL: the trace has none */
};

/* Finds line `place`, from 1. Few places are given, so a search for each row is cheap. */
static void put_place(const struct listing *listing, unsigned place)
{
	const char *line = listing->places;
	char text[256];

	for (; line && place > 1; place--) {
		line = strchr(line, '\n');
		/* To the character after it; a missing line stays NULL. */
		line += line != NULL;
	}
	if (!line || !place)
		return;
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(line, "\n"), line);
	table_text(listing->table, COLUMN_PLACE, text);
}

/* What was read or written. A register's number is its address. */
static void put_what(const struct listing *listing, const struct wm_access *access)
{
	const char *name = NULL;

	table_text(listing->table, COLUMN_KIND, access_kind(access));
	if (access->kind == WM_ACCESS_MEMORY) {
		table_count(listing->table, COLUMN_ADDRESS, access->address);
		return;
	}
	if (listing->isa)
		name = register_name(listing->isa, (unsigned)access->address);
	if (name)
		table_text(listing->table, COLUMN_REGISTER, name);
}

static int take(void *cookie, const struct mem_access *access, struct wm_error *err)
{
	char value[ACCESS_VALUE_TEXT];
	const struct listing *listing = cookie;
	struct functions *functions = listing->query->functions;
	struct table *table = listing->table;
	const struct function *function;
	uint32_t number =
		functions_at(functions, access->space, access->pc, access->id, NULL);

	/* 0 only for lack of memory: code without a symbol has a function, too. */
	if (!number)
		return wm_fail_nomem(err, "values of registers");
	if (listing->query->function &&
	    !functions_match(functions, number, listing->query->function))
		return 0;
	function = functions_get(functions, number);
	table_row(table);
	table_count(table, COLUMN_INSN, access->insn);
	table_count(table, COLUMN_THREAD, access->stream);
	table_count(table, COLUMN_PC, access->pc);
	put_what(listing, access->access);
	put_place(listing, access->access->place);
	table_text(table, COLUMN_VALUE, access_value(value, access->access));
	table_text(table, COLUMN_FUNCTION, function->name);
	table_text(table, COLUMN_MODULE, function->module);
	return table_is_full(table) ? WM_END : 0;
}

int mem_registers_fill(struct query *query, struct table *table, struct wm_error *err)
{
	const struct wm_trace *trace = query->source.trace;
	struct listing listing = {
		.query = query,
		.table = table,
		.isa = wm_trace_meta(trace, "guest-isa"),
		.places = wm_trace_meta(trace, "value_places"),
	};
	const struct mem_wanted wanted = {
		.from = query->selection.from,
		.to = query->selection.to,
		.others = true,
		.excerpts = query->selection.excerpts,
	};
	int ret = 0;

	if (query->selection.runner)
		ret = mem_list_shared(query, &wanted, take, &listing, err);
	/* WM_END of a thread is that of take(): the table is full. */
	for (unsigned i = 0; !ret && !query->selection.runner && i < query->selection.n;
	     i++)
		ret = mem_walk(trace, query->streams[i], &wanted, take, &listing, err);
	return ret == WM_END ? 0 : ret;
}
