// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The columns are those of `waymark insns --bytecodes --format csv`. They are an option, not
 * columns for -f, because they cost a walk through the thread from its begin.
 */
#include "query/questions/path_labels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "managed/label_source.h"

enum { METHOD, BYTECODE, OPCODE, METHOD_LINE, NOTE, LABEL_COLUMNS };

static const struct table_column label_columns[LABEL_COLUMNS] = {
	[METHOD] = { "method", TABLE_TEXT, false, true },
	[BYTECODE] = { "bytecode", TABLE_COUNT, false },
	[OPCODE] = { "opcode", TABLE_TEXT, false },
	[METHOD_LINE] = { "method_line", TABLE_COUNT, false },
	[NOTE] = { "note", TABLE_TEXT, false },
};

unsigned path_columns(const struct query *query, const struct table_column *own,
		      unsigned n, struct table_column *columns)
{
	memcpy(columns, own, n * sizeof(*own));
	if (!path_wants_labels(query))
		return n;
	memcpy(columns + n, label_columns, sizeof(label_columns));
	return n + LABEL_COLUMNS;
}

static int put(struct table *table, unsigned n, const struct walk_step *label,
	       struct wm_error *err)
{
	const struct unit *unit = label->unit;
	uint32_t line = unit_line(unit, label->offset);
	char *name;

	if (asprintf(&name, "%s%s", unit->name, unit->detail) < 0)
		return wm_fail_nomem(err, "labels");
	table_text(table, n + METHOD, name);
	free(name);
	table_count(table, n + BYTECODE, label->offset);
	table_text(table, n + OPCODE, unit_opcode(unit, label->offset));
	if (line)
		table_count(table, n + METHOD_LINE, line);
	table_text(table, n + NOTE, bytecode_kind(label).note);
	return 0;
}

int path_put_label(const struct query *query, struct table *table, unsigned n,
		   const struct path_block *block, uint64_t insn, struct wm_error *err)
{
	struct walk_step label;
	int ret;

	if (!path_wants_labels(query))
		return 0;
	ret = label_source_at(block->labels, block->thread, insn, &label, err);
	return ret || !label.unit ? ret : put(table, n, &label, err);
}
