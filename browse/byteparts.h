/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps of a walk through bytecodes, in parts that are kept: who goes to and fro near a
 * position reads the trace once.
 */
#ifndef BROWSE_BYTEPARTS_H
#define BROWSE_BYTEPARTS_H

#include "managed/walk.h"

struct byteparts;

/* Of a trace and units that outlive it; byteparts_free() takes NULL, too. WM_E_NOMEM. */
int byteparts_new(struct byteparts **parts, const struct wm_trace *trace,
		  const struct units *units, struct wm_error *err);
void byteparts_free(struct byteparts *parts);

/*
 * walk_between(), but no step that begins before `from` or behind `to` is handed out. What is
 * longer than some parts is not kept.
 */
int byteparts_walk(struct byteparts *parts, unsigned stream, uint64_t from, uint64_t to,
		   walk_take *take, void *cookie, struct wm_error *err);

#endif
