// SPDX-License-Identifier: GPL-2.0-or-later
/* A row of counts is a part that is all of its block: who adds up needs no two ways. */
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
