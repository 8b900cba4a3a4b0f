// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The order that makes it right: first the heads of all lanes are read, then all
 * messages are taken, then the lanes are emptied up to those heads. So every id met is
 * known, and whatever is written to the file refers only to what is before it.
 */
#include "collect/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "collect/guard.h"
#include "collect/memory.h"
#include "collect/tell.h"
#include "format/records.h"
#include "format/section.h"

#define DRAINS_AT_END 16
#define CROWD 128 /* lanes: to wake all their threads each time would take too long */

/* What the process says, unless that cannot be. */
static uint64_t begin_ns(const struct process *process)
{
	uint64_t claimed_ns = process->arena->header.begin_ns, now_ns = clock_ns();

	if (!process->index)
		return process->recording->begin_ns;
	return claimed_ns >= process->recording->begin_ns && claimed_ns <= now_ns ?
		       claimed_ns :
		       now_ns;
}

static void put_process(const struct process *process, uint32_t parent_index)
{
	struct space_record record = {
		.index = process->index,
		.pid = process->life.pid,
		.parent = parent_index,
		.begin_ns = begin_ns(process),
		.path = process->program ? process->program : (char *)"",
		.over = SPACE_NONE,
	};
	struct buf payload = BUF_INIT;

	space_put(&payload, &record);
	output_put(&process->recording->out, SECTION_PROC, &payload, 0);
	buf_fini(&payload);
}

/* A child goes on with the ids its parent had when it was forked. */
static bool inherit(struct process *process, const struct process *parent)
{
	uint32_t n = read_once(&process->arena->header.inherited);

	process->same_ids = true;
	if (!parent)
		return n == 0;
	if (n > parent->known)
		return false;
	process->ids = malloc((n + 1ul) * sizeof(*process->ids));
	if (!process->ids)
		return false;
	process->ids[0] = 0;
	if (n)
		memcpy(process->ids, parent->ids, (n + 1ul) * sizeof(*process->ids));
	process->known = n;
	process->allocated = n + 1;
	process->same_ids = parent->same_ids;
	return true;
}

struct process *process_new(struct recording *recording, struct arena *arena,
			    uint32_t pid, const struct process *parent,
			    uint32_t parent_index)
{
	struct process *process = calloc(1, sizeof(*process));

	if (!process) {
		memory_unmap(arena);
		return NULL;
	}
	process->recording = recording;
	process->arena = arena;
	process->program = strndup(arena->header.program, sizeof(arena->header.program));
	process->message_tail = atomic_load(&arena->header.message_tail) & ~UINT64_C(7);
	life_watch(&process->life, pid);
	process->index = recording->processes++;
	process->left_out = !steered_wants_process(&recording->steered, process->index,
						   pid, process->program);
	recording->steered.outcome.processes_out += process->left_out;
	put_process(process, parent_index);
	if (!inherit(process, parent)) {
		process->messages_broken = true;
		output_cut(&recording->out, output_scribbled);
	}
	return process;
}

void process_free(struct process *process)
{
	if (!process)
		return;
	for (unsigned i = 0; i < process->n_lanes; i++)
		stream_free(process->lanes[i].stream);
	free(process->lanes);
	life_unwatch(&process->life);
	memory_unmap(process->arena);
	free(process->ids);
	free(process->program);
	free(process);
}

/* Whether someone waits for what is there to be taken, or will wait soon. */
static bool is_pressing(const struct process *process)
{
	const struct arena_header *header = &process->arena->header;

	return atomic_load(&header->waiting) ||
	       atomic_load(&header->state) != ARENA_RUNNING ||
	       atomic_load(&header->message_head) - process->message_tail >= MESSAGE_WAKE;
}

/* Reads the heads of its lanes; whether some have so much that it is worth a visit. */
static bool read_heads(const struct process *process, unsigned lanes)
{
	uint64_t *heads = process->recording->heads;
	bool worth = false;

	for (unsigned i = 0; i < lanes; i++) {
		uint64_t tail = process->lanes[i].tail;

		heads[i] = lane_readable(process->arena, i, tail);
		worth |= heads[i] - tail >= lane_wake(i);
	}
	return worth;
}

/* How many lanes may have something. */
static unsigned count_lanes(struct process *process)
{
	unsigned lanes = atomic_load(&process->arena->header.lanes);

	if (lanes > LANES_MAX)
		lanes = LANES_MAX;
	if (lanes < process->lanes_seen)
		lanes = process->lanes_seen; /* guard_look() will say so */
	if (lanes_provide(process, lanes)) {
		process->lanes_seen = lanes;
		return lanes;
	}
	output_cut(&process->recording->out, output_no_memory);
	return process->n_lanes;
}

bool process_drain(struct process *process, enum drain how)
{
	const struct recording *rec = process->recording;
	bool all = how == DRAIN_ALL || rec->rings.tight || is_pressing(process);
	unsigned lanes = count_lanes(process);
	bool worked = read_heads(process, lanes) || all;

	if (!worked)
		return false;
	guard_look(process);
	process->crowded = lanes > CROWD;
	worked = intake(process);
	for (unsigned i = 0; i < lanes; i++) {
		uint64_t head = rec->heads[i];

		if (head < process->lanes[i].tail + (all ? 1 : lane_wake(i)))
			continue;
		lane_empty(process, i, head);
		worked = true;
	}
	if (worked)
		lane_tell_room(process);
	return worked;
}

static void put_end(const struct process *process, int status)
{
	struct space_end_record end = { process->index, status, clock_ns() };
	struct buf payload = BUF_INIT;

	space_end_put(&payload, &end);
	output_put(&process->recording->out, SECTION_PEND, &payload, 0);
	buf_fini(&payload);
}

/*
 * Unrecorded, threads are counted by blocks. One that is stopped in a block need not have run
 * all of it; one that calls exit(), and is alone, has. Where faults are not seen, any block
 * may have been left early.
 */
static bool is_unsure(const struct process *process)
{
	const struct arena_header *header = &process->arena->header;
	const uint16_t *insns_of = process->recording->defs.insns_of;
	unsigned live = 0, passing = 0;

	for (unsigned i = 0; i < process->n_lanes; i++) {
		const struct stream *stream = process->lanes[i].stream;

		live += process->lanes[i].begun;
		passing += stream && (!stream->last_id || !insns_of[stream->last_id]);
	}
	return header->blind || (passing && (live > 1 || !atomic_load(&header->exits)));
}

/* Threads that have no lane are not recorded. */
static void tell_lost(const struct process *process)
{
	uint32_t lost = atomic_load(&process->arena->header.lost);
	char why[100];

	if (!lost)
		return;
	snprintf(why, sizeof(why),
		 "%u threads were not recorded: QEMU gave them vCPUs beyond %u", lost,
		 LANES_MAX);
	output_cut(&process->recording->out, why);
}

void process_end(struct process *process, int status)
{
	const struct arena_header *header = &process->arena->header;

	if (process->ended)
		return;
	/* What a dead process left is taken at once; one that lives may go on for ever. */
	for (unsigned i = 0; i < DRAINS_AT_END && process_drain(process, DRAIN_ALL); i++)
		;
	guard_end(process);
	tell_threads_end(process);
	process->recording->unsure |= is_unsure(process);
	for (unsigned i = 0; i < process->n_lanes; i++)
		lane_finish(process, i, lane_passed(&process->arena->heads[i]));
	tell_lost(process);
	if (status < 0 && atomic_load(&header->exits))
		status = (int)(atomic_load(&header->exit_status) & 0xff) << 8;
	put_end(process, status);
	process->ended = true;
}

uint64_t process_bytes(const struct process *process)
{
	uint64_t bytes = 0;

	for (unsigned i = 0; i < process->n_lanes; i++)
		if (process->lanes[i].stream)
			bytes += stream_bytes(process->lanes[i].stream);
	return bytes;
}

void process_cut(struct process *process)
{
	for (unsigned i = 0; i < process->n_lanes; i++)
		if (process->lanes[i].stream)
			process->lanes[i].stream->cut = true;
}

uint32_t process_expects(const struct process *process)
{
	const struct arena_header *header = &process->arena->header;
	uint32_t come =
		atomic_load(&header->forks_placed) + atomic_load(&header->forks_failed);
	uint32_t forks = atomic_load(&header->forks);

	return forks > come ? forks - come : 0;
}
