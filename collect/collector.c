// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The order that makes it right: first the heads of all lanes are read, then all
 * messages are taken, then the lanes are emptied up to those heads. So every id met is
 * known, and whatever is written to the file refers only to what is before it. A message
 * that tells of a position in a lane is acted on when the lane has been emptied up to it.
 *
 * The guest may write anything into the arena. Ids are checked by the encoder, messages
 * where they are taken; a lane or a message ring that makes no sense is given up with a
 * reason, which ends up in the file, but is still emptied: its guest must not wait.
 */
#include "collect/collector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/clock.h"
#include "base/futex.h"
#include "collect/definitions.h"
#include "collect/messages.h"
#include "collect/output.h"
#include "collect/stream.h"
#include "format/records.h"
#include "format/section.h"

#define TAKE_IDS (LANE_SEGMENT * 2) /* ids between two moves of a tail */
#define NAP_MS 20		    /* how long to sleep when there is nothing to do */

static const char scribbled[] = "the guest overwrote the tracer's memory";

struct lane_end {
	struct stream *stream; /* the thread now on the lane, or NULL */
	uint32_t generation;   /* threads it has had */
	bool broken;	       /* what is in it makes no sense: it is only emptied */
};

struct collector {
	struct arena *arena;
	struct arena_header *header; /* arena->header */
	struct output out;
	struct collector_facts facts; /* copies, ours */
	uint64_t begin_ns;

	struct definitions defs;
	struct lane_end lanes[LANES_MAX];
	uint32_t streams;
	struct message message; /* scratch */
	bool messages_broken;
	bool reported; /* the plugin has */

	_Atomic bool stop;
	_Atomic uint64_t blocks, insns, bytes; /* for collector_progress() */
};

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

static void collector_free(struct collector *c)
{
	writer_abort(c->out.writer);
	for (unsigned i = 0; i < LANES_MAX; i++)
		stream_free(c->lanes[i].stream);
	definitions_fini(&c->defs);
	free((char *)c->facts.command);
	free((char *)c->facts.program);
	free((char *)c->facts.qemu);
	free((char *)c->facts.qemu_version);
	free(c);
}

int collector_new(struct collector **out, struct arena *arena, const char *output,
		  const struct collector_facts *facts, struct wm_error *err)
{
	struct collector *c = calloc(1, sizeof(*c));
	int ret;

	if (!c)
		return wm_fail_nomem(err, "the collector");
	c->arena = arena;
	c->header = &arena->header;
	c->begin_ns = clock_ns();
	c->facts = (struct collector_facts){ copy(facts->command), copy(facts->program),
					     copy(facts->qemu),
					     copy(facts->qemu_version) };
	ret = writer_open(&c->out.writer, output, err);
	if (ret)
		collector_free(c);
	else
		*out = c;
	return ret;
}

/* ---- the start of the file ------------------------------------------------------- */

static void put_meta(struct collector *c, const char *key, const char *value)
{
	struct buf payload = BUF_INIT;

	if (!value)
		return;
	meta_put(&payload, key, value);
	output_put(&c->out, SECTION_META, &payload, 0);
	buf_fini(&payload);
}

static void put_facts(struct collector *c)
{
	char isa[sizeof(c->header->isa) + 1] = "", started[32],
					  host[sizeof(struct utsname)];
	struct utsname name;

	memcpy(isa, c->header->isa, sizeof(c->header->isa));
	snprintf(started, sizeof(started), "%lld", (long long)time(NULL));
	put_meta(c, "waymark", WAYMARK_VERSION);
	put_meta(c, "command", c->facts.command);
	put_meta(c, "guest-isa", isa);
	put_meta(c, "qemu", c->facts.qemu);
	put_meta(c, "qemu-version", c->facts.qemu_version);
	put_meta(c, "started", started);
	if (uname(&name) == 0) {
		snprintf(host, sizeof(host), "%s %s %s %s", name.sysname, name.release,
			 name.machine, name.nodename);
		put_meta(c, "host", host);
	}
}

static void put_process(struct collector *c)
{
	struct process_record process = {
		.pid = c->header->guest_pid,
		.parent = PROCESS_NONE,
		.begin_ns = c->begin_ns,
		.path = c->facts.program ? (char *)c->facts.program : (char *)"",
	};
	struct buf payload = BUF_INIT;

	process_put(&payload, &process);
	output_put(&c->out, SECTION_PROC, &payload, 0);
	buf_fini(&payload);
}

/* The plugin is there: the file gets its name and its first sections. */
static void start(struct collector *c)
{
	bool riscv = c->header->sizes_rule == SIZES_RISCV;

	c->reported = true;
	definitions_init(&c->defs, riscv ? SIZES_RISCV : SIZES_LISTED);
	if (writer_publish(c->out.writer, &c->out.fault))
		return;
	put_facts(c);
	put_process(c);
}

/* ---- streams ------------------------------------------------------------------------ */

/* Writes a stream's current chunk, after the blocks it refers to. */
static void flush(struct collector *c, struct stream *stream)
{
	uint64_t insns = stream->insns;
	struct wm_error err = { 0 };

	definitions_put(&c->defs, &c->out);
	if (stream_flush(stream, c->out.writer, c->defs.insns_of, c->defs.known, &err))
		output_failed(&c->out, &err);
	atomic_fetch_add(&c->insns, stream->insns - insns);
	atomic_store(&c->bytes, writer_bytes(c->out.writer));
}

static void put_stream(struct collector *c, unsigned vcpu, uint32_t tid)
{
	const struct lane_end *mine = &c->lanes[vcpu];
	struct stream_record record = {
		.index = mine->stream->index,
		.vcpu = vcpu,
		.generation = mine->generation,
		.tid = tid,
		.name = (char *)"",
	};
	struct buf payload = BUF_INIT;

	stream_put(&payload, &record);
	output_put(&c->out, SECTION_STRM, &payload, 0);
	buf_fini(&payload);
}

/* The thread on a lane ends where the lane has been emptied to. */
static void end_stream(struct collector *c, unsigned vcpu)
{
	struct lane_end *mine = &c->lanes[vcpu];

	if (!mine->stream)
		return;
	flush(c, mine->stream);
	stream_free(mine->stream);
	mine->stream = NULL;
	mine->generation++;
}

static bool begin_stream(struct collector *c, unsigned vcpu, uint32_t tid)
{
	struct lane_end *mine = &c->lanes[vcpu];

	end_stream(c, vcpu);
	mine->stream = stream_new(c->streams);
	if (!mine->stream)
		return false;
	c->streams++;
	put_stream(c, vcpu, tid);
	return true;
}

/* ---- lanes -------------------------------------------------------------------------- */

/* There is room again, if someone waits for it. */
static void tell_room(struct collector *c)
{
	if (!atomic_load(&c->header->waiting))
		return;
	atomic_fetch_add(&c->header->room, 1);
	futex_wake_all(&c->header->room);
}

/* Encodes n ids that do not wrap; false at one that no message told of. */
static bool feed(struct collector *c, struct stream *stream, const uint32_t *ids,
		 size_t n)
{
	size_t done = 0;

	if (!encoder_blocks(stream->encoder))
		stream->begin_ns = clock_ns();
	while (done < n) {
		done += encoder_feed(stream->encoder, ids + done, n - done);
		if (stream_full(stream))
			flush(c, stream);
		else if (done < n)
			break;
	}
	atomic_fetch_add(&c->blocks, done);
	return done == n;
}

static void break_lane(struct collector *c, unsigned vcpu, const char *why)
{
	c->lanes[vcpu].broken = true;
	output_cut(&c->out, why);
}

/* Whether ids of lane `vcpu` can be taken. */
static bool is_sound(struct collector *c, unsigned vcpu)
{
	struct lane_end *mine = &c->lanes[vcpu];

	if (!mine->broken && mine->stream &&
	    encoder_know(mine->stream->encoder, c->defs.known) < 0)
		break_lane(c, vcpu, "the recorder ran out of memory");
	return !mine->broken;
}

/* Empties lane `vcpu` up to position `end`, which its head has reached. */
static void empty_lane(struct collector *c, unsigned vcpu, uint64_t end)
{
	struct lane *lane = &c->arena->lanes[vcpu];
	struct lane_end *mine = &c->lanes[vcpu];
	uint64_t tail = atomic_load_explicit(&lane->tail, memory_order_relaxed);

	while (tail != end && is_sound(c, vcpu)) {
		uint64_t off = tail % LANE_IDS, n = end - tail;

		if (n > LANE_IDS - off)
			n = LANE_IDS - off;
		if (n > TAKE_IDS)
			n = TAKE_IDS;
		if (mine->stream && !feed(c, mine->stream, lane->ids + off, n))
			break_lane(c, vcpu, scribbled);
		tail += n;
		atomic_store_explicit(&lane->tail, tail, memory_order_release);
		tell_room(c);
	}
	if (tail != end) {
		atomic_store_explicit(&lane->tail, end, memory_order_release);
		tell_room(c);
	}
}

/* Empties a lane up to a position that a message names; false when that cannot be. */
static bool reach(struct collector *c, uint32_t vcpu, uint64_t position)
{
	const struct lane *lane;

	if (vcpu >= LANES_MAX)
		return false;
	lane = &c->arena->lanes[vcpu];
	if (position < atomic_load(&lane->tail) ||
	    position > lane_readable(c->arena, vcpu))
		return c->lanes[vcpu].broken;
	empty_lane(c, vcpu, position);
	return true;
}

/* ---- messages ----------------------------------------------------------------------- */

static bool take_module(struct collector *c, struct span *span)
{
	struct message_module message;
	const uint8_t *bytes = span_bytes(span, sizeof(message));
	struct module_record module = { 0 };
	struct buf payload = BUF_INIT;

	if (!bytes)
		return false;
	memcpy(&message, bytes, sizeof(message));
	module.start = message.start;
	module.end = message.end;
	module.file_off = message.file_off;
	module.path = strndup((const char *)span->at, span_left(span));
	if (!module.path)
		return false;
	module_put(&payload, &module);
	output_put(&c->out, SECTION_MODU, &payload, 0);
	buf_fini(&payload);
	free(module.path);
	return true;
}

static bool take_thread(struct collector *c, struct span *span, bool begins)
{
	struct message_thread message;
	const uint8_t *bytes = span_bytes(span, sizeof(message));

	if (!bytes)
		return false;
	memcpy(&message, bytes, sizeof(message));
	if (!reach(c, message.vcpu, message.position))
		return false;
	if (begins)
		return begin_stream(c, message.vcpu, message.tid);
	if (c->lanes[message.vcpu].stream)
		put_stream(c, message.vcpu, message.tid); /* only now its id is sure */
	end_stream(c, message.vcpu);
	return true;
}

static bool take_event(struct collector *c, struct span *span)
{
	struct message_event message;
	const uint8_t *bytes = span_bytes(span, sizeof(message));
	struct stream *stream;

	if (!bytes)
		return false;
	memcpy(&message, bytes, sizeof(message));
	if (!reach(c, message.vcpu, message.position))
		return false;
	stream = c->lanes[message.vcpu].stream;
	if (!stream)
		return true;
	stream_event(stream, message.kind, span->at, span_left(span));
	if (stream_full(stream))
		flush(c, stream);
	return true;
}

static bool take_message(struct collector *c)
{
	struct span span = span_of(c->message.payload, c->message.bytes);

	switch (c->message.type) {
	case MESSAGE_BLOCK:
		return definitions_take_block(&c->defs, &span);
	case MESSAGE_TEXT:
		return definitions_take_text(&c->defs, &span);
	case MESSAGE_MODULE:
		return take_module(c, &span);
	case MESSAGE_THREAD:
		return take_thread(c, &span, true);
	case MESSAGE_THREAD_END:
		return take_thread(c, &span, false);
	case MESSAGE_EVENT:
		return take_event(c, &span);
	}
	return false;
}

static bool take_messages(struct collector *c)
{
	bool worked = false;
	int got;

	while (!c->messages_broken && (got = message_take(c->arena, &c->message))) {
		if (got < 0 || !take_message(c)) {
			c->messages_broken = true;
			output_cut(&c->out, scribbled);
		}
		definitions_put_some(&c->defs, &c->out);
		worked = true;
	}
	if (c->messages_broken)
		atomic_store(&c->header->message_tail,
			     atomic_load(&c->header->message_head));
	if (worked || c->messages_broken)
		tell_room(c);
	return worked;
}

/* ---- the loop ----------------------------------------------------------------------- */

/* Takes all there is; false when there was nothing. */
static bool drain(struct collector *c)
{
	uint64_t heads[LANES_MAX];
	unsigned lanes = atomic_load(&c->header->lanes);
	bool worked;

	if (!c->reported) {
		if (atomic_load(&c->header->state) == ARENA_NEW)
			return false;
		start(c);
	}
	if (lanes > LANES_MAX)
		lanes = LANES_MAX;
	for (unsigned i = 0; i < lanes; i++)
		heads[i] = lane_readable(c->arena, i);
	worked = take_messages(c);
	for (unsigned i = 0; i < lanes; i++) {
		if (heads[i] <= atomic_load(&c->arena->lanes[i].tail))
			continue;
		empty_lane(c, i, heads[i]);
		worked = true;
	}
	return worked;
}

/* Sleeps until the plugin rings; `sleeping` is set before the last look. */
static void nap(struct collector *c)
{
	uint32_t seen = atomic_load(&c->header->doorbell);

	atomic_store(&c->header->sleeping, 1);
	if (!drain(c) && !atomic_load(&c->stop))
		futex_wait(&c->header->doorbell, seen, NAP_MS);
	atomic_store(&c->header->sleeping, 0);
}

void collector_run(struct collector *c)
{
	while (!atomic_load(&c->stop) && atomic_load(&c->header->state) != ARENA_EXITED)
		if (!drain(c))
			nap(c);
}

void collector_stop(struct collector *c)
{
	atomic_store(&c->stop, true);
	atomic_fetch_add(&c->header->doorbell, 1);
	futex_wake_all(&c->header->doorbell);
}

void collector_progress(const struct collector *c, struct record_progress *progress)
{
	progress->blocks = atomic_load(&c->blocks);
	progress->insns = atomic_load(&c->insns);
	progress->file_bytes = atomic_load(&c->bytes);
	progress->elapsed_ns = clock_ns() - c->begin_ns;
}

/* ---- the end ------------------------------------------------------------------------- */

static void put_end(struct collector *c, int status)
{
	struct process_end_record end = { .status = status, .end_ns = clock_ns() };
	uint32_t forks = atomic_load(&c->header->forks);
	struct buf payload = BUF_INIT;
	char children[16];

	if (atomic_load(&c->header->lost))
		output_cut(&c->out, "some threads were not recorded: too many at once");
	if (writer_failed(c->out.writer)) {
		output_cut(&c->out, writer_failed(c->out.writer));
		writer_retry(c->out.writer);
	}
	snprintf(children, sizeof(children), "%u", forks);
	if (forks)
		put_meta(c, "children-not-recorded", children);
	process_end_put(&payload, &end);
	output_put(&c->out, SECTION_PEND, &payload, 0);
	end_put(&payload, c->out.cut);
	output_put(&c->out, SECTION_ENDS, &payload, 0);
	buf_fini(&payload);
}

/* Lets a plugin that waits for the file go on. */
static void tell_finished(struct arena_header *header)
{
	atomic_store(&header->state, ARENA_FINISHED);
	atomic_fetch_add(&header->room, 1);
	futex_wake_all(&header->room);
}

int collector_finish(struct collector *c, int status, bool *traced, struct wm_error *err)
{
	struct wm_error fault = { 0 };

	while (drain(c))
		;
	if (traced)
		*traced = c->reported;
	if (!c->reported) {
		collector_free(c);
		return 0;
	}
	for (unsigned i = 0; i < LANES_MAX; i++)
		end_stream(c, i);
	definitions_put(&c->defs, &c->out);
	put_end(c, status);
	if (writer_finish(c->out.writer, &fault))
		output_failed(&c->out, &fault);
	c->out.writer = NULL;
	tell_finished(c->header);
	fault = c->out.fault;
	if (fault.code && err)
		*err = fault;
	collector_free(c);
	return fault.code;
}
