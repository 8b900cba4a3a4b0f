/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * EVNT: events that have a time but no place in a thread's sequence. A section is a batch
 * of them, each
 *
 *	step:varint process:varint kind:varint bytes:varint data[bytes]
 *
 * `step` is the zigzag of the nanoseconds since the previous event of the section,
 * `process` is its index plus 1 or 0 for none, and the layout of `data` is in events.def.
 */
#ifndef FORMAT_CLOCK_EVENT_H
#define FORMAT_CLOCK_EVENT_H

#include "base/buf.h"

#define CLOCK_EVENTS_LEVEL 3 /* zstd: addresses and counts repeat a lot */

struct clock_event {
	uint64_t ns;
	uint32_t process; /* index, or UINT32_MAX */
	uint32_t kind;
	const uint8_t *data; /* [bytes] in the payload */
	size_t bytes;
};

/* *last_ns: the time of the previous event, 0 at the start of a section. */
void clock_event_put(struct buf *payload, const struct clock_event *event,
		     uint64_t *last_ns);
/* False at the end, or when it is malformed: then the span has failed. */
bool clock_event_get(struct span *payload, struct clock_event *event, uint64_t *last_ns);

#endif
