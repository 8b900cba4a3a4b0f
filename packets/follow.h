/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What decoders share: the hart's place in the program's text, and errors with their place. */
#ifndef PACKETS_FOLLOW_H
#define PACKETS_FOLLOW_H

#include "packets/code.h"
#include "packets/sink.h"

struct packet_follow {
	struct packet_code *code;
	const struct packet_sink *sink;
	struct wm_error *err;
	uint64_t off; /* of the packet that is decoded, in the file */
	uint64_t pc;
};

/* WM_E_FORMAT, at the packet. */
__attribute__((format(printf, 2, 3))) int packet_fail(const struct packet_follow *follow,
						      const char *format, ...);
/* The same, of packets that do not go with the code that is there. */
__attribute__((format(printf, 2, 3))) int
packet_astray(const struct packet_follow *follow, const char *format, ...);
/* The instruction at `address`; NULL, after packet_fail(), when there is no code. */
const struct packet_insn *packet_insn_at(const struct packet_follow *follow,
					 uint64_t address);
/*
 * A trap to trap->handler: what is at trap->epc began before an exception, if it is known
 * code.
 */
int packet_trap(const struct packet_follow *follow, const struct packet_trap *trap);

/* Packets of harts as they are sorted before they are decoded: by hart, in their order. */
struct packet_place {
	uint32_t hart;
	uint64_t off;
};
struct packet_places {
	struct packet_place *all; /* [n] */
	size_t n;
};
/* False: no memory. */
bool packet_places_add(struct packet_places *places, uint32_t hart, uint64_t off);
void packet_places_sort(struct packet_places *places);
/* How many from places->all[first] on are of the same hart. */
size_t packet_places_same(const struct packet_places *places, size_t first);

#endif
