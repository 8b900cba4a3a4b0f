/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SCHD: which hart ran which stream, and from which block on. A section is a batch of
 * turns, each
 *
 *	step:varint hart:varint stream:varint block:varint
 *
 * `step` is the zigzag of the nanoseconds since the previous turn of the section.
 */
#ifndef FORMAT_TURN_H
#define FORMAT_TURN_H

#include "base/buf.h"
#include "waymark.h"

/* *last_ns: the time of the previous turn, 0 at the start of a section. */
void turn_put(struct buf *payload, const struct wm_turn *turn, uint64_t *last_ns);
/* False at the end, and when the payload is malformed: then the span has failed. */
bool turn_get(struct span *payload, struct wm_turn *turn, uint64_t *last_ns);

#endif
