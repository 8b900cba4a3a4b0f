// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How control leaves each block, and which way a branch went.
 *
 * How a block ends is worked out once, by the first thread that meets it, under a lock.
 * On guests other than RISC-V that means disassembling. Later threads read what `ready`
 * publishes, without a lock.
 *
 * The outcome of a branch is not recorded: it follows from the address that ran next.
 *
 *     block at 0x100 ends in "bne a0,a1,0x180" at 0x108; the next address is 0x10c
 *     next 0x180: taken; next 0x10c: not taken; any other address: no outcome
 *
 * Invariant: a `leave` is never changed after its `ready` was set.
 */
#include "analysis/flows.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#include "analysis/leaving.h"
#include "base/error.h"
#include "trace/trace.h"

static_assert((int)WM_FLOW_NEXT == FLOW_ON && (int)WM_FLOW_BRANCH == FLOW_BRANCH &&
		      (int)WM_FLOW_JUMP == FLOW_JUMP && (int)WM_FLOW_CALL == FLOW_CALL &&
		      (int)WM_FLOW_CALL_INDIRECT == FLOW_CALL_INDIRECT &&
		      (int)WM_FLOW_RETURN == FLOW_RETURN &&
		      (int)WM_FLOW_JUMP_INDIRECT == FLOW_INDIRECT,
	      "enum wm_flow is enum flow_kind");

/* Their places in wm_event.fields: see format/events.def. */
enum { SIGNAL_PC = 2, TRAP_WHAT = 0, TRAP_FROM = 1 };

struct flows {
	struct leaving leaving;
	const struct wm_block *blocks; /* the trace's, by id */
	pthread_mutex_t lock;
	struct leave *all; /* by id */
};

int flows_new(struct flows **out, const struct wm_trace *trace, struct wm_error *err)
{
	struct flows *flows = calloc(1, sizeof(*flows));
	int ret;

	*out = flows;
	if (!flows)
		return wm_fail_nomem(err, "branches");
	pthread_mutex_init(&flows->lock, NULL);
	trace_load(trace, NULL); /* of a damaged file, the blocks that there are */
	flows->blocks = trace->table.blocks;
	ret = leaving_init(&flows->leaving, trace, err);
	if (!ret) {
		flows->all = calloc(trace->table.count + (size_t)1, sizeof(*flows->all));
		ret = flows->all ? 0 : wm_fail_nomem(err, "branches");
	}
	if (ret) {
		flows_free(flows);
		*out = NULL;
	}
	return ret;
}

void flows_free(struct flows *flows)
{
	if (!flows)
		return;
	pthread_mutex_destroy(&flows->lock);
	free(flows->all);
	free(flows);
}

const struct wm_block *flows_block(const struct flows *flows, uint32_t id)
{
	return &flows->blocks[id];
}

static void find_leave(const struct flows *flows, uint32_t id, struct leave *leave)
{
	const struct wm_block *block = &flows->blocks[id];
	struct flow flow = leaving_flow(&flows->leaving, id, block);

	/* A gap ends in no instruction; all zeros are WM_FLOW_NEXT. */
	if (!block->insns)
		return;
	leave->flow = (uint8_t)flow.kind;
	leave->has_target = flow.has_target;
	leave->conditional = flow.conditional;
	leave->target = flow.target;
	leave->index = block->insns - 1;
	leave->behind = block->address + block->bytes;
	leave->address = leave->behind - block->sizes[leave->index];
}

const struct leave *flows_leave(struct flows *flows, uint32_t id)
{
	struct leave *leave = &flows->all[id];

	/* Acquire pairs with the release below: who sees `ready` sees the rest. */
	if (atomic_load_explicit(&leave->ready, memory_order_acquire))
		return leave;
	pthread_mutex_lock(&flows->lock);
	if (!atomic_load_explicit(&leave->ready, memory_order_relaxed)) {
		find_leave(flows, id, leave);
		atomic_store_explicit(&leave->ready, true, memory_order_release);
	}
	pthread_mutex_unlock(&flows->lock);
	return leave;
}

/* A call in two parts (auipc, jalr) has a target, but may be left for another one. */
bool flows_may_lead_to(const struct leave *leave, uint64_t to)
{
	/* A conditional call or return whose condition is false goes on behind itself. */
	if (leave->conditional && to == leave->behind)
		return false;
	switch (leave->flow) {
	/* Falling through is no branch. */
	case WM_FLOW_NEXT:
		return false;
	case WM_FLOW_BRANCH:
		return to == leave->behind || !leave->has_target || to == leave->target;
	case WM_FLOW_JUMP:
	case WM_FLOW_CALL:
		return !leave->has_target || to == leave->target;
	/* Returns and indirect jumps may lead anywhere. */
	default:
		return true;
	}
}

bool flows_branch(struct flows *flows, const struct flows_from *from, uint64_t to,
		  struct wm_branch *branch)
{
	const struct leave *leave = flows_leave(flows, from->id);

	if (!flows_may_lead_to(leave, to))
		return false;
	*branch = (struct wm_branch){
		.block_ordinal = from->block_ordinal,
		.insn_ordinal = from->insn_ordinal + leave->index,
		.address = leave->address,
		.target = to,
		.space = from->space,
		.id = from->id,
		.index = leave->index,
		.flow = leave->flow,
		/* Only a conditional branch can be not taken. */
		.taken = leave->flow != WM_FLOW_BRANCH || to != leave->behind,
	};
	return true;
}

bool flows_signal(const struct wm_event *event, uint64_t *pc)
{
	/* An interrupt comes between two instructions, an exception out of one. */
	if (event->kind == WM_EVENT_TRAP && event->n_fields > TRAP_FROM &&
	    event->fields[TRAP_WHAT] == WM_TRAP_INTERRUPT) {
		*pc = event->fields[TRAP_FROM];
		return true;
	}
	*pc = event->fields[SIGNAL_PC];
	return event->kind == WM_EVENT_SIGNAL && event->n_fields > SIGNAL_PC;
}
