// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two forms of an event's fields: 8 bytes each in a message, because the plugin has no
 * time to encode them, and varints in the file. The kind determines the number of fields;
 * text follows them.
 */
#include "events/record.h"

bool event_record_take(struct event_record *record, struct span data)
{
	record->n = event_fields(record->kind);
	for (unsigned i = 0; i < record->n; i++)
		record->fields[i] = span_u64(&data);
	record->text = (const char *)data.at;
	record->text_bytes = span_left(&data);
	return !data.failed;
}

void event_record_put(struct buf *data, const struct event_record *record)
{
	for (unsigned i = 0; i < record->n; i++)
		buf_put_varint(data, record->fields[i]);
	buf_put(data, record->text, record->text_bytes);
}
