/* SPDX-License-Identifier: GPL-2.0-or-later */
/* E-Trace of harts, both ways; see packets/ntrace.h. */
#ifndef PACKETS_ETRACE_H
#define PACKETS_ETRACE_H

#include "packets/code.h"
#include "packets/output.h"

/* Bits of a hart's number are 0, 8 or 16. */
int etrace_write(struct packet_output *out, const struct wm_trace *trace, unsigned stream,
		 uint32_t hart, const struct packet_settings *settings,
		 struct wm_error *err);
int etrace_read(const uint8_t *data, size_t bytes, struct packet_code *code,
		const struct packet_settings *settings, const struct packet_sink *sink,
		struct wm_error *err);

#endif
