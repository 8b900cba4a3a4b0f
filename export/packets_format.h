/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processor trace packets of RISC-V, of all selected threads: a thread is a hart. */
#ifndef EXPORT_PACKETS_FORMAT_H
#define EXPORT_PACKETS_FORMAT_H

#include "export/format.h"
#include "packets/output.h"

struct packets_format {
	struct format format;	   /* first: formats[] knows it by this */
	unsigned source_bits_most; /* of the number of a hart */
	unsigned modes;		   /* enum packet_mode: those that it has */
	/* Appends those of a stream: ntrace_write(), etrace_write(). */
	int (*write)(struct packet_output *out, const struct wm_trace *trace,
		     unsigned stream, uint32_t hart,
		     const struct packet_settings *settings, struct wm_error *err);
};

extern const struct packets_format packets_etrace, packets_ntrace;

#endif
