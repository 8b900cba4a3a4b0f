// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A trace of Perfetto: a sequence of messages TracePacket of protocol buffers, with the
 * field numbers of Perfetto's public definitions.
 *
 *	Trace		1 packet
 *	TracePacket	8 timestamp, 10 trusted_packet_sequence_id, 11 track_event,
 *			12 interned_data, 13 sequence_flags, 60 track_descriptor
 *	TrackDescriptor	1 uuid, 3 process, 4 thread, 5 parent_uuid
 *	  process	1 pid, 6 process_name
 *	  thread	1 pid, 2 tid, 5 thread_name
 *	TrackEvent	9 type (1 begins, 2 ends), 10 name_iid, 11 track_uuid
 *	InternedData	2 event_names: 1 iid, 2 name
 *
 * A function's name is in the packet of its first call; later ones have its number, the
 * entity's. All packets are of one sequence, whose first says that no numbers were given
 * before. An instruction takes a nanosecond, the unit of timestamps. Viewers treat process 0
 * and thread 0 as idle, so numbers are the trace's plus 1.
 */
#include <stdlib.h>

#include "analysis/calls/timeline.h"
#include "base/error.h"
#include "export/calls_format.h"
#include "out/protobuf.h"

enum { NAME = 512, SEQUENCE = 1 };
enum { FLAG_CLEARED = 1, FLAG_NEEDS = 2 };
enum { SLICE_BEGIN = 1, SLICE_END = 2 };
/* Tracks of processes have their number beyond those of threads. */
#define PROCESS_UUID (UINT64_C(1) << 32)

struct writer {
	FILE *out;
	struct timeline timeline;
	struct buf packet, message, inner; /* reused; each is a field of the one before */
	bool *named;			   /* [entities + 1] its name was written */
	bool begun;			   /* a packet was written */
	unsigned thread;		   /* of the events to come, plus 1 */
	bool failed;			   /* no memory */
};

/* The packet, which has all of its own fields, goes to the file. */
static void put_packet(struct writer *writer)
{
	struct buf trace = BUF_INIT;

	protobuf_uint(&writer->packet, 10, SEQUENCE);
	protobuf_uint(&writer->packet, 13,
		      writer->begun ? FLAG_NEEDS : FLAG_CLEARED | FLAG_NEEDS);
	writer->begun = true;
	protobuf_message(&trace, 1, &writer->packet);
	writer->failed |= trace.failed;
	if (!writer->failed)
		fwrite(trace.data, 1, trace.len, writer->out);
	writer->packet.len = 0;
	buf_fini(&trace);
}

/* Moves a message into a field of the one around it. */
static void put_inside(struct buf *out, uint32_t field, struct buf *message)
{
	protobuf_message(out, field, message);
	message->len = 0;
}

static void put_process(struct writer *writer, uint32_t space)
{
	char name[NAME];

	timeline_process_name(&writer->timeline, space, name, sizeof(name));
	protobuf_uint(&writer->inner, 1, space + 1ull);
	protobuf_string(&writer->inner, 6, name);
	protobuf_uint(&writer->message, 1, PROCESS_UUID + space);
	put_inside(&writer->message, 3, &writer->inner);
	put_inside(&writer->packet, 60, &writer->message);
	put_packet(writer);
}

static void thread(void *cookie, unsigned thread, const struct wm_stream *stream)
{
	struct writer *writer = cookie;
	char name[NAME];

	writer->thread = thread + 1;
	put_process(writer, stream->space);
	timeline_thread_name(&writer->timeline, thread, name, sizeof(name));
	protobuf_uint(&writer->inner, 1, stream->space + 1ull);
	protobuf_uint(&writer->inner, 2, writer->thread);
	protobuf_string(&writer->inner, 5, name);
	protobuf_uint(&writer->message, 1, writer->thread);
	put_inside(&writer->message, 4, &writer->inner);
	protobuf_uint(&writer->message, 5, PROCESS_UUID + stream->space);
	put_inside(&writer->packet, 60, &writer->message);
	put_packet(writer);
}

static void put_name(struct writer *writer, uint32_t entity)
{
	protobuf_uint(&writer->inner, 1, entity);
	protobuf_string(&writer->inner, 2, writer->timeline.names.all[entity]);
	put_inside(&writer->message, 2, &writer->inner);
	put_inside(&writer->packet, 12, &writer->message);
	writer->named[entity] = true;
}

static void put_event(struct writer *writer, unsigned type, uint32_t entity,
		      uint64_t insn)
{
	protobuf_uint(&writer->packet, 8, insn);
	if (entity && !writer->named[entity])
		put_name(writer, entity);
	protobuf_uint(&writer->message, 9, type);
	if (entity)
		protobuf_uint(&writer->message, 10, entity);
	protobuf_uint(&writer->message, 11, writer->thread);
	put_inside(&writer->packet, 11, &writer->message);
	put_packet(writer);
}

static void begin(void *cookie, uint32_t entity, uint64_t insn)
{
	put_event(cookie, SLICE_BEGIN, entity, insn);
}

/* An end needs no name: calls nest. */
static void end(void *cookie, uint32_t entity, uint64_t insn)
{
	(void)entity;
	put_event(cookie, SLICE_END, 0, insn);
}

static void done(void *cookie, uint64_t insn)
{
	(void)cookie;
	(void)insn;
}

static bool more(void *cookie)
{
	const struct writer *writer = cookie;

	return !writer->failed && !ferror(writer->out);
}

static int write_all(FILE *out, struct calls_picture *picture, struct wm_error *err)
{
	static const struct timeline_sink sink = { thread, begin, end, done, more };
	struct writer writer = { .out = out };
	int ret = timeline_init(&writer.timeline, &picture->subject, picture->most, err);

	if (!ret) {
		writer.named =
			calloc(writer.timeline.names.n + 1ul, sizeof(*writer.named));
		ret = writer.named ? timeline_run(&writer.timeline, &sink, &writer, err) :
				     wm_fail_nomem(err, "a timeline");
	}
	if (!ret && writer.failed)
		ret = wm_fail_nomem(err, "a timeline");
	picture->least_insns = writer.timeline.least_insns;
	picture->left_out = writer.timeline.left_out;
	timeline_fini(&writer.timeline);
	buf_fini(&writer.packet);
	buf_fini(&writer.message);
	buf_fini(&writer.inner);
	free(writer.named);
	return ret;
}

const struct calls_format calls_perfetto = {
	.one_by_one = true,
	.format = { "perfetto", FORMAT_CALLS, "perfetto-trace",
		    "a timeline in Perfetto's own format" },
	.write = write_all,
};
