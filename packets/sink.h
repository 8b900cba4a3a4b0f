/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a run is to packets, in order: stretches of code, traps, and code that is not traced.
 * An encoder takes it as struct packet_run, a decoder gives it instruction by instruction.
 */
#ifndef PACKETS_SINK_H
#define PACKETS_SINK_H

#include "packets/insn.h"
#include "waymark.h"

/* Instructions that follow each other; only after the last one control may go elsewhere. */
struct packet_run {
	uint64_t first, last;	 /* addresses of its first and its last instruction */
	uint64_t next;		 /* where control goes */
	uint32_t halfwords;	 /* of all instructions */
	struct packet_insn insn; /* the last one */
};

/* Control went from `epc`, before or by the instruction there, to `handler`. */
struct packet_trap {
	bool interrupt; /* else an exception: the instruction at epc had begun */
	bool has_cause;
	uint64_t cause;	       /* as mcause has it, without its highest bit */
	uint8_t before, after; /* privilege */
	uint64_t epc, handler, value;
};

/* Receives what a decoder finds. Functions return 0 or an error, which ends it. */
struct packet_sink {
	/* A hart: all that follows is of it, up to the next hart. */
	int (*hart)(void *cookie, uint32_t hart, struct wm_error *err);
	int (*insn)(void *cookie, uint64_t address, const struct packet_insn *insn,
		    struct wm_error *err);
	int (*trap)(void *cookie, const struct packet_trap *trap, struct wm_error *err);
	/* Something ran that is not traced. */
	int (*gap)(void *cookie, struct wm_error *err);
	void (*clock)(void *cookie, uint64_t ns);
	void *cookie;
};

/* What encoder and decoder must agree on, because no packet says it. */
struct packet_settings {
	unsigned source_bits; /* of the number of the hart */
	bool history;	      /* N-Trace: branches by history messages */
	bool timestamps;
	uint32_t resync; /* packets between two synchronisations */
};

#endif
