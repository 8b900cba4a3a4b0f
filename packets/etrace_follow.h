/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A hart's decoder of E-Trace, as far as it follows the text of the program. */
#ifndef PACKETS_ETRACE_FOLLOW_H
#define PACKETS_ETRACE_FOLLOW_H

#include "packets/follow.h"
#include "packets/te_model.h"

struct etrace_decoder {
	struct packet_follow follow;
	struct te_widths widths;
	struct te_model model;
	const struct te_inst *inst; /* the packet that is decoded */
	bool started, ever;	    /* traced now; once was */
	bool inferred;		    /* the last address may be met once more */
	struct te_inst inferred_by; /* that was the packet of it, */
	unsigned inferred_irets;    /* and this number of returns was passed */
	bool stop_at_last;	    /* the last branch is the end */
	uint64_t branch_map;	    /* bit 0: the next branch; 1: not taken */
	uint64_t branches;	    /* to come */
	bool foretold;		    /* not by the map, but as the predictor says */
	unsigned irets;		    /* returns since the last branch or packet */
	uint64_t last_pc;
	bool followed;	   /* the instruction there was a jump that its text explains */
	uint64_t address;  /* of the last packet */
	uint8_t privilege; /* the same */
	bool has_trap;	   /* one whose handler is not known yet */
	struct packet_trap trap;
};

/* Addresses of 32-bit harts wrap. */
static inline uint64_t etrace_mask(const struct etrace_decoder *decoder, uint64_t address)
{
	return decoder->widths.xlen == 32 ? (uint32_t)address : address;
}

/* Formats of packets: subformats of format 0. */
static inline bool etrace_is_count(const struct te_inst *inst)
{
	return inst->format == TE_EXTENSION && inst->subformat == TE_COUNT;
}

static inline bool etrace_is_index(const struct te_inst *inst)
{
	return inst->format == TE_EXTENSION && inst->subformat == TE_INDEX;
}

/* What the instruction at an address is; no code there: nothing. */
bool etrace_is_branch_at(const struct etrace_decoder *decoder, uint64_t address);
bool etrace_is_discontinuity(const struct packet_insn *insn);

/* Gives the instruction at pc, which has retired, to the sink. */
int etrace_report(struct etrace_decoder *decoder);
/*
 * Moves pc to the next instruction; *stop_here: by a discontinuity, to *address, which
 * changes when a return has put another one into the cache.
 */
int etrace_next(struct etrace_decoder *decoder, uint64_t *address, bool *stop_here);
/*
 * The packet before may have ended later than was inferred: goes on to there. No branch is on
 * the way, or that packet would have told it.
 */
int etrace_pass_inferred(struct etrace_decoder *decoder);
/* Follows the text to the end of the packet's path. */
int etrace_follow(struct etrace_decoder *decoder, uint64_t address);

#endif
