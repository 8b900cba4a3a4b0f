// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Gives the rows and the parts of counts in one form, so that code that adds up
 * instructions has one case instead of two: a row is a part that covers its whole block.
 *
 * Example: block 7 has 4 instructions, ran 9 times as a whole and once only up to its
 * third instruction. The callback gets {7, 0..4, count 9} and then {7, 0..3, count 1};
 * adding both gives 10, 10, 10 and 9 executions of the four instructions.
 *
 * Blocks come from the trace at each call; the struct is valid during the callback only.
 */
#include "analysis/executed.h"

int executed_each(const struct counts *counts, const struct wm_trace *trace,
		  int (*take)(void *cookie, const struct executed *executed),
		  void *cookie)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < counts->n_rows; i++) {
		const struct counts_row *row = &counts->rows[i];
		struct executed whole = { .space = row->space,
					  .id = row->id,
					  .count = row->count };

		ret = wm_trace_block(trace, row->id, &whole.block);
		whole.end = whole.block.insns;
		if (!ret)
			ret = take(cookie, &whole);
	}
	for (size_t i = 0; !ret && i < counts->n_parts; i++) {
		const struct counts_part *row = &counts->parts[i];
		struct executed part = {
			.space = row->space,
			.id = row->id,
			.begin = row->begin,
			.end = row->end,
			/*
			 * A damaged file or a foreign shard may claim more uncertain
			 * instructions than the part has.
			 */
			.uncertain = row->uncertain < row->end - row->begin ?
					     row->uncertain :
					     row->end - row->begin,
			.count = row->count,
		};

		ret = wm_trace_block(trace, row->id, &part.block);
		if (!ret)
			ret = take(cookie, &part);
	}
	return ret;
}
