// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The order that makes it right: first the heads of all lanes are read, then all
 * messages are taken, then the lanes are emptied up to those heads. So every id met is
 * known, and whatever is written to the file refers only to what is before it. A message
 * that tells of a position in a lane is acted on when the lane has been emptied up to it.
 *
 * The guest may write anything into the arena. Ids are checked by the encoder, messages
 * here; a lane or a message ring that makes no sense is given up with a reason, which
 * ends up in the file.
 */
#include "collect/collector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/clock.h"
#include "base/futex.h"
#include "collect/messages.h"
#include "collect/stream.h"
#include "format/blocks.h"
#include "format/records.h"
#include "format/section.h"
#include "format/text.h"

#define LEVEL 3			     /* zstd, of small sections */
#define BLOCKS_LEVEL 9		     /* of code: worth more, and there is little of it */
#define DEFINITIONS_BYTES (1u << 20) /* blocks and texts are written in such pieces */
#define TAKE_IDS (LANE_SEGMENT * 2)  /* ids between two moves of a tail */
#define NAP_MS 20		     /* how long to sleep when there is nothing to do */

struct lane_end {
	struct stream *stream; /* the thread now on the lane, or NULL */
	uint32_t generation;   /* threads it has had */
	bool broken;	       /* the guest wrote nonsense: nothing more is read */
};

struct collector {
	struct arena *arena;
	struct arena_header *header;
	struct writer *writer;
	struct collector_facts facts; /* copies, ours */
	struct wm_error fault;	      /* the first failure, code 0 as long as all is well */
	char cut[200];		      /* why something is missing; empty when nothing is */

	struct blocks_writer blocks;
	struct buf texts;
	uint16_t *insns_of; /* [allocated] by id */
	uint32_t known, allocated;

	struct lane_end lanes[LANES_MAX];
	uint32_t streams;
	struct message message;
	bool messages_broken, reported;

	_Atomic bool stop, started;
	_Atomic uint64_t progress_blocks, progress_insns, progress_bytes;
	uint64_t begin_ns, insns; /* insns: in finished chunks */
};

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

static void collector_free(struct collector *c)
{
	writer_abort(c->writer);
	for (unsigned i = 0; i < LANES_MAX; i++)
		stream_free(c->lanes[i].stream);
	blocks_writer_fini(&c->blocks);
	buf_fini(&c->texts);
	free(c->insns_of);
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
					     copy(facts->qemu), copy(facts->qemu_version) };
	ret = writer_open(&c->writer, output, err);
	if (ret)
		collector_free(c);
	else
		*out = c;
	return ret;
}

/* The first reason for which something is missing is kept. */
static void cut(struct collector *c, const char *why)
{
	if (!c->cut[0])
		snprintf(c->cut, sizeof(c->cut), "%s", why);
}

/* Puts a section and empties its payload. */
static void put(struct collector *c, uint32_t type, struct buf *payload, int level)
{
	struct wm_error err = { 0 };

	if (writer_put(c->writer, type, payload, level, NULL, &err) && !c->fault.code)
		c->fault = err;
	payload->len = 0;
	payload->failed = false;
}

static void put_meta(struct collector *c, const char *key, const char *value)
{
	struct buf payload = BUF_INIT;

	if (!value)
		return;
	meta_put(&payload, key, value);
	put(c, SECTION_META, &payload, 0);
	buf_fini(&payload);
}

static void put_facts(struct collector *c)
{
	char isa[sizeof(c->header->isa) + 1] = "", number[32], host[sizeof(struct utsname)];
	struct utsname name;

	memcpy(isa, c->header->isa, sizeof(c->header->isa));
	snprintf(number, sizeof(number), "%lld", (long long)time(NULL));
	put_meta(c, "waymark", WAYMARK_VERSION);
	put_meta(c, "command", c->facts.command);
	put_meta(c, "guest-isa", isa);
	put_meta(c, "qemu", c->facts.qemu);
	put_meta(c, "qemu-version", c->facts.qemu_version);
	put_meta(c, "started", number);
	if (uname(&name) == 0) {
		snprintf(host, sizeof(host), "%s %s %s %s", name.sysname, name.release,
			 name.machine, name.nodename);
		put_meta(c, "host", host);
	}
}

/* The plugin is there: the file gets its name and its first sections. */
static void start(struct collector *c)
{
	struct process_record process = {
		.pid = c->header->guest_pid,
		.parent = PROCESS_NONE,
		.begin_ns = c->begin_ns,
		.path = c->facts.program ? (char *)c->facts.program : (char *)"",
	};
	struct buf payload = BUF_INIT;
	uint32_t rule = c->header->sizes_rule;

	c->reported = true;
	blocks_writer_init(&c->blocks, rule == SIZES_RISCV ? SIZES_RISCV : SIZES_LISTED, 1);
	if (writer_publish(c->writer, &c->fault))
		return;
	put_facts(c);
	process_put(&payload, &process);
	put(c, SECTION_PROC, &payload, 0);
	buf_fini(&payload);
	atomic_store(&c->started, true);
}

/* Writes the blocks and texts that came since the last time. */
static void put_definitions(struct collector *c)
{
	struct buf payload = BUF_INIT;

	if (c->blocks.count) {
		blocks_writer_flush(&c->blocks, &payload);
		put(c, SECTION_BLKS, &payload, BLOCKS_LEVEL);
	}
	if (c->texts.len)
		put(c, SECTION_DISA, &c->texts, LEVEL);
	buf_fini(&payload);
}

static void flush(struct collector *c, struct stream *stream)
{
	struct wm_error err = { 0 };
	uint64_t insns = stream->insns;

	put_definitions(c);
	if (stream_flush(stream, c->writer, c->insns_of, c->known, &err) && !c->fault.code)
		c->fault = err;
	c->insns += stream->insns - insns;
	atomic_store(&c->progress_insns, c->insns);
	atomic_store(&c->progress_bytes, writer_bytes(c->writer));
}

/* ---- lanes --------------------------------------------------------------------- */

/* Makes room: the plugin may write up to a ring beyond `tail`. */
static void move_tail(struct collector *c, struct lane *lane, uint64_t tail)
{
	atomic_store_explicit(&lane->tail, tail, memory_order_release);
	if (!atomic_load(&c->header->waiting))
		return;
	atomic_fetch_add(&c->header->room, 1);
	futex_wake_all(&c->header->room);
}

/* Encodes n ids of the ring that do not wrap. */
static bool feed(struct collector *c, struct stream *stream, const uint32_t *ids, size_t n)
{
	uint64_t before = stream_blocks(stream);
	size_t done = 0;

	if (!encoder_blocks(stream->encoder))
		stream->begin_ns = clock_ns();
	while (done < n) {
		size_t taken = encoder_feed(stream->encoder, ids + done, n - done);

		done += taken;
		if (encoder_full(stream->encoder))
			flush(c, stream);
		else if (done < n)
			break; /* an id that no message told of */
	}
	atomic_fetch_add(&c->progress_blocks, stream_blocks(stream) - before);
	return done == n;
}

/* Empties lane `vcpu` up to position `end`, which its head has reached. */
static bool take_ids(struct collector *c, unsigned vcpu, uint64_t end)
{
	struct lane *lane = &c->arena->lanes[vcpu];
	struct lane_end *mine = &c->lanes[vcpu];
	uint64_t tail = atomic_load_explicit(&lane->tail, memory_order_relaxed);
	bool worked = tail != end;

	if (mine->broken || !worked)
		return false;
	if (end - tail > LANE_IDS) {
		mine->broken = true;
		cut(c, "the guest overwrote the tracer's memory");
		return false;
	}
	if (mine->stream && encoder_know(mine->stream->encoder, c->known) < 0) {
		mine->broken = true;
		cut(c, "out of memory");
		return false;
	}
	while (tail != end) {
		uint64_t off = tail % LANE_IDS, n = end - tail;

		if (n > LANE_IDS - off)
			n = LANE_IDS - off;
		if (n > TAKE_IDS)
			n = TAKE_IDS;
		if (mine->stream && !feed(c, mine->stream, lane->ids + off, n)) {
			mine->broken = true;
			cut(c, "the guest overwrote the tracer's memory, or ran out of it");
		}
		tail += n; /* a broken lane is still emptied: its guest must not wait */
		move_tail(c, lane, tail);
	}
	return true;
}

/* ---- messages ------------------------------------------------------------------ */

static bool grow_insns(struct collector *c)
{
	uint32_t n = c->allocated * 2 + 4096;
	uint16_t *grown;

	if (c->known + 1 < c->allocated)
		return true;
	grown = realloc(c->insns_of, n * sizeof(*grown));
	if (!grown)
		return false;
	c->insns_of = grown;
	c->allocated = n;
	return true;
}

static bool take_block(struct collector *c, struct span *span)
{
	struct message_block message;
	const uint8_t *bytes = span_bytes(span, sizeof(message));
	uint8_t sizes[BLOCK_INSNS_MAX];
	struct wm_block block;

	if (!bytes)
		return false;
	memcpy(&message, bytes, sizeof(message));
	block = (struct wm_block){
		.address = message.address,
		.insns = message.insns,
		.bytes = message.bytes,
		.sizes = span_bytes(span, message.insns),
		.code = span_bytes(span, message.bytes),
	};
	if (span->failed || message.id != c->known + 1 || message.id >= CODEC_IDS_MAX ||
	    !block.insns || block.insns > BLOCK_INSNS_MAX)
		return false;
	if (c->blocks.rule == SIZES_RISCV &&
	    (!sizes_from_code(sizes, block.insns, block.code, block.bytes) ||
	     memcmp(sizes, block.sizes, block.insns)))
		return false;
	if (!grow_insns(c) || !blocks_writer_add(&c->blocks, &block))
		return false;
	c->insns_of[++c->known] = (uint16_t)block.insns;
	return true;
}

static bool take_text(struct collector *c, const struct span *span)
{
	struct span copy_of = *span;
	struct text_record text;
	bool good = text_get(&copy_of, &text) && !span_left(&copy_of);

	free(text.text);
	if (good)
		buf_put(&c->texts, span->at, span_left(span));
	return good && !c->texts.failed;
}

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
	put(c, SECTION_MODU, &payload, 0);
	buf_fini(&payload);
	free(module.path);
	return true;
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
	put(c, SECTION_STRM, &payload, 0);
	buf_fini(&payload);
}

/* The thread on a lane ends where the lane is emptied to. */
static void end_stream(struct collector *c, unsigned vcpu)
{
	struct lane_end *mine = &c->lanes[vcpu];

	if (!mine->stream)
		return;
	flush(c, mine->stream);
	stream_free(mine->stream);
	mine->stream = NULL;
}

static bool begin_stream(struct collector *c, unsigned vcpu, uint32_t tid)
{
	struct lane_end *mine = &c->lanes[vcpu];

	if (mine->stream) {
		end_stream(c, vcpu);
		mine->generation++;
	}
	mine->stream = stream_new(c->streams);
	if (!mine->stream)
		return false;
	c->streams++;
	put_stream(c, vcpu, tid);
	return true;
}

/* Empties a lane up to a position that a message names; false when that cannot be. */
static bool reach(struct collector *c, uint32_t vcpu, uint64_t position)
{
	struct lane *lane;

	if (vcpu >= LANES_MAX)
		return false;
	lane = &c->arena->lanes[vcpu];
	if (position < atomic_load(&lane->tail) || position > atomic_load(&lane->head))
		return c->lanes[vcpu].broken;
	take_ids(c, vcpu, position);
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
	if (c->lanes[message.vcpu].stream) {
		put_stream(c, message.vcpu, message.tid);
		end_stream(c, message.vcpu);
		c->lanes[message.vcpu].generation++;
	}
	return true;
}

static bool take_event(struct collector *c, struct span *span)
{
	struct message_event message;
	const uint8_t *bytes = span_bytes(span, sizeof(message));

	if (!bytes)
		return false;
	memcpy(&message, bytes, sizeof(message));
	if (!reach(c, message.vcpu, message.position))
		return false;
	if (c->lanes[message.vcpu].stream)
		stream_event(c->lanes[message.vcpu].stream, message.kind, span->at,
			     span_left(span));
	return true;
}

static bool take_message(struct collector *c)
{
	struct span span = span_of(c->message.payload, c->message.bytes);

	switch (c->message.type) {
	case MESSAGE_BLOCK:
		return take_block(c, &span);
	case MESSAGE_TEXT:
		return take_text(c, &span);
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
			cut(c, "the guest overwrote the tracer's memory");
		}
		if (blocks_writer_bytes(&c->blocks) > DEFINITIONS_BYTES ||
		    c->texts.len > DEFINITIONS_BYTES)
			put_definitions(c);
		worked = true;
	}
	if (c->messages_broken) /* nothing more can be read, but the guest must not wait */
		atomic_store(&c->header->message_tail,
			     atomic_load(&c->header->message_head));
	if ((worked || c->messages_broken) && atomic_load(&c->header->waiting)) {
		atomic_fetch_add(&c->header->room, 1);
		futex_wake_all(&c->header->room);
	}
	return worked;
}

/* ---- the loop ------------------------------------------------------------------- */

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
		heads[i] = atomic_load_explicit(&c->arena->lanes[i].head,
						memory_order_acquire);
	worked = take_messages(c);
	for (unsigned i = 0; i < lanes; i++)
		if (heads[i] > atomic_load(&c->arena->lanes[i].tail))
			worked |= take_ids(c, i, heads[i]);
	return worked;
}

/* Sleeps until the plugin rings; the sleeping flag is set before the last look. */
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
	while (!atomic_load(&c->stop) && atomic_load(&c->header->state) != ARENA_EXITED) {
		if (!drain(c))
			nap(c);
	}
}

void collector_stop(struct collector *c)
{
	atomic_store(&c->stop, true);
	atomic_fetch_add(&c->header->doorbell, 1);
	futex_wake_all(&c->header->doorbell);
}

void collector_progress(const struct collector *c, struct record_progress *progress)
{
	progress->blocks = atomic_load(&c->progress_blocks);
	progress->insns = atomic_load(&c->progress_insns);
	progress->file_bytes = atomic_load(&c->progress_bytes);
	progress->elapsed_ns = clock_ns() - c->begin_ns;
}

bool collector_started(const struct collector *c)
{
	return atomic_load(&c->started);
}

static void put_end(struct collector *c, int status)
{
	struct process_end_record end = { .status = status, .end_ns = clock_ns() };
	struct buf payload = BUF_INIT;

	if (atomic_load(&c->header->lost))
		cut(c, "some threads were not recorded: too many at once");
	if (writer_failed(c->writer))
		cut(c, writer_failed(c->writer));
	process_end_put(&payload, &end);
	put(c, SECTION_PEND, &payload, 0);
	end_put(&payload, c->cut);
	put(c, SECTION_ENDS, &payload, 0);
	buf_fini(&payload);
}

int collector_finish(struct collector *c, int status, struct wm_error *err)
{
	struct wm_error fault = { 0 };

	while (drain(c))
		;
	if (!c->reported) {
		collector_free(c);
		return 0;
	}
	for (unsigned i = 0; i < LANES_MAX; i++)
		end_stream(c, i);
	put_definitions(c);
	put_end(c, status);
	writer_finish(c->writer, &fault);
	c->writer = NULL;
	if (!c->fault.code)
		c->fault = fault;
	if (err)
		*err = c->fault;
	fault = c->fault;
	atomic_store(&c->header->state, ARENA_FINISHED);
	atomic_fetch_add(&c->header->room, 1);
	futex_wake_all(&c->header->room);
	collector_free(c);
	return fault.code;
}
