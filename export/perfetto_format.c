// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packets of a Perfetto trace, with the field numbers of Perfetto's public definitions.
 *
 *	Trace		1 packet
 *	TracePacket	8 timestamp, 10 trusted_packet_sequence_id, 11 track_event,
 *			12 interned_data, 13 sequence_flags, 60 track_descriptor
 *
 * All packets are of one sequence, whose first says that no numbers were given before. An
 * instruction takes a nanosecond, the unit of timestamps.
 *
 * Example: a packet with only an instant at 5 has the fields 8, 11, 10 and 13, some 16 bytes.
 */
#include "export/perfetto_format.h"

enum { SEQUENCE = 1, FLAG_CLEARED = 1, FLAG_NEEDS = 2 };

void perfetto_fini(struct perfetto *perfetto)
{
	buf_fini(&perfetto->packet);
	buf_fini(&perfetto->message);
	buf_fini(&perfetto->inner);
}

void perfetto_put(struct perfetto *perfetto)
{
	struct buf trace = BUF_INIT;

	protobuf_uint(&perfetto->packet, 10, SEQUENCE);
	protobuf_uint(&perfetto->packet, 13,
		      perfetto->begun ? FLAG_NEEDS : FLAG_CLEARED | FLAG_NEEDS);
	perfetto->begun = true;
	protobuf_message(&trace, 1, &perfetto->packet);
	perfetto->failed |= trace.failed;
	if (!perfetto->failed)
		fwrite(trace.data, 1, trace.len, perfetto->out);
	perfetto->packet.len = 0;
	buf_fini(&trace);
}

void perfetto_inside(struct buf *out, uint32_t field, struct buf *message)
{
	protobuf_message(out, field, message);
	message->len = 0;
}
