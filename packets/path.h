/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A stream of a trace as an encoder of packets takes it. */
#ifndef PACKETS_PATH_H
#define PACKETS_PATH_H

#include "packets/sink.h"

struct packet_taker {
	/* Tracing starts, at this instruction and time. */
	void (*begin)(void *cookie, uint64_t address, uint64_t ns);
	void (*run)(void *cookie, const struct packet_run *run);
	void (*trap)(void *cookie, const struct packet_trap *trap, uint64_t ns);
	/* Tracing ends: in a gap, or with the stream. */
	void (*end)(void *cookie);
	void *cookie;
};

/* The bits of an address of the guest: 32 or 64. */
unsigned packet_path_xlen(const struct wm_trace *trace);

struct excerpts;
/*
 * Gives these parts of a stream to an encoder, between which tracing ends; NULL: all of it.
 * *insns: how many instructions they have. WM_E_RANGE: the guest is no RISC-V, or the stream has
 * code that control leaves in the middle of a block. Errors of cursors.
 */
int packet_path_walk(const struct wm_trace *trace, unsigned stream,
		     const struct excerpts *parts, const struct packet_taker *taker,
		     uint64_t *insns, struct wm_error *err);

#endif
