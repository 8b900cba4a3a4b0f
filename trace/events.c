// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The fields of an event from its bytes. How many numbers a kind has is in events.def; a kind
 * that is not listed there has none, and all of its bytes are text. So events of a newer
 * Waymark can be passed on unread.
 */
#include "format/events.h"
#include "trace/trace.h"

bool event_decode_fields(struct span data, struct wm_event *event)
{
	event->n_fields = event_fields(event->kind);
	for (unsigned i = 0; i < event->n_fields; i++)
		event->fields[i] = span_varint(&data);
	event->text = (const char *)data.at;
	event->text_bytes = span_left(&data);
	return !data.failed;
}

bool event_decode(const struct chunk_event *raw, uint64_t *ns, struct wm_event *event)
{
	struct span data = span_of(raw->data, raw->bytes);

	*ns += span_varint(&data);
	*event = (struct wm_event){ .ns = *ns, .kind = raw->kind };
	return event_decode_fields(data, event) && !data.failed;
}
