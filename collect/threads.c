// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A thread has a stream exactly while it has begun and is wanted. Its name decides
 * whether it is wanted, and names change while threads run: then its stream ends, or
 * another one begins. So one thread can have several streams, one after the other; a
 * stream has one thread.
 *
 * A STRM record is written when a stream begins, and again when its name becomes known,
 * or when some of its instructions turn out to have been passed unrecorded. The last
 * record counts.
 */
#include "collect/threads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format/records.h"
#include "format/section.h"

void threads_fini(struct threads *threads)
{
	for (uint32_t i = 0; i < threads->n; i++)
		stream_free(threads->at[i].stream);
	free(threads->at);
	free(threads->generations);
}

/*
 * Pointers to threads are valid until the next call for a greater number: they may move.
 */
struct thread *threads_at(struct threads *threads, uint32_t number)
{
	/*
	 * Half as much again, so that a thread at a time does not mean a realloc() each.
	 */
	uint32_t n = number + 1 + number / 2;
	struct thread *grown;

	if (number >= LANES_MAX)
		return NULL;
	if (number < threads->n)
		return &threads->at[number];
	grown = realloc(threads->at, n * sizeof(*grown));
	if (!grown)
		return NULL;
	memset(grown + threads->n, 0, (n - threads->n) * sizeof(*grown));
	for (uint32_t i = threads->n; i < n; i++)
		grown[i].lane = LANE_NONE;
	threads->at = grown;
	threads->n = n;
	return &threads->at[number];
}

/* ---- streams ------------------------------------------------------------- */

static void put_stream(struct threads *threads, const struct thread *thread,
		       uint64_t passed)
{
	struct dropped dropped =
		newest_dropped(&threads->chunks->newest, thread->stream->index);
	struct stream_record record = {
		.index = thread->stream->index,
		.space = thread->stream->began_in,
		.vcpu = thread->vcpu,
		.generation = thread->generation,
		.tid = thread->tid,
		.name = (char *)thread->name,
		/*
		 * Instructions dropped by --last were executed and are not in the file,
		 * like those that were passed.
		 */
		.passed = passed + dropped.insns,
	};
	struct buf payload = BUF_INIT;

	threads->tally->passed |= record.passed > 0;
	stream_put(&payload, &record);
	output_put(threads->chunks->out, SECTION_STRM, &payload, 0);
	buf_fini(&payload);
}

/* Room for the number of streams on lane `vcpu`. */
static bool provide_generation(struct threads *threads, uint32_t vcpu)
{
	uint32_t old = threads->n_generations, n = vcpu + 1 + vcpu / 2;
	uint32_t *grown;

	if (vcpu < old)
		return true;
	grown = realloc(threads->generations, n * sizeof(*grown));
	if (!grown)
		return false;
	memset(grown + old, 0, (n - old) * sizeof(*grown));
	threads->generations = grown;
	threads->n_generations = n;
	return true;
}

static bool begin_stream(struct threads *threads, struct thread *thread)
{
	if (!provide_generation(threads, thread->vcpu))
		return false;
	thread->stream = stream_new(threads->tally->streams, thread->space,
				    &threads->chunks->encoders);
	if (!thread->stream)
		return false;
	threads->tally->streams++;
	/*
	 * QEMU reuses a vCPU's number; lane and generation together name a stream for
	 * people.
	 */
	thread->generation = threads->generations[thread->vcpu]++;
	thread->recorded = true;
	return true;
}

/* Only at the end of a stream it is known that its thread passed something. */
static void end_stream(struct threads *threads, struct thread *thread, uint64_t passed,
		       bool called)
{
	if (!thread->stream)
		return;
	/* Before the flush, which writes what it notes about the last block. */
	stream_end(thread->stream, called, threads->chunks->defs->insns_of);
	chunks_flush(threads->chunks, thread->stream);
	threads->tally->unsure |= thread->dropped > 0; /* blocks, whole or not */
	passed += thread->dropped;
	if (passed)
		put_stream(threads, thread, passed);
	stream_free(thread->stream);
	thread->stream = NULL;
}

/* ---- threads ------------------------------------------------------------- */

/*
 * Whether the kernel's name is made of the full one: cut, or with ".." for what it has no
 * room for, as "Referen..andler".
 */
static bool is_short_for(const char *name, const char *full)
{
	size_t bytes = strlen(name), whole = strlen(full), front = 0, back = 0;

	while (front < bytes && name[front] == full[front])
		front++;
	if (front == bytes || strncmp(name + front, "..", 2) != 0)
		return front == bytes;
	while (back < bytes && back < whole &&
	       name[bytes - 1 - back] == full[whole - 1 - back])
		back++;
	return front + 2 + back >= bytes;
}

static void set_name(struct thread *thread, uint32_t tid, const char *name)
{
	thread->tid = tid;
	if (thread->called[0] && is_short_for(name, thread->called))
		name = thread->called;
	snprintf(thread->name, sizeof(thread->name), "%s", name);
}

static bool is_wanted(const struct threads *threads, const struct thread *thread)
{
	/* After a seal no stream begins: it could not be written. */
	return !threads->chunks->out->sealed && !threads->left_out && !thread->left_out &&
	       steered_wants_thread(threads->steered, thread->number, thread->name,
				    threads->program);
}

bool thread_begin(struct threads *threads, struct thread *thread, uint32_t vcpu,
		  uint32_t tid, const char *name)
{
	thread->begun = true;
	thread->dropped = 0;
	thread->called[0] = 0;
	thread->vcpu = vcpu;
	thread->number = threads->tally->threads++;
	set_name(thread, tid, name);
	if (!is_wanted(threads, thread))
		return true;
	if (!begin_stream(threads, thread))
		return false;
	put_stream(threads, thread, 0);
	return true;
}

/* It has another name or process: its stream may end, or begin. */
static bool choose(struct threads *threads, struct thread *thread, uint64_t passed,
		   bool called)
{
	if (!is_wanted(threads, thread))
		end_stream(threads, thread, passed, called);
	else if (!thread->stream && !begin_stream(threads, thread))
		return false;
	if (thread->stream)
		put_stream(threads, thread, 0);
	return true;
}

bool thread_rename(struct threads *threads, struct thread *thread, uint32_t tid,
		   const char *name, uint64_t passed, bool called)
{
	set_name(thread, tid, name);
	return choose(threads, thread, passed, called);
}

bool thread_message(struct span *span, void *message, size_t bytes,
		    char name[THREAD_NAME_BYTES])
{
	const uint8_t *from = span_bytes(span, bytes);

	if (!from)
		return false;
	memcpy(message, from, bytes);
	snprintf(name, THREAD_NAME_BYTES, "%.*s", (int)span_left(span),
		 (const char *)span->at);
	return true;
}

struct thread *threads_of_tid(struct threads *threads, uint32_t tid)
{
	for (uint32_t i = 0; i < threads->n; i++)
		if (threads->at[i].begun && threads->at[i].tid == tid)
			return &threads->at[i];
	return NULL;
}

void thread_named(struct threads *threads, struct thread *thread, const char *name)
{
	set_name(thread, thread->tid, name);
	if (thread->stream)
		put_stream(threads, thread, 0);
}

void thread_call(struct threads *threads, struct thread *thread, const char *name)
{
	snprintf(thread->called, sizeof(thread->called), "%s", name);
	snprintf(thread->name, sizeof(thread->name), "%s", name);
	if (thread->stream)
		put_stream(threads, thread, 0);
}

bool thread_move(struct threads *threads, struct thread *thread,
		 const struct image_space *to)
{
	thread->pid = to->pid;
	if (thread->space == to->index)
		return true;
	thread->space = to->index;
	thread->left_out = to->left_out;
	if (thread->stream)
		stream_complete(thread->stream);
	if (thread->stream && is_wanted(threads, thread)) {
		/* All of a chunk is in one space. */
		chunks_flush(threads->chunks, thread->stream);
		thread->stream->space = to->index;
		return true;
	}
	return choose(threads, thread, 0, true);
}

/* Harmless for a thread that has not begun, so callers need not look. */
void thread_end(struct threads *threads, struct thread *thread, uint64_t passed,
		bool called)
{
	end_stream(threads, thread, passed, called);
	threads->steered->outcome.threads_out += thread->begun && !thread->recorded;
	/* `noticed` as well: the next thread of this number must report its name. */
	thread->begun = thread->recorded = false;
	thread->noticed[0] = 0;
}

void thread_flush(struct threads *threads, struct thread *thread, uint64_t passed)
{
	if (!thread->stream)
		return;
	chunks_flush_early(threads->chunks, thread->stream, false);
	if (passed + thread->dropped)
		put_stream(threads, thread, passed + thread->dropped);
}

/*
 * Ids come straight from the ring: an unknown one counts nothing, it is not an error
 * here.
 */
void thread_drop(const struct threads *threads, struct thread *thread,
		 const uint32_t *ids, size_t n)
{
	const struct definitions *defs = threads->chunks->defs;

	for (size_t i = 0; i < n; i++) {
		uint32_t id = read_once(&ids[i]);

		thread->dropped += id && id <= defs->known ? defs->insns_of[id] : 0;
	}
}

/* ---- all of them --------------------------------------------------------- */

void threads_drop(struct threads *threads)
{
	for (uint32_t i = 0; i < threads->n; i++) {
		stream_free(threads->at[i].stream);
		threads->at[i].stream = NULL;
	}
}

uint64_t threads_bytes(const struct threads *threads)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < threads->n; i++)
		if (threads->at[i].stream)
			bytes += stream_bytes(threads->at[i].stream);
	return bytes;
}

void threads_cut(struct threads *threads)
{
	for (uint32_t i = 0; i < threads->n; i++)
		if (threads->at[i].stream)
			threads->at[i].stream->cut = true;
}
