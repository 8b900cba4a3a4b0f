// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Trace events in JSON, as chrome://tracing and Perfetto's page read them: "B" and "E" for
 * where a call begins and ends, which nest in each thread, and "M" for names.
 *
 *	{"traceEvents": [
 *	{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"thread 0, prog"}},
 *	{"ph":"B","pid":1,"tid":1,"ts":0,"name":"main"},
 *	{"ph":"E","pid":1,"tid":1,"ts":100,"name":"main"}]}
 *
 * An instruction takes a microsecond, the unit of "ts". Viewers treat process 0 and thread
 * 0 as idle, so numbers are the trace's plus 1.
 *
 * The name of "E" is optional. Speedscope sorts events by "ts" and needs it where a call
 * begins in the same instruction as another one ends: without the name it nests them.
 */
#include <inttypes.h>

#include "analysis/calls/timeline.h"
#include "export/calls_format.h"
#include "out/json.h"

enum { NAME = 512 };

struct writer {
	struct json json;
	struct timeline timeline;
	uint32_t process;
	unsigned thread; /* of the events to come */
};

/* Begins an event. */
static void put_head(struct writer *writer, const char *kind)
{
	struct json *json = &writer->json;

	json_object(json, NULL);
	json_string(json, "ph", kind);
	json_uint(json, "pid", writer->process);
	json_uint(json, "tid", writer->thread);
}

static void put_name(struct writer *writer, const char *what, const char *name)
{
	struct json *json = &writer->json;

	put_head(writer, "M");
	json_string(json, "name", what);
	json_object(json, "args");
	json_string(json, "name", name);
	json_close(json);
	json_close(json);
}

static void thread(void *cookie, unsigned thread, const struct wm_stream *stream)
{
	struct writer *writer = cookie;
	char name[NAME];

	writer->process = stream->space + 1;
	writer->thread = thread + 1;
	timeline_process_name(&writer->timeline, stream->space, name, sizeof(name));
	put_name(writer, "process_name", name);
	timeline_thread_name(&writer->timeline, thread, name, sizeof(name));
	put_name(writer, "thread_name", name);
}

static void put_event(struct writer *writer, const char *kind, uint32_t entity,
		      uint64_t insn)
{
	put_head(writer, kind);
	json_uint(&writer->json, "ts", insn);
	json_string(&writer->json, "name", writer->timeline.names.all[entity]);
	json_close(&writer->json);
}

static void begin(void *cookie, uint32_t entity, uint64_t insn)
{
	put_event(cookie, "B", entity, insn);
}

static void end(void *cookie, uint32_t entity, uint64_t insn)
{
	put_event(cookie, "E", entity, insn);
}

static void done(void *cookie, uint64_t insn)
{
	(void)cookie;
	(void)insn;
}

static bool more(void *cookie)
{
	const struct writer *writer = cookie;

	return !ferror(writer->json.out);
}

/* What viewers show about the file. */
static void put_facts(struct writer *writer)
{
	struct json *json = &writer->json;

	json_object(json, "otherData");
	json_string(json, "made_by", "waymark " WAYMARK_VERSION);
	json_string(json, "unit", "a microsecond is an instruction of the thread");
	json_uint(json, "least_insns", writer->timeline.least_insns);
	json_uint(json, "calls_left_out", writer->timeline.left_out);
	json_close(json);
}

static int write_all(FILE *out, struct calls_picture *picture, struct wm_error *err)
{
	static const struct timeline_sink sink = { thread, begin, end, done, more };
	struct writer writer = { .thread = 0 };
	int ret = timeline_init(&writer.timeline, &picture->subject, picture->most, err);

	json_init(&writer.json, out, false);
	if (!ret) {
		json_object(&writer.json, NULL);
		json_array(&writer.json, "traceEvents");
		ret = timeline_run(&writer.timeline, &sink, &writer, err);
	}
	if (!ret) {
		json_close(&writer.json);
		put_facts(&writer);
		json_close(&writer.json);
		picture->least_insns = writer.timeline.least_insns;
		picture->left_out = writer.timeline.left_out;
	}
	timeline_fini(&writer.timeline);
	return ret;
}

const struct calls_format calls_chrome = {
	.format = { "chrome", FORMAT_CALLS, "json",
		    "a timeline of trace events, for Perfetto and chrome://tracing" },
	.is_timeline = true,
	.write = write_all,
};
