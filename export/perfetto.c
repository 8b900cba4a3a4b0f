// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A trace of Perfetto: a sequence of messages TracePacket of protocol buffers
 * (perfetto_format.c), with the calls of each thread here, and beside them events
 * (perfetto_events.c) and counters (perfetto_counters.c).
 *
 *	TrackDescriptor	1 uuid, 3 process, 4 thread, 5 parent_uuid
 *	  process	1 pid, 6 process_name
 *	  thread	1 pid, 2 tid, 5 thread_name
 *	TrackEvent	9 type (1 begins, 2 ends), 10 name_iid, 11 track_uuid
 *	InternedData	2 event_names: 1 iid, 2 name
 *
 * A function's name is in the packet of its first call; later ones have its number, the
 * entity's. Viewers treat process 0 as idle, so numbers are the trace's plus 1.
 */
#include <stdlib.h>

#include "analysis/calls/timeline.h"
#include "base/error.h"
#include "export/perfetto_format.h"

enum { NAME = 512 };
/* Tracks of processes have their number beyond those of threads. */
#define PROCESS_UUID (UINT64_C(1) << 32)

struct writer {
	struct perfetto perfetto;
	struct timeline timeline;
	bool *named;	 /* [entities + 1] its name was written */
	uint64_t thread; /* track of the events to come */
};

static void put_process(struct writer *writer, uint32_t space)
{
	struct perfetto *perfetto = &writer->perfetto;
	char name[NAME];

	timeline_process_name(&writer->timeline, space, name, sizeof(name));
	protobuf_uint(&perfetto->inner, 1, space + 1ull);
	protobuf_string(&perfetto->inner, 6, name);
	protobuf_uint(&perfetto->message, 1, PROCESS_UUID + space);
	perfetto_inside(&perfetto->message, 3, &perfetto->inner);
	perfetto_inside(&perfetto->packet, 60, &perfetto->message);
	perfetto_put(perfetto);
}

static void thread(void *cookie, unsigned thread, const struct wm_stream *stream)
{
	struct writer *writer = cookie;
	struct perfetto *perfetto = &writer->perfetto;
	char name[NAME];

	writer->thread = perfetto_thread(thread);
	put_process(writer, stream->space);
	timeline_thread_name(&writer->timeline, thread, name, sizeof(name));
	protobuf_uint(&perfetto->inner, 1, stream->space + 1ull);
	protobuf_uint(&perfetto->inner, 2, writer->thread);
	protobuf_string(&perfetto->inner, 5, name);
	protobuf_uint(&perfetto->message, 1, writer->thread);
	perfetto_inside(&perfetto->message, 4, &perfetto->inner);
	protobuf_uint(&perfetto->message, 5, PROCESS_UUID + stream->space);
	perfetto_inside(&perfetto->packet, 60, &perfetto->message);
	perfetto_put(perfetto);
}

static void put_name(struct writer *writer, uint32_t entity)
{
	struct perfetto *perfetto = &writer->perfetto;

	protobuf_uint(&perfetto->inner, 1, entity);
	protobuf_string(&perfetto->inner, 2, writer->timeline.names.all[entity]);
	perfetto_inside(&perfetto->message, 2, &perfetto->inner);
	perfetto_inside(&perfetto->packet, 12, &perfetto->message);
	writer->named[entity] = true;
}

static void put_event(struct writer *writer, unsigned type, uint32_t entity,
		      uint64_t insn)
{
	struct perfetto *perfetto = &writer->perfetto;

	protobuf_uint(&perfetto->packet, 8, insn);
	if (entity && !writer->named[entity])
		put_name(writer, entity);
	protobuf_uint(&perfetto->message, 9, type);
	if (entity)
		protobuf_uint(&perfetto->message, 10, entity);
	protobuf_uint(&perfetto->message, 11, writer->thread);
	perfetto_inside(&perfetto->packet, 11, &perfetto->message);
	perfetto_put(perfetto);
}

static void begin(void *cookie, uint32_t entity, uint64_t insn)
{
	put_event(cookie, PERFETTO_BEGIN, entity, insn);
}

/* An end needs no name: calls nest. */
static void end(void *cookie, uint32_t entity, uint64_t insn)
{
	(void)entity;
	put_event(cookie, PERFETTO_END, 0, insn);
}

static void done(void *cookie, uint64_t insn)
{
	(void)cookie;
	(void)insn;
}

static bool more(void *cookie)
{
	const struct writer *writer = cookie;

	return !writer->perfetto.failed && !ferror(writer->perfetto.out);
}

static int write_all(FILE *out, struct calls_picture *picture, struct wm_error *err)
{
	static const struct timeline_sink sink = { thread, begin, end, done, more };
	struct writer writer = { .perfetto = { .out = out } };
	int ret = timeline_init(&writer.timeline, &picture->subject, picture->most, err);

	if (!ret) {
		writer.named =
			calloc(writer.timeline.names.n + 1ul, sizeof(*writer.named));
		ret = writer.named ? timeline_run(&writer.timeline, &sink, &writer, err) :
				     wm_fail_nomem(err, "a timeline");
	}
	if (!ret)
		ret = perfetto_events(&writer.perfetto, &picture->subject, picture->most,
				      err);
	if (!ret)
		ret = perfetto_counters(&writer.perfetto, &picture->subject, err);
	if (!ret && writer.perfetto.failed)
		ret = wm_fail_nomem(err, "a timeline");
	picture->least_insns = writer.timeline.least_insns;
	picture->left_out = writer.timeline.left_out;
	timeline_fini(&writer.timeline);
	perfetto_fini(&writer.perfetto);
	free(writer.named);
	return ret;
}

const struct calls_format calls_perfetto = {
	.format = { "perfetto", FORMAT_CALLS, "perfetto-trace",
		    "a timeline with events and counters in Perfetto's own format",
		    .binary = true },
	.is_timeline = true,
	.write = write_all,
};
