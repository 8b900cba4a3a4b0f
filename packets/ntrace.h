/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * N-Trace of harts, both ways. A writer numbers harts as the caller does; messages of one
 * hart need not be together when they are read.
 */
#ifndef PACKETS_NTRACE_H
#define PACKETS_NTRACE_H

#include "packets/code.h"
#include "packets/output.h"

/*
 * Appends the messages of a stream to *out, as those of hart `hart`. Errors of
 * packet_path_walk(), and WM_E_NOMEM.
 */
int ntrace_write(struct packet_output *out, const struct wm_trace *trace, unsigned stream,
		 uint32_t hart, const struct packet_settings *settings,
		 struct wm_error *err);

/*
 * Gives all that the messages in data[bytes] say to a sink, hart by hart. WM_E_FORMAT,
 * with the offset of the message: they describe no possible path. Errors of the sink.
 */
int ntrace_read(const uint8_t *data, size_t bytes, struct packet_code *code,
		const struct packet_settings *settings, const struct packet_sink *sink,
		struct wm_error *err);

#endif
