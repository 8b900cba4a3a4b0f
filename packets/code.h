/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code that a decoder follows: instructions by their addresses. */
#ifndef PACKETS_CODE_H
#define PACKETS_CODE_H

#include <stddef.h>

#include "packets/insn.h"
#include "trace/u64map.h"
#include "waymark.h"

struct packet_segment {
	uint64_t start;
	size_t bytes;
	uint8_t *data; /* owned */
};

struct packet_code {
	unsigned xlen;
	struct packet_segment
		*segments; /* [n]; of several over an address the first counts */
	size_t n;
	struct packet_insn *insns; /* [n_insns] those that were looked up or added */
	uint32_t n_insns;
	struct u64map known; /* address -> index + 1 into insns */
};

int packet_code_init(struct packet_code *code, unsigned xlen, struct wm_error *err);
void packet_code_fini(struct packet_code *code);
/* Code at `start`; data becomes its, also on failure. */
int packet_code_segment(struct packet_code *code, uint64_t start, uint8_t *data,
			size_t bytes, struct wm_error *err);
/* An instruction; one that is known at that address is replaced. */
int packet_code_add(struct packet_code *code, uint64_t address, uint32_t word,
		    struct wm_error *err);
/*
 * The instruction at an address, valid until the next call. NULL: there is no code, or no
 * memory.
 */
const struct packet_insn *packet_code_at(struct packet_code *code, uint64_t address);

#endif
