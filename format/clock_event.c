// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events that have a time but no place in a stream (EVNT).
 *
 * They arrive nearly in the order of time, because each process reports its own. So a
 * step is a small signed number: times 5000, 5400, 5300 become 5000, 400, -100. The
 * process is stored as its index plus 1, so that "no process" is the one byte 0.
 *
 * A get checks that the data has all numbers of its kind, so that those who print an
 * event need no checks of their own. Kinds of a newer Waymark have no known numbers and
 * pass.
 */
#include "format/clock_event.h"

#include "format/events.h"

void clock_event_put(struct buf *payload, const struct clock_event *event,
		     uint64_t *last_ns)
{
	buf_put_varint(payload, zigzag((int64_t)(event->ns - *last_ns)));
	/* UINT32_MAX, no process, wraps around to 0. */
	buf_put_varint(payload, (uint64_t)(uint32_t)(event->process + 1));
	buf_put_varint(payload, event->kind);
	buf_put_varint(payload, event->bytes);
	buf_put(payload, event->data, event->bytes);
	*last_ns = event->ns;
}

/* Whether the data has as many numbers as its kind. */
static bool is_whole(const struct clock_event *event)
{
	struct span data = span_of(event->data, event->bytes);

	for (unsigned i = event_fields(event->kind); i > 0; i--)
		span_varint(&data);
	return !data.failed;
}

bool clock_event_get(struct span *payload, struct clock_event *event, uint64_t *last_ns)
{
	uint64_t process, kind;

	if (!span_left(payload))
		return false;
	*last_ns += (uint64_t)unzigzag(span_varint(payload));
	process = span_varint(payload);
	kind = span_varint(payload);
	event->ns = *last_ns;
	event->process = (uint32_t)process - 1;
	event->kind = (uint32_t)kind;
	event->bytes = span_varint(payload);
	event->data = span_bytes(payload, event->bytes);
	if (process > UINT32_MAX || kind > UINT32_MAX || payload->failed ||
	    !is_whole(event))
		payload->failed = true;
	return !payload->failed;
}
