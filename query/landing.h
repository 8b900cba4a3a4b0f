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
 * Looks up two positions, of which one may be POSITION_NONE, in the files that a trace's
 * processes had mapped. The arguments must outlive the landing, which the caller frees.
 * WM_E_RANGE with a sentence when nothing there has that name; WM_E_NOMEM.
 */
int landing_new(struct landing **landing, const struct source *source,
		const struct position *from, const struct position *to,
		struct wm_error *err);
void landing_free(struct landing *landing);

/*
 * Returns REACH_FROM and REACH_TO for an address that ran as part of block `id`; id 0:
 * the address is from a log.
 */
unsigned landing_at(const struct landing *landing, uint32_t space, uint32_t id,
		    uint64_t address);

#endif
