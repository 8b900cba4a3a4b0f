// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/guard.h"

static void hurt(struct process *process)
{
	if (!process->hurt)
		output_cut(&process->recording->out, output_scribbled);
	process->hurt = true;
}

static void look_at_tail(struct process *process, _Atomic uint64_t *tail, uint64_t mine)
{
	if (atomic_load_explicit(tail, memory_order_relaxed) == mine)
		return;
	hurt(process);
	atomic_store(tail, mine);
	lane_tell_room(process);
}

void guard_look(struct process *process)
{
	struct arena *arena = process->arena;
	struct arena_header *header = &arena->header;

	if (read_once(&header->magic) != ARENA_MAGIC) {
		hurt(process);
		header->magic = ARENA_MAGIC;
	}
	if (atomic_load(&header->lanes) < process->lanes_seen) {
		hurt(process);
		atomic_store(&header->lanes, process->lanes_seen);
	}
	look_at_tail(process, &header->message_tail, process->message_tail);
	for (uint32_t i = 0; i < process->lanes_seen; i++)
		look_at_tail(process, &arena->tails[i].tail, process->lanes[i].tail);
}

/* Whether a lane's writer says that it is where its reader has come to. */
static bool is_in_step(const struct process *process, uint32_t vcpu, bool over)
{
	const struct lane_head *head = &process->arena->heads[vcpu];
	uint32_t laps = atomic_load(&head->laps), at = atomic_load(&head->head);
	uint64_t ahead =
		(uint64_t)laps * lane_ids(vcpu) + at / 4 - process->lanes[vcpu].tail;

	/* At the very end of its ring it may or may not have counted the lap. */
	if (at == lane_ids(vcpu) * 4)
		return ahead == 0 || ahead == lane_ids(vcpu) || !over;
	if (!over && laps != atomic_load(&head->laps))
		return true;
	return ahead == 0 || (!over && ahead < lane_ids(vcpu));
}

void guard_end(struct process *process)
{
	bool over = life_is_over(&process->life);

	guard_look(process);
	for (uint32_t i = 0; i < process->lanes_seen; i++)
		if (!is_in_step(process, i, over))
			hurt(process);
}
