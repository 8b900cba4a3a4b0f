/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How control leaves each block of a trace, and which way it went when it is known what ran
 * next. May be used by several threads.
 */
#ifndef ANALYSIS_FLOWS_H
#define ANALYSIS_FLOWS_H

#include <stdatomic.h>

#include "waymark.h"

struct flows;

/* For `trace`, which must outlive it. WM_E_RANGE for a guest that is not known; WM_E_NOMEM. */
int flows_new(struct flows **flows, const struct wm_trace *trace, struct wm_error *err);
void flows_free(struct flows *flows);

/* How control leaves a block: by its last instruction. */
struct leave {
	atomic_bool ready;	      /* the rest is filled in; for flows.c alone */
	uint8_t flow;		      /* enum wm_flow */
	bool has_target, conditional; /* as of isa/flow.h */
	uint32_t index;		      /* of the last instruction */
	uint64_t address, behind, target;
};

/* That of block `id`, which a cursor handed out. */
const struct leave *flows_leave(struct flows *flows, uint32_t id);
/* Whether control can come to address `to` so; not after WM_FLOW_NEXT. */
bool flows_may_lead_to(const struct leave *leave, uint64_t to);

/* Where a block that ran to its end was. */
struct flows_from {
	uint64_t block_ordinal, insn_ordinal; /* of it and its first instruction */
	uint32_t id, space;
};

/*
 * Fills in *branch when block from->id ends in a branch, and control then came to the
 * instruction at address `to`. False: it does not, or another cause, such as a signal that
 * was not recorded, brought it there.
 */
bool flows_branch(struct flows *flows, const struct flows_from *from, uint64_t to,
		  struct wm_branch *branch);
/* Block `id`, which a cursor handed out. */
const struct wm_block *flows_block(const struct flows *flows, uint32_t id);

/*
 * Where a thread goes on after the handler of a signal, or of a machine's interrupt; false: the
 * event is neither.
 */
bool flows_signal(const struct wm_event *event, uint64_t *pc);

#endif
