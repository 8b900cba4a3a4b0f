/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control-flow graph that was executed, with true basic blocks.
 *
 * QEMU's translation blocks overlap and end at arbitrary places. Here they are taken
 * apart into instructions and put together again. A basic block is a longest sequence of
 * instructions of one function that always ran together, so its executions are exactly
 * those of each instruction. It ends at a jump, where other control flow enters or leaves
 * after an instruction (also by a fault), and where a function ends.
 */
#ifndef ANALYSIS_CFG_CFG_H
#define ANALYSIS_CFG_CFG_H

#include <stddef.h>

#include "analysis/cfg/edges.h"
#include "isa/flow.h"
#include "program/functions.h"
#include "trace/insn_flow.h"
#include "waymark.h"

/* In the order of edges between the same blocks. */
enum cfg_kind {
	CFG_FALLTHROUGH,
	CFG_TAKEN, /* a branch, or a jump whose target is in it */
	CFG_CALL,
	CFG_RETURN,
	CFG_INDIRECT,
	CFG_INTERRUPTED, /* a signal, or its return, or a fault: nothing in the code */
	CFG_KINDS
};

/* "fallthrough": constants of the program. */
const char *cfg_kind_name(enum cfg_kind kind);

/*
 * How control went to the address `to` after an instruction of that flow, which ran to its end;
 * the next one is at `behind`.
 */
enum cfg_kind cfg_kind_of(const struct insn_flow *isa, const struct flow *flow,
			  uint64_t behind, uint64_t to);

/* An instruction, as one of a translation block that contains it. */
struct cfg_insn {
	uint32_t id, index;
};

struct cfg_block {
	uint32_t space;	   /* index */
	uint32_t function; /* number, of struct functions */
	uint64_t offset;   /* bytes from the function's start */
	uint64_t address;
	uint32_t first_insn, insns; /* cfg.insns[first_insn ...] */
	uint32_t bytes;
	uint64_t executions;	/* of each of its instructions */
	uint64_t starts, stops; /* times the selection began before it, and ended after
				 * it */
	struct flow flow;	/* of its last instruction */
	uint32_t first_edge, edges;  /* out of it: cfg.edges[first_edge ...] */
	uint32_t first_enter, enter; /* into it: cfg.edges[cfg.into[first_enter ...]] */
};

struct cfg_edge {
	uint32_t from, to; /* indexes of blocks */
	enum cfg_kind kind;
	uint64_t count;
};

struct cfg {
	struct cfg_block *blocks; /* [n] by space, address, and code met first */
	uint32_t n;
	struct cfg_insn *insns; /* [n_insns] */
	uint32_t n_insns;
	struct cfg_edge *edges; /* [n_edges] by from, to, kind, each once */
	uint32_t n_edges;
	uint32_t *into; /* [n_edges] indexes of edges, by `to` */
};

#define CFG_NONE UINT32_MAX
#define CFG_INIT ((struct cfg){ .blocks = NULL })

/*
 * Fills in *cfg from the edges of `trace`; the caller calls cfg_fini(). On failure it is
 * empty.
 */
int cfg_build(struct cfg *cfg, const struct wm_trace *trace, const struct edges *edges,
	      struct functions *functions, struct wm_error *err);
void cfg_fini(struct cfg *cfg);

/*
 * The block that begins right after block `index`, of the same function if there is one,
 * or CFG_NONE: where a call at its end returns to.
 */
uint32_t cfg_behind(const struct cfg *cfg, uint32_t index);

#endif
