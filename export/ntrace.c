// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages of N-Trace, as packets/ntrace_write.c makes them. */
#include "packets/ntrace.h"
#include "export/packets_format.h"
#include "packets/nexus.h"

const struct packets_format packets_ntrace = {
	.format = { "ntrace", FORMAT_PACKETS, "ntrace", "RISC-V N-Trace 1.0 messages",
		    .binary = true },
	.source_bits_most = NEXUS_SOURCE_BITS_MOST,
	.modes = PACKET_RETURNS | PACKET_JUMPS | PACKET_REPEATS | PACKET_ADDRESSES,
	.write = ntrace_write,
};
