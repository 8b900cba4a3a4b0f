/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Packets of E-Trace (Efficient Trace for RISC-V 2.0, chapter "Instruction Trace Encoder
 * Output Packets"): their fields, and how they are packed into bytes; and the structure
 * around them (RISC-V Unformatted Trace & Diagnostic Data Packet Encapsulation), in which
 * each has the number of its hart:
 *
 *	  7        6   5    4       0
 *	+--------+--------+----------+----------------+------------------+
 *	| extend |  flow  |  length  |  source number | length bytes     |
 *	+--------+--------+----------+----------------+------------------+
 *
 * The parameters that the specification leaves to an implementation are these: addresses have
 * xlen bits, of which the lowest is not sent; privilege 2, ecause 6, context 32 or 0 bits; no
 * data trace. The others are in the support packet, whose layout is that of the "Standard
 * Support Packet" extension; returns are counted as the "Implicit Return" extension has it
 * (irets): with irdepth, which it replaces, some paths cannot be told.
 */
#ifndef PACKETS_TE_INST_H
#define PACKETS_TE_INST_H

#include "base/buf.h"

enum te_format {
	TE_EXTENSION = 0, /* branch prediction, jump targets */
	TE_BRANCHES = 1,
	TE_ADDRESS = 2,
	TE_SYNC = 3,
};
enum te_subformat { TE_START = 0, TE_TRAP = 1, TE_CONTEXT = 2, TE_SUPPORT = 3 };
enum te_qual_status {
	TE_NO_CHANGE = 0,
	TE_ENDED_REP = 1, /* the last instruction was reported */
	TE_TRACE_LOST = 2,
	TE_ENDED_NTR = 3, /* it was not */
};
enum te_count { TE_COUNT = 0, TE_INDEX = 1 }; /* subformats of format 0 */
enum te_branch_fmt {
	TE_NO_ADDRESS =
		0,    /* the branch after those that are counted was foretold wrong */
	TE_RIGHT = 2, /* a branch at the address is the last of the counted ones */
	TE_WRONG = 3, /* it comes after them, and was foretold wrong */
};
enum { TE_BRANCHES_MOST = 31, TE_PAYLOAD_MOST = 31, TE_TIME_UNIT = 16 };
enum { TE_CONTEXT_BITS = 32 };

/* How an encoder works, as a packet of support says it. Sizes are powers of 2; 0: none. */
struct te_options {
	bool sijump, implicit_return, branch_predictor, jump_target_cache;
	bool implicit_except, full_iaddress, resync_disabled, iret_ext;
	uint8_t time_width; /* in TE_TIME_UNIT bits */
	uint8_t f0s_width;
	uint8_t return_stack_size, call_counter_size, bpred_size, cache_size;
};

/* Which fields packets have. */
struct te_widths {
	unsigned xlen, context_bits;
	struct te_options options;
};

struct te_inst {
	uint8_t format, subformat;
	/* Format 0: branches that were foretold right, less 31; or where the address is. */
	uint32_t branch_count;
	uint8_t branch_fmt, index;
	/* Formats 0, 1 and 2. A full map is without an address: branches is 0 in the packet. */
	uint8_t branches;
	bool full;
	uint32_t branch_map; /* bit 0: the oldest branch; 1: it was not taken */
	uint64_t address; /* what is added to the address before; format 3: all of it */
	/* Each of these is set by differing from the bit before it. */
	bool notify, updiscon, irreport;
	uint8_t irets; /* with irreport: returns that were not reported */
	/* Format 3. */
	bool branch; /* 0: the instruction is a branch that was taken */
	uint8_t privilege;
	uint64_t time;
	uint32_t context;
	uint8_t ecause;
	bool interrupt, thaddr;
	uint64_t tval;
	bool ienable;
	uint8_t encoder_mode, qual_status;
	struct te_options options;
};

/* Appends the packet in its structure, for a hart's number of that many bytes. */
void te_put(struct buf *out, const struct te_inst *inst, const struct te_widths *widths,
	    uint32_t hart, unsigned source_bytes);

/* A structure: where its payload is. */
struct te_span {
	uint32_t hart;
	size_t at, bytes; /* bytes 0: there is no packet in it */
};
/* Reads the structure at *at and moves *at after it; false: it is cut off. */
bool te_next(const uint8_t *data, size_t bytes, unsigned source_bytes, size_t *at,
	     struct te_span *span);
/* Reads a packet of at most TE_PAYLOAD_MOST bytes. */
void te_get(const uint8_t *payload, size_t bytes, const struct te_widths *widths,
	    struct te_inst *inst);

#endif
