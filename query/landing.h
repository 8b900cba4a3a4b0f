/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which instructions of a run are the positions that bound a part of it (query/position.h):
 * those of a symbol, a line, an address or a marker. Other kinds match no instruction.
 */
#ifndef QUERY_LANDING_H
#define QUERY_LANDING_H

#include "analysis/reach.h"
#include "query/position.h"
#include "query/source.h"

struct landing;

/*
 * Finds two places, of which one may be POSITION_NONE, in what a trace's processes had mapped.
 * All of it must outlive the landing, which is the caller's to free. WM_E_RANGE with a
 * sentence when nothing there has that name, WM_E_NOMEM.
 */
int landing_new(struct landing **landing, const struct source *source,
		const struct position *from, const struct position *to,
		struct wm_error *err);
void landing_free(struct landing *landing);

/* Which of them an address is, that ran as part of block `id` (0: not of the trace's). */
unsigned landing_at(const struct landing *landing, uint32_t space, uint32_t id,
		    uint64_t address);

#endif
