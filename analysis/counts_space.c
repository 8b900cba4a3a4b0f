// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * In which space a block mostly ran. Rows and parts are both in the order of spaces, and in a
 * space of ids, so each is found by bisection: a machine has a million rows of hundreds of
 * spaces.
 */
#include "analysis/counts.h"

#include "base/bisect.h"
#include "trace/trace.h"

/* Of a row or of a part: whether it is in front of those of block `id` in `space`. */
#define COMES_BEFORE(row, in, block) \
	((row).space < (in) || ((row).space == (in) && (row).id < (block)))

/* Moves *space up to the next space with rows or parts, if it has none; false: none is left. */
static bool next_space(const struct counts *counts, uint32_t *space)
{
	size_t row = BISECT(counts->n_rows, i, counts->rows[i].space < *space);
	size_t part = BISECT(counts->n_parts, i, counts->parts[i].space < *space);
	bool is_row = row < counts->n_rows &&
		      (part == counts->n_parts ||
		       counts->rows[row].space <= counts->parts[part].space);

	if (!is_row && part == counts->n_parts)
		return false;
	*space = is_row ? counts->rows[row].space : counts->parts[part].space;
	return true;
}

/* The instructions of a block in one space. */
static uint64_t insns_in(const struct counts *counts, const struct wm_trace *trace,
			 uint32_t space, uint32_t id)
{
	const struct counts_row *rows = counts->rows;
	const struct counts_part *parts = counts->parts;
	size_t row = BISECT(counts->n_rows, i, COMES_BEFORE(rows[i], space, id));
	size_t part = BISECT(counts->n_parts, i, COMES_BEFORE(parts[i], space, id));
	size_t end = BISECT(counts->n_parts, i, COMES_BEFORE(parts[i], space, id + 1));
	uint64_t insns = 0;

	if (row < counts->n_rows && rows[row].space == space && rows[row].id == id)
		insns = rows[row].count * trace->table.blocks[id].insns;
	for (; part < end; part++)
		insns += parts[part].count * (parts[part].end - parts[part].begin);
	return insns;
}

uint32_t counts_main_space(const struct counts *counts, const struct wm_trace *trace,
			   uint32_t id)
{
	uint64_t most = 0;
	uint32_t best = 0;

	for (uint32_t space = 0; next_space(counts, &space); space++) {
		uint64_t insns = insns_in(counts, trace, space, id);

		if (insns > most) {
			most = insns;
			best = space;
		}
	}
	return best;
}
