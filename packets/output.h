/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where an encoder of packets writes. */
#ifndef PACKETS_OUTPUT_H
#define PACKETS_OUTPUT_H

#include "base/buf.h"
#include "packets/sink.h"

struct packet_output {
	struct buf buf;
	/* May empty the buffer, and is called from time to time; NULL: it grows. */
	void (*drain)(struct packet_output *out);
	uint64_t packets, bytes; /* written so far */
	uint64_t insns;		 /* that these are about */
};

enum { PACKET_DRAIN_BYTES = 1 << 16 };

/* After a packet, which took the buffer from `before` bytes to its length. */
static inline void packet_output_put(struct packet_output *out, size_t before)
{
	out->packets++;
	out->bytes += out->buf.len - before;
	if (out->buf.len >= PACKET_DRAIN_BYTES && out->drain)
		out->drain(out);
}

#endif
