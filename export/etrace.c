// SPDX-License-Identifier: GPL-2.0-or-later
/* Packets of E-Trace, as packets/etrace_write.c makes them. */
#include "packets/etrace.h"
#include "export/packets_format.h"

const struct packets_format packets_etrace = {
	.format = { "etrace", FORMAT_PACKETS, "etrace", "RISC-V E-Trace 2.0 packets",
		    .binary = true },
	.source_bits_most = 16,
	.modes = PACKET_RETURNS | PACKET_JUMPS | PACKET_PREDICTION | PACKET_TARGETS |
		 PACKET_FULL,
	.write = etrace_write,
};
