// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A listing of methods that an interpreter ran: their bytecodes, in the columns that native
 * instructions have. What did not run is there with 0 executions, because the runtime told
 * all of the method.
 *
 * A bytecode's instructions are those from its fetch to that of the next one, with what the
 * runtime did for it, so its share is one of instructions, of all that the methods' bytecodes
 * took. Example: COMPARE_OP with 465 executions and 9,300 instructions takes 20 each.
 */
#include <stdio.h>
#include <string.h>

#include "analysis/hot/annotate-data.h"
#include "analysis/methods/bytecode_text.h"
#include "analysis/methods/bytecodes.h"
#include "base/error.h"

enum { TEXT_BYTES = 512, CODE_BYTES = 32 };

struct listing {
	const struct annotate *annotate;
	struct table *table;
	const struct bytecodes *bytecodes;
	struct bytecode_names names;
	uint32_t last_line; /* of the row before; 0: it is of another method */
};

static bool is_wanted(const struct listing *listing, uint32_t number)
{
	return listing->bytecodes->ran[number] &&
	       method_fits(listing->bytecodes->methods->all[number],
			   listing->annotate->of.function);
}

static void put_line(struct listing *listing, const struct unit *unit, uint32_t offset)
{
	const struct annotate *annotate = listing->annotate;
	const char *slash = strrchr(unit->file, '/');
	uint32_t line = unit_line(unit, offset);
	char text[TEXT_BYTES];

	if (!line)
		return;
	snprintf(text, sizeof(text), "%s:%u", slash ? slash + 1 : unit->file, line);
	table_text(listing->table, ANNOTATE_LINE, text);
	table_text(listing->table, ANNOTATE_SOURCE, unit->file);
	table_count(listing->table, ANNOTATE_NUMBER, line);
	if (line != listing->last_line)
		table_text(listing->table, ANNOTATE_TEXT,
			   annotate->text(annotate->cookie, unit->file, line));
	listing->last_line = line;
}

static void put_ways(const struct listing *listing, uint32_t number, uint32_t offset)
{
	const struct bytecodes *bytecodes = listing->bytecodes;
	struct unit_ways ways;

	if (!unit_ways(bytecodes->methods->all[number], offset, &ways) || ways.n != 2)
		return;
	table_count(listing->table, ANNOTATE_TAKEN,
		    bytecodes_way(bytecodes, number, offset, &ways, 1));
	table_count(listing->table, ANNOTATE_NOT_TAKEN,
		    bytecodes_way(bytecodes, number, offset, &ways, 0));
}

static void put_bytecode(struct listing *listing, uint32_t number, uint32_t offset,
			 size_t length, uint64_t all)
{
	const struct unit *unit = listing->bytecodes->methods->all[number];
	const struct bytecode *at = &listing->bytecodes->ran[number][offset];
	char name[TEXT_BYTES], text[2 * TEXT_BYTES], code[2 * CODE_BYTES + 1] = "";
	struct table *table = listing->table;

	table_row(table);
	table_count(table, ANNOTATE_EXECUTIONS, at->executions);
	if (at->executions && all)
		table_real(table, ANNOTATE_SHARE, (double)at->insns / (double)all);
	put_ways(listing, number, offset);
	method_name(unit, name, sizeof(name));
	snprintf(text, sizeof(text), offset ? "%s@%u" : "%s", name, offset);
	table_text(table, ANNOTATE_PLACE, text);
	bytecode_text(&listing->names, unit, offset, text, sizeof(text));
	table_text(table, ANNOTATE_DISASSEMBLY, text);
	for (size_t i = 0; i < length && i < CODE_BYTES; i++)
		sprintf(code + 2 * i, "%02x", unit->code[offset + i]);
	table_text(table, ANNOTATE_CODE, code);
	table_text(table, ANNOTATE_FUNCTION, name);
	table_count(table, ANNOTATE_OFFSET, offset);
	table_text(table, ANNOTATE_PATH, unit->file);
	table_count(table, ANNOTATE_INSNS, at->insns);
	put_line(listing, unit, offset);
}

static void put_method(struct listing *listing, uint32_t number, uint64_t all)
{
	const struct unit *unit = listing->bytecodes->methods->all[number];
	size_t length;

	listing->last_line = 0;
	for (uint32_t at = 0; (length = unit_length(unit, at)); at += (uint32_t)length)
		put_bytecode(listing, number, at, length, all);
}

/* The instructions of all that is listed. */
static uint64_t sum_insns(const struct listing *listing)
{
	const struct methods *methods = listing->bytecodes->methods;
	uint64_t sum = 0;

	for (uint32_t i = 1; i < methods->n; i++)
		for (uint32_t k = 0; is_wanted(listing, i) && k < methods->all[i]->bytes;
		     k++)
			sum += listing->bytecodes->ran[i][k].insns;
	return sum;
}

int annotate_methods(struct table *table, const struct annotate *annotate, bool *hinted,
		     struct wm_error *err)
{
	struct bytecodes bytecodes;
	struct listing listing = { .annotate = annotate,
				   .table = table,
				   .bytecodes = &bytecodes };
	char near[METHODS_HINT] = "";
	int ret = bytecodes_gather(&bytecodes, annotate->of.trace, annotate->of.functions,
				   annotate->of.selection, false, err);
	uint64_t all = !ret && bytecodes.methods ? sum_insns(&listing) : 0;

	if (all)
		ret = bytecode_names_read(&listing.names, bytecodes.methods->units, err);
	for (uint32_t i = 1; !ret && all && i < bytecodes.methods->n; i++)
		if (is_wanted(&listing, i))
			put_method(&listing, i, all);
	bytecode_names_fini(&listing.names);
	if (!ret && !all && bytecodes.methods)
		methods_hint(near, bytecodes.methods->units, annotate->of.function);
	bytecodes_fini(&bytecodes);
	*hinted = *near;
	if (!ret && !all)
		ret = wm_fail(err, WM_E_RANGE, 0, "no method \"%.40s\" ran%s",
			      annotate->of.function, near);
	return ret;
}
