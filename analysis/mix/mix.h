/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many instructions of each kind ran: in total, by function, or over time. Exact to
 * the instruction; uncertain instructions are included.
 */
#ifndef ANALYSIS_MIX_MIX_H
#define ANALYSIS_MIX_MIX_H

#include "analysis/counts.h"
#include "analysis/mix/kinds.h"
#include "analysis/selection.h"
#include "program/functions.h"

enum mix_per {
	MIX_WHOLE,    /* one group: from histograms alone, but for --from and --to */
	MIX_FUNCTION, /* one for each function, from the same */
	MIX_INTERVAL, /* one for each `interval` instructions of each thread: retraced */
};

struct mix_ask {
	struct kinds *kinds;
	enum mix_per per;
	uint64_t interval; /* instructions, above 0; intervals begin at selection->from */
	const char *function; /* only instructions in functions that match; NULL: all */
	const struct counts *counts; /* of the selection; NULL: they are gathered */
	struct functions *functions; /* for MIX_FUNCTION, and for `function` */
};

/* Instructions that ran. */
struct mix_sums {
	uint64_t insns;	     /* by registers: that read it */
	uint64_t compressed; /* of these, those of RISC-V's 16 bits */
	uint64_t writes;     /* by registers: that write it */
};

/* Of a kind, in a group. */
struct mix_row {
	uint32_t group; /* index */
	uint32_t kind;
	struct mix_sums sums;
};

struct mix_group {
	uint32_t number; /* per function: its number */
	uint32_t stream; /* per interval: its index, and where the interval begins */
	uint64_t from;
	uint64_t insns; /* that count, in all */
};

struct mix {
	struct mix_group
		*groups; /* [n_groups] functions from the busiest; intervals in order */
	size_t n_groups;
	struct mix_row *rows; /* [n_rows] by group, sums from the highest, kind's name */
	size_t n_rows;
	uint64_t insns; /* that count, in all groups */
};

/* Adds up. */
static inline void mix_add(struct mix_sums *to, const struct mix_sums *from)
{
	to->insns += from->insns;
	to->compressed += from->compressed;
	to->writes += from->writes;
}

/*
 * The sums that `count` executions of an instruction of `bytes` bytes add to a use of a
 * kind.
 */
static inline struct mix_sums mix_sums_of(const struct kinds *kinds, uint32_t use,
					  uint32_t bytes, uint64_t count)
{
	if (use & KINDS_WRITTEN)
		return (struct mix_sums){ .writes = count };
	return (struct mix_sums){
		.insns = count,
		.compressed = bytes == 2 && kinds_compressed(kinds) ? count : 0,
	};
}

#define MIX_INIT ((struct mix){ .groups = NULL })
/* The most intervals of all threads together. */
#define MIX_INTERVALS_MAX 1000000

/*
 * Fills in *mix, which is the caller's to mix_fini(), on failure empty. WM_E_RANGE when
 * there would be too many intervals. The kinds are those of ask->kinds.
 */
int mix_gather(struct mix *mix, const struct wm_trace *trace,
	       const struct selection *selection, const struct mix_ask *ask,
	       struct wm_error *err);
void mix_fini(struct mix *mix);

#endif
