// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lanes become streams. What a guest may have scribbled into a lane is found by the
 * encoder, which takes only ids that messages told of: then the lane is given up with a
 * reason, which ends up in the file, but is still emptied, because its guest must not wait.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/futex.h"
#include "collect/process.h"
#include "format/records.h"
#include "format/section.h"

bool lanes_provide(struct process *process, uint32_t n)
{
	uint32_t all = process->n_lanes;
	struct lane_end *lanes;

	if (n <= all)
		return true;
	n += n / 2;
	lanes = realloc(process->lanes, n * sizeof(*lanes));
	if (!lanes)
		return false;
	memset(lanes + all, 0, (n - all) * sizeof(*lanes));
	process->lanes = lanes;
	process->n_lanes = n < LANES_MAX ? n : LANES_MAX;
	return true;
}

/* Writes a stream's current chunk, after the blocks it refers to. */
static void flush(struct recording *rec, struct stream *stream)
{
	uint64_t blocks = stream->blocks, insns = stream->insns, sections, *totals;
	struct wm_error err = { 0 };

	if (rec->out.sealed)
		return;
	definitions_put(&rec->defs, &rec->out);
	totals = sampler_pass(&rec->sampler, rec->defs.known);
	if (totals)
		stream_add_up(stream, totals);
	stream->dropped = newest_dropped(&rec->newest, stream->index);
	sections = writer_sections(rec->out.writer);
	if (stream_flush(stream, rec->out.writer, rec->defs.insns_of, rec->defs.known,
			 &err)) {
		output_failed(&rec->out, &err);
		output_cut(&rec->out, err.text);
	} else if (writer_sections(rec->out.writer) > sections) {
		newest_chunk(&rec->newest, &rec->out, stream->index,
			     stream->blocks - blocks, stream->insns - insns);
	}
	atomic_fetch_add(&rec->insns, stream->insns - insns);
	atomic_store(&rec->bytes, writer_bytes(rec->out.writer));
}

/* The same before the chunk is complete; the block that the thread is in waits for more. */
static void flush_early(struct recording *rec, struct stream *stream, bool release)
{
	uint32_t held = stream_hold_back(stream);

	flush(rec, stream);
	if (release)
		stream_release(stream);
	if (!stream_give_back(stream, held))
		output_cut(&rec->out, output_no_memory);
}

/* Keeps the memory of all streams within its bound. */
static void relieve(struct recording *rec)
{
	struct stream *stream;

	while ((stream = encoders_victim(&rec->encoders)))
		flush_early(rec, stream, true);
}

/* ---- threads -------------------------------------------------------------------------- */

static void put_stream(struct process *process, uint32_t vcpu, uint64_t passed)
{
	struct lane_end *mine = &process->lanes[vcpu];
	struct stream_record record = {
		.index = mine->stream->index,
		.space = process->index,
		.vcpu = vcpu,
		.generation = mine->generation,
		.tid = mine->tid,
		.name = mine->name,
		.passed = passed +
			  newest_dropped(&process->recording->newest, mine->stream->index)
				  .insns,
	};
	struct buf payload = BUF_INIT;

	process->recording->passed |= record.passed > 0;
	stream_put(&payload, &record);
	output_put(&process->recording->out, SECTION_STRM, &payload, 0);
	buf_fini(&payload);
}

static void set_name(struct lane_end *mine, uint32_t tid, const char *name)
{
	mine->tid = tid;
	snprintf(mine->name, sizeof(mine->name), "%s", name);
}

void lane_called(struct process *process, uint32_t vcpu, bool called)
{
	struct stream *stream = process->lanes[vcpu].stream;

	if (stream)
		stream->at_syscall |= called;
}

/* Whether the thread on a lane, which is emptied, was last seen calling the kernel. */
static bool has_called(const struct process *process, uint32_t vcpu)
{
	const struct lane_head *head = &process->arena->heads[vcpu];

	return atomic_load(&head->called) == process->lanes[vcpu].tail;
}

/* That something was passed is known of the whole thread only at its end. */
static void end_stream(struct process *process, uint32_t vcpu, uint64_t passed)
{
	struct lane_end *mine = &process->lanes[vcpu];

	if (!mine->stream)
		return;
	stream_end(mine->stream, has_called(process, vcpu),
		   process->recording->defs.insns_of);
	flush(process->recording, mine->stream);
	process->recording->unsure |= mine->dropped > 0; /* blocks, whole or not */
	passed += mine->dropped;
	if (passed)
		put_stream(process, vcpu, passed);
	stream_free(mine->stream);
	mine->stream = NULL;
	mine->generation++;
}

/* What the thread has passed so far, as far as it is counted; its memory may say anything. */
static uint64_t passed_so_far(const struct process *process, uint32_t vcpu)
{
	return lane_passed(&process->arena->heads[vcpu]) + process->lanes[vcpu].dropped;
}

void lanes_flush(struct process *process)
{
	for (unsigned i = 0; i < process->n_lanes; i++) {
		struct stream *stream = process->lanes[i].stream;

		if (!stream)
			continue;
		flush_early(process->recording, stream, false);
		if (passed_so_far(process, i))
			put_stream(process, i, passed_so_far(process, i));
	}
}

void lanes_drop(struct process *process)
{
	for (unsigned i = 0; i < process->n_lanes; i++) {
		stream_free(process->lanes[i].stream);
		process->lanes[i].stream = NULL;
	}
}

static bool begin_stream(struct process *process, uint32_t vcpu)
{
	struct lane_end *mine = &process->lanes[vcpu];

	mine->stream =
		stream_new(process->recording->streams, &process->recording->encoders);
	if (!mine->stream)
		return false;
	process->recording->streams++;
	mine->recorded = true;
	return true;
}

static bool is_wanted(const struct process *process, uint32_t vcpu)
{
	const struct lane_end *mine = &process->lanes[vcpu];

	return !process->recording->out.sealed && !process->left_out &&
	       steered_wants_thread(&process->recording->steered, mine->number,
				    mine->name, process->program);
}

void lane_finish(struct process *process, uint32_t vcpu, uint64_t passed)
{
	struct lane_end *mine = &process->lanes[vcpu];

	end_stream(process, vcpu, passed);
	process->recording->steered.outcome.threads_out += mine->begun && !mine->recorded;
	mine->begun = mine->recorded = false;
	mine->told[0] = 0;
}

bool lane_begin(struct process *process, uint32_t vcpu, uint32_t tid, const char *name)
{
	struct lane_end *mine = &process->lanes[vcpu];

	lane_finish(process, vcpu, 0);
	mine->begun = true;
	mine->dropped = 0;
	mine->number = process->recording->threads++;
	set_name(mine, tid, name);
	if (!is_wanted(process, vcpu))
		return true;
	if (!begin_stream(process, vcpu))
		return false;
	put_stream(process, vcpu, 0);
	return true;
}

bool lane_name(struct process *process, uint32_t vcpu,
	       const struct message_thread *thread, const char *name)
{
	struct lane_end *mine = &process->lanes[vcpu];

	if (!mine->begun)
		return true;
	set_name(mine, thread->tid, name);
	if (!is_wanted(process, vcpu))
		end_stream(process, vcpu, thread->passed);
	else if (!mine->stream && !begin_stream(process, vcpu))
		return false;
	if (mine->stream)
		put_stream(process, vcpu, 0);
	return true;
}

/* ---- ids ------------------------------------------------------------------------------ */

void lane_tell_room(struct process *process)
{
	struct arena_header *header = &process->arena->header;

	if (!atomic_load(&header->waiting))
		return;
	atomic_fetch_add(&header->room, 1);
	futex_wake_all(&header->room);
}

/*
 * The file's ids for the process's: at most TAKE_IDS. What it may not use becomes 0. Each is
 * read once: the guest may change it meanwhile.
 */
static const uint32_t *translate(struct process *process, const uint32_t *ids, size_t n)
{
	uint32_t *to = process->recording->ids;

	if (process->same_ids)
		return ids;
	for (size_t i = 0; i < n; i++) {
		uint32_t id = read_once(&ids[i]);

		to[i] = id <= process->known ? process->ids[id] : 0;
	}
	return to;
}

/*
 * Encodes n ids that do not wrap; false at one that no message told of. A full chunk is
 * flushed when the next id comes, so that an event at its very end is still in it.
 */
static bool feed(struct process *process, struct stream *stream, const uint32_t *ids,
		 size_t n)
{
	size_t done = 0;

	ids = translate(process, ids, n);
	while (done < n) {
		size_t took;

		if (stream_full(stream))
			flush(process->recording, stream);
		if (!stream_blocks(stream))
			stream->begin_ns = clock_ns();
		took = stream_feed(stream, ids + done, n - done);
		done += took;
		if (!took || (done < n && !stream_full(stream)))
			break;
	}
	atomic_fetch_add(&process->recording->blocks, done);
	return done == n;
}

/* Counts what a thread executes while it is left out. */
static void drop(struct process *process, struct lane_end *mine, const uint32_t *ids,
		 size_t n)
{
	const struct definitions *defs = &process->recording->defs;

	ids = translate(process, ids, n);
	for (size_t i = 0; mine->begun && i < n; i++) {
		uint32_t id = read_once(&ids[i]);

		mine->dropped += id && id <= defs->known ? defs->insns_of[id] : 0;
	}
}

static void break_lane(struct process *process, unsigned vcpu, const char *why)
{
	process->lanes[vcpu].broken = true;
	output_cut(&process->recording->out, why);
}

/* Whether ids of lane `vcpu` can be taken. */
static bool is_sound(struct process *process, unsigned vcpu)
{
	struct lane_end *mine = &process->lanes[vcpu];

	if (!mine->broken && mine->stream &&
	    stream_know(mine->stream, process->recording->defs.known) < 0)
		break_lane(process, vcpu, output_no_memory);
	return !mine->broken;
}

/* Moves a lane's tail, and shows it. */
static void move_tail(struct process *process, unsigned vcpu, uint64_t tail)
{
	struct lane_end *mine = &process->lanes[vcpu];

	rings_taken(&process->recording->rings, process->arena, vcpu, mine->tail, tail);
	mine->tail = tail;
	atomic_store_explicit(&process->arena->tails[vcpu].tail, tail,
			      memory_order_release);
	/* Who waits is woken with all others, and looks for its own room. */
	if (!process->crowded)
		lane_tell_room(process);
}

/* Takes n ids of a lane, which do not wrap; false when they make no sense. */
static bool take(struct process *process, struct lane_end *mine, const uint32_t *ids,
		 size_t n)
{
	bool good;

	if (!mine->stream) {
		drop(process, mine, ids, n);
		return true;
	}
	good = feed(process, mine->stream, ids, n);
	relieve(process->recording);
	return good;
}

void lane_empty(struct process *process, unsigned vcpu, uint64_t end)
{
	const uint32_t *ring = lane_ring(process->arena, vcpu);
	struct lane_end *mine = &process->lanes[vcpu];
	uint32_t size = lane_ids(vcpu);

	while (mine->tail != end && is_sound(process, vcpu)) {
		uint64_t off = mine->tail % size, n = end - mine->tail;

		if (n > size - off)
			n = size - off;
		if (n > TAKE_IDS)
			n = TAKE_IDS;
		if (!take(process, mine, ring + off, n))
			break_lane(process, vcpu,
				   process->recording->encoders.pages.failed ?
					   output_no_memory :
					   output_scribbled);
		move_tail(process, vcpu, mine->tail + n);
	}
	if (mine->tail != end)
		move_tail(process, vcpu, end);
}

bool lane_reach(struct process *process, uint32_t vcpu, uint64_t position)
{
	const struct lane_end *mine;

	if (vcpu >= LANES_MAX || !lanes_provide(process, vcpu + 1))
		return false;
	mine = &process->lanes[vcpu];
	if (position < mine->tail ||
	    position > lane_readable(process->arena, vcpu, mine->tail))
		return mine->broken;
	lane_empty(process, vcpu, position);
	return true;
}
