// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Draining an image. The order makes it right: first the heads of all lanes are read,
 * then all messages are taken, then the lanes are emptied up to those heads. A plugin
 * completes a message before it writes an id that needs it, so:
 *
 * 	lane 0	1 1 2 |3	  head was read before 3; the message that defines 3
 * 	messages	[2][3]	  was taken, which does no harm; 3 is for the next drain
 *
 * Every id that is taken has its block, and every switch of a lane's route at or before
 * its head has been made. What is written to the file refers only to what is before it.
 */
#include "collect/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "collect/intake.h"
#include "collect/kernels.h"
#include "collect/lifecycle.h"
#include "collect/memory.h"
#include "format/records.h"
#include "format/section.h"

#define DRAINS_AT_END 16
#define CROWDED 128 /* lanes: to wake all their threads each time would take too long */

/*
 * When the image began, as its header has it, unless that is before the recording or
 * after now.
 */
static uint64_t begin_ns(const struct image *image, uint64_t recording_ns)
{
	uint64_t claimed_ns = image->arena->header.begin_ns, now_ns = clock_ns();

	/* The first space begins with the recording. */
	if (!image->space)
		return recording_ns;
	return claimed_ns >= recording_ns && claimed_ns <= now_ns ? claimed_ns : now_ns;
}

static void put_space(const struct image *image, struct recording *rec,
		      uint32_t parent_space)
{
	struct space_record record = {
		.index = image->space,
		.pid = rec->machine ? 0 : image->life.pid,
		.parent = parent_space,
		.begin_ns = begin_ns(image, rec->begin_ns),
		.path = image->program ? image->program : (char *)"",
		.kind = rec->machine ? WM_SPACE_MACHINE : WM_SPACE_PROCESS,
		.over = SPACE_NONE,
	};
	struct buf payload = BUF_INIT;

	space_put(&payload, &record);
	output_put(&rec->out, SECTION_PROC, &payload, 0);
	buf_fini(&payload);
	kernels_put(rec->kernels, image->space, image->life.pid, &rec->mapped,
		    &rec->referred, &rec->out);
}

/* The gap's id, as a message of the parent's would have brought it. */
static bool add_gap(struct image *image, struct definitions *defs)
{
	struct message_block gap = { .id = 1 };
	struct span span = span_of(&gap, sizeof(gap));
	uint32_t id;

	if (!id_map_reserve(&image->ids) ||
	    !definitions_take_block(defs, &span, image->space, gap.id, &id))
		return false;
	id_map_add(&image->ids, id);
	return true;
}

/*
 * A child goes on with the ids its parent had when it was forked. A parent of which
 * nothing was recorded, because it began after the end of the last window, is no image.
 * It has translated nothing for us, so it has no id, or that of the gap.
 */
static bool inherit(struct image *image, const struct image *parent,
		    struct definitions *defs)
{
	const struct arena_header *header = &image->arena->header;
	uint32_t n = read_once(&header->inherited);

	id_map_init(&image->ids);
	if (parent)
		return id_map_inherit(&image->ids, &parent->ids, n) &&
		       image_values_inherit(&image->values, &parent->values);
	/* An image that was not forked has no ids to inherit: the memory is scribbled. */
	if (n && read_once(&header->parent) == SLOT_NONE)
		return false;
	return !n || (n == 1 && add_gap(image, defs));
}

/* Whether its lanes have words. Where they should, and have not, the file says so. */
static bool records_values(const struct image *image, struct recording *rec)
{
	const struct arena_header *header = &image->arena->header;
	/* Fetches are recorded of processes with a guide only. */
	bool wanted = rec->values && (!(rec->values & VALUES_SITES) || header->guide[0]);

	if (wanted && read_once(&header->blind))
		output_cut(&rec->out, "memory accesses are not recorded on this host");
	return rec->defs.programs && read_once(&header->values);
}

/* Joins the image's own stages with those that all images share. */
static void connect(struct image *image, struct recording *rec)
{
	image->threads = (struct threads){
		.chunks = &rec->chunks,
		.steered = &rec->steered,
		.tally = &rec->tally,
		.program = image->program,
		/* Of a machine each process is asked about. */
		.left_out = !rec->machine &&
			    !steered_wants_process(&rec->steered, image->space,
						   image->life.pid, image->program),
	};
	image->values = (struct image_values){
		.recorded = records_values(image, rec),
		.programs = rec->defs.programs,
		.threads = &image->threads,
		.out = &rec->out,
	};
	image->lanes = (struct lanes){
		.arena = image->arena,
		.ids = &image->ids,
		.rings = &rec->rings,
		.chunks = &rec->chunks,
		.turns = &rec->turns,
		.threads = &image->threads,
		.values = &image->values,
		.scratch = rec->ids,
	};
}

struct image *image_new(struct recording *rec, struct arena *arena, uint32_t pid,
			const struct image *parent, uint32_t parent_space)
{
	struct image *image = calloc(1, sizeof(*image));

	if (!image) {
		memory_unmap(arena);
		return NULL;
	}
	image->arena = arena;
	image->program = strndup(arena->header.program, sizeof(arena->header.program));
	/* Rounded down to the alignment of messages, whatever the memory says. */
	image->message_tail = atomic_load(&arena->header.message_tail) & ~UINT64_C(7);
	life_watch(&image->life, pid);
	image->space = rec->tally.images++;
	recording_process(rec, &arena->header);
	connect(image, rec);
	rec->steered.outcome.processes_out += image->threads.left_out;
	put_space(image, rec, parent_space);
	if (!spaces_add(&image->spaces, image->space, image->life.pid,
			image->program ? image->program : "")) {
		image_free(image);
		return NULL;
	}
	if (rec->machine)
		spaces_choose(image->spaces.at, &rec->steered);
	if (!inherit(image, parent, &rec->defs)) {
		/*
		 * Without its numbering no id of the image can be translated: its
		 * messages are not read, and its lanes are emptied so that it does not
		 * wait.
		 */
		image->messages_broken = true;
		output_cut(&rec->out, output_scribbled);
	}
	return image;
}

void image_free(struct image *image)
{
	if (!image)
		return;
	threads_fini(&image->threads);
	lanes_fini(&image->lanes);
	image_values_fini(&image->values);
	spaces_fini(&image->spaces);
	id_map_fini(&image->ids);
	note_parts_fini(&image->note);
	buf_fini(&image->loaded);
	life_unwatch(&image->life);
	memory_unmap(image->arena);
	free(image->program);
	free(image);
}

/* ---- draining --------------------------------------------------------------------------- */

/* Whether someone waits for what is there to be taken, or will wait soon. */
static bool is_pressing(const struct image *image)
{
	const struct arena_header *header = &image->arena->header;

	/*
	 * A quarter of the message ring is used: blocks are being translated, which makes
	 * threads wait soon.
	 */
	return atomic_load(&header->waiting) ||
	       atomic_load(&header->state) != ARENA_RUNNING ||
	       atomic_load(&header->message_head) - image->message_tail >= MESSAGE_WAKE;
}

/* Reads the heads of n lanes; whether some have enough ids to be worth a drain. */
static bool read_heads(const struct lanes *lanes, uint32_t n, uint64_t *heads)
{
	bool worth = false;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t tail = lanes->at[i].tail;

		heads[i] = lane_readable(lanes->arena, i, tail);
		worth |= lanes_worth(lanes, i, heads[i]);
	}
	return worth;
}

/* How many lanes may have something. */
static uint32_t count_lanes(struct lanes *lanes)
{
	uint32_t n = atomic_load(&lanes->arena->header.lanes);

	if (n > LANES_MAX)
		n = LANES_MAX;
	if (n < lanes->seen)
		n = lanes->seen; /* guard_look() will say so */
	if (lanes_provide(lanes, n)) {
		lanes->seen = n;
		return n;
	}
	output_cut(lanes->chunks->out, output_no_memory);
	return lanes->n;
}

/*
 * Most calls end after read_heads(): no lane has a quarter of its ring, and nobody waits.
 * That costs one load per lane, which is why the loop may call this as often as it likes.
 */
bool image_drain(struct image *image, struct recording *rec, enum drain how)
{
	/*
	 * Memory that is short (tight) is freed only by taking ids, so then small amounts
	 * are taken as well.
	 */
	bool all = how == DRAIN_ALL || rec->rings.tight || is_pressing(image);
	struct lanes *lanes = &image->lanes;
	/*
	 * The number of lanes before the heads: a lane that is added later is for the
	 * next drain.
	 */
	uint32_t n = count_lanes(lanes);
	bool worked = read_heads(lanes, n, rec->heads) || all;

	if (!worked)
		return false;
	if (!guard_look(image))
		output_cut(&rec->out, output_scribbled);
	lanes->crowded = n > CROWDED;
	/* All messages before any lane: see the head of this file. */
	worked = intake(image, rec);
	for (uint32_t i = 0; i < n; i++) {
		uint64_t head = rec->heads[i];

		/* Messages may have led beyond it already. */
		if (head <= lanes->at[i].tail || (!all && !lanes_worth(lanes, i, head)))
			continue;
		lanes_empty(lanes, i, head);
		worked = true;
	}
	if (worked)
		lanes_tell_room(image->arena);
	return worked;
}

void image_flush(struct image *image)
{
	for (uint32_t i = 0; i < image->threads.n; i++) {
		struct thread *thread = &image->threads.at[i];

		thread_flush(&image->threads, thread,
			     lanes_passed(&image->lanes, thread));
	}
}

/* ---- the end ---------------------------------------------------------------------------- */

/* Of processes that still run in a machine nobody knows a status. */
static void put_ends(struct image *image, struct output *out, int status)
{
	uint64_t now_ns = clock_ns();

	for (uint32_t i = image->spaces.n; i-- > 1;)
		spaces_end(&image->spaces, i, -1, now_ns, out);
	spaces_end(&image->spaces, 0, status, now_ns, out);
}

/*
 * Unrecorded, threads are counted by blocks. One that is stopped in a block need not have
 * run all of it; one that calls exit(), and is alone, has. Where faults are not seen, any
 * block may have been left early. What the lane of several threads has counted is no
 * thread's.
 */
static bool is_unsure(const struct image *image, const uint16_t *insns_of)
{
	const struct arena_header *header = &image->arena->header;
	unsigned live = 0, passing = 0, shared = 0;

	for (uint32_t i = 0; i < image->threads.n; i++) {
		const struct stream *stream = image->threads.at[i].stream;

		live += image->threads.at[i].begun;
		passing += stream && (!stream->last_id || !insns_of[stream->last_id]);
	}
	for (uint32_t i = 0; i < image->lanes.n; i++)
		shared += image->lanes.at[i].shared &&
			  lane_passed(&image->arena->heads[i]);
	return header->blind || shared ||
	       (passing && (live > 1 || !atomic_load(&header->exits)));
}

/* QEMU before 9.0 shows no registers within a block. */
static void cut_unseen(const struct image *image, struct output *out)
{
	uint32_t unseen = atomic_load(&image->arena->header.unseen);
	char why[120];

	if (!unseen)
		return;
	snprintf(why, sizeof(why),
		 "%u values at places are missing: this QEMU shows registers only where "
		 "code is jumped to",
		 unseen);
	output_cut(out, why);
}

/* Threads that have no lane are not recorded. */
static void cut_lost(const struct image *image, struct output *out)
{
	uint32_t lost = atomic_load(&image->arena->header.lost);
	char why[100];

	if (!lost)
		return;
	snprintf(why, sizeof(why),
		 "%u threads were not recorded: QEMU gave them vCPUs beyond %u", lost,
		 LANES_MAX);
	output_cut(out, why);
}

/*
 * A thread on no lane was switched away between two blocks: its last block is complete. A
 * thread on a lane stopped anywhere, unless it was last seen in a system call.
 */
static void end_threads(struct image *image)
{
	struct lanes *lanes = &image->lanes;

	for (uint32_t i = 0; i < image->threads.n; i++) {
		struct thread *thread = &image->threads.at[i];
		bool called = thread->lane == LANE_NONE ||
			      lanes_has_called(lanes, thread->lane);

		lanes_settle(lanes, thread, !called);
		thread_end(&image->threads, thread, lanes_passed(lanes, thread), called);
	}
}

/*
 * The order: ids first, then the check of the memory, then events of the threads' ends,
 * then the ends of their streams. DRAINS_AT_END bounds the first step, because an image
 * that is ended by the end of the recording may still run.
 */
void image_end(struct image *image, struct recording *rec, int status)
{
	const struct arena_header *header = &image->arena->header;

	if (image->ended)
		return;
	/* What a dead image left is taken at once; one that lives may go on for ever. */
	for (unsigned i = 0; i < DRAINS_AT_END && image_drain(image, rec, DRAIN_ALL); i++)
		;
	if (!guard_end(image))
		output_cut(&rec->out, output_scribbled);
	lifecycle_threads_end(rec, image);
	rec->tally.unsure |= is_unsure(image, rec->defs.insns_of);
	end_threads(image);
	cut_lost(image, &rec->out);
	cut_unseen(image, &rec->out);
	/*
	 * Nobody saw how it ended, but exit_group() was called: its argument is the
	 * status, as wait() would report it. So it is where an old kernel tells 0, the
	 * status of the first thread alone.
	 */
	if (status <= 0 && atomic_load(&header->exits))
		status = (int)(atomic_load(&header->exit_status) & 0xff) << 8;
	generated_map(&rec->generated, image->space, image->life.pid);
	put_ends(image, &rec->out, status);
	image->ended = true;
}

uint32_t image_expects(const struct image *image)
{
	const struct arena_header *header = &image->arena->header;
	uint32_t come =
		atomic_load(&header->forks_placed) + atomic_load(&header->forks_failed);
	uint32_t forks = atomic_load(&header->forks);

	/*
	 * Counters in shared memory may be anything; a negative number of children would
	 * never end the wait.
	 */
	return forks > come ? forks - come : 0;
}
