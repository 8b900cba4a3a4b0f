/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Packets of a processor's trace as a trace: a hart is a stream. */
#ifndef IMPORT_PACKETS_H
#define IMPORT_PACKETS_H

#include "import/module.h"
#include "packets/code.h"
#include "packets/sink.h"

/* Adds what a file has to the code that decoders follow. WM_E_IO, WM_E_NOMEM. */
int import_code_module(struct packet_code *code, const struct import_module *module,
		       struct wm_error *err);
/* Adds all blocks of a trace; of several at one place the last. */
int import_code_trace(struct packet_code *code, const struct wm_trace *trace,
		      struct wm_error *err);

struct import_packets {
	/* ntrace_read() or etrace_read() */
	int (*read)(const uint8_t *data, size_t bytes, struct packet_code *code,
		    const struct packet_settings *settings,
		    const struct packet_sink *sink, struct wm_error *err);
	struct packet_settings settings;
	uint8_t *data; /* owned */
	size_t bytes;
	struct packet_code code;
	bool unended; /* import_packets() found a hart that was still traced at the end */
};
/*
 * Reads all bytes of `fd`; the decoder, its settings and the code are there. Of what may have
 * no end, as a pipe, the first megabyte must lead through the code. WM_E_FORMAT, WM_E_IO,
 * WM_E_NOMEM.
 */
int import_packets_read(struct import_packets *packets, int fd, struct wm_error *err);
void import_packets_fini(struct import_packets *packets);
int import_packets(struct import_file *file, struct import_packets *packets,
		   struct wm_error *err);

#endif
