// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The question "boot": a row for each step of analysis/boot/boot.h, and a last one for the first
 * program.
 */
#include <stdlib.h>

#include "analysis/boot/boot.h"
#include "query/query.h"
#include "query/questions.h"

enum column {
	COLUMN_START, /* since the recording began */
	COLUMN_MS,
	COLUMN_INSNS,
	COLUMN_KIND,
	COLUMN_FUNCTION,
	COLUMN_THREAD,
	COLUMNS,
};

static const struct table_column all_columns[COLUMNS] = {
	[COLUMN_START] = { "start_ms", TABLE_REAL, false },
	[COLUMN_MS] = { "ms", TABLE_REAL, false },
	[COLUMN_INSNS] = { "insns", TABLE_COUNT, false },
	[COLUMN_KIND] = { "kind", TABLE_TEXT, false },
	[COLUMN_FUNCTION] = { "function", TABLE_TEXT, false },
	[COLUMN_THREAD] = { "thread", TABLE_COUNT, true },
};

static void put_row(struct table *table, const struct boot *boot,
		    const struct boot_step *step)
{
	char *name = sites_name(boot->sites, step->entity);

	table_row(table);
	table_real(table, COLUMN_START, (double)(step->begin_ns - boot->begin_ns) / 1e6);
	table_real(table, COLUMN_MS, (double)(step->end_ns - step->begin_ns) / 1e6);
	table_count(table, COLUMN_INSNS, step->insns);
	table_text(table, COLUMN_KIND, step->kind);
	table_text(table, COLUMN_FUNCTION, name);
	table_count(table, COLUMN_THREAD, step->thread);
	free(name);
}

static void put_program(struct table *table, const struct boot *boot)
{
	table_row(table);
	table_real(table, COLUMN_START,
		   (double)(boot->program_ns - boot->begin_ns) / 1e6);
	table_text(table, COLUMN_KIND, "program");
	table_text(table, COLUMN_FUNCTION, boot->program);
}

static int fill(struct query *query, struct table *table, struct wm_error *err)
{
	struct boot boot;
	int ret = boot_gather(&boot, query->source.trace, query->functions,
			      &query->selection, err);

	for (size_t i = 0; !ret && i < boot.n && !table_is_full(table); i++)
		put_row(table, &boot, &boot.steps[i]);
	if (!ret && boot.has_program)
		put_program(table, &boot);
	if (!ret && !boot.n && !boot.has_program)
		listener_warn(
			query->listener,
			"no start of a Linux was seen: it is known by the kernel's "
			"names (record --system --kernel), where all of it is recorded");
	boot_fini(&boot);
	return ret;
}

static const struct question_columns tables[] = { { all_columns, COLUMNS } };

/* One thread after the other, each from its begin. */
static enum question_parts parts(const struct query *query)
{
	(void)query;
	return QUESTION_WHOLE;
}

const struct question question_boot = {
	.name = "boot",
	.what = "What a machine's Linux did until its first program ran",
	.tables = tables,
	.parts = parts,
	.fill = fill,
};
