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
	uint8_t xlen;		 /* of the hart */
	/* The one before the last; bytes 0: no such packet. */
	struct packet_insn before;
	uint64_t before_at;
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
	/*
	 * A hart: all that follows is of it, up to the next hart. context: the first one it
	 * has, or 0.
	 */
	int (*hart)(void *cookie, uint32_t hart, uint32_t context, struct wm_error *err);
	int (*insn)(void *cookie, uint64_t address, const struct packet_insn *insn,
		    struct wm_error *err);
	int (*trap)(void *cookie, const struct packet_trap *trap, struct wm_error *err);
	/* Something ran that is not traced. */
	int (*gap)(void *cookie, struct wm_error *err);
	void (*clock)(void *cookie, uint64_t ns);
	void *cookie;
	/* Set when a hart's packets end while it is traced; NULL: nobody asks. */
	bool *unended;
};

/* What encoders may do beside the least that their specification asks for. */
enum packet_mode {
	PACKET_RETURNS =
		1,	  /* returns that lead where they are expected to are not told */
	PACKET_JUMPS = 2, /* nor are jumps to what a lui or auipc before them says */
	PACKET_PREDICTION = 4, /* E-Trace: branches that were foretold are counted */
	PACKET_TARGETS = 8,    /* E-Trace: targets by their place in a cache */
	PACKET_FULL = 16,      /* E-Trace: addresses as they are */
	PACKET_REPEATS = 32,   /* N-Trace: histories that repeat are counted */
	PACKET_ADDRESSES =
		64, /* N-Trace: equal bits at the top of addresses are left out */
};

/* What encoder and decoder must agree on, because no packet says it. */
struct packet_settings {
	unsigned source_bits; /* of the number of the hart */
	bool contexts;	      /* synchronisations have the context: the thread's id */
	unsigned modes;	      /* enum packet_mode; decoders need PACKET_ADDRESSES alone */
	/* Only of encoders. */
	bool history; /* N-Trace: branches by history messages */
	bool timestamps;
	uint32_t resync;	      /* packets between two synchronisations */
	const struct excerpts *parts; /* of the stream; NULL: all of it */
};

#endif
