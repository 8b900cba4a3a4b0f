// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A file of speedscope: an evented profile for each thread, in which functions are opened
 * and closed at instructions of the thread.
 *
 *	{"$schema": "https://www.speedscope.app/file-format-schema.json",
 *	 "profiles": [{"type": "evented", "name": "thread 0, prog", "unit": "none",
 *	               "startValue": 0, "endValue": 100,
 *	               "events": [{"type": "O", "frame": 2, "at": 0}, ...]}],
 *	 "shared": {"frames": [{"name": "main", "file": "/bin/prog"}, ...]}}
 *
 * The frames come last, so that the events are written as they are found. Instructions
 * have no unit of time; speedscope prints plain numbers.
 */
#include "analysis/calls/timeline.h"
#include "export/calls_format.h"
#include "out/json.h"

enum { NAME = 256 };

struct writer {
	struct json json;
	struct timeline timeline;
	uint64_t from;
};

static void put_event(struct writer *writer, const char *type, uint32_t entity,
		      uint64_t insn)
{
	struct json *json = &writer->json;

	json_object(json, NULL);
	json_string(json, "type", type);
	/* Frames count from 0, entities from 1. */
	json_uint(json, "frame", entity - 1);
	json_uint(json, "at", insn);
	json_close(json);
}

static void begin(void *cookie, uint32_t entity, uint64_t insn)
{
	put_event(cookie, "O", entity, insn);
}

static void end(void *cookie, uint32_t entity, uint64_t insn)
{
	put_event(cookie, "C", entity, insn);
}

static void thread(void *cookie, unsigned thread, const struct wm_stream *stream)
{
	struct writer *writer = cookie;
	struct json *json = &writer->json;
	char name[NAME];

	(void)stream;
	timeline_thread_name(&writer->timeline, thread, name, sizeof(name));
	json_object(json, NULL);
	json_string(json, "type", "evented");
	json_string(json, "name", name);
	json_string(json, "unit", "none");
	json_uint(json, "startValue", writer->from);
	json_array(json, "events");
}

static void done(void *cookie, uint64_t insn)
{
	struct writer *writer = cookie;

	json_close(&writer->json);
	/* A thread may have nothing in the selected part. */
	json_uint(&writer->json, "endValue", insn > writer->from ? insn : writer->from);
	json_close(&writer->json);
}

static bool more(void *cookie)
{
	const struct writer *writer = cookie;

	return !ferror(writer->json.out);
}

static void put_frames(struct writer *writer, struct functions *functions)
{
	const struct timeline *timeline = &writer->timeline;
	struct json *json = &writer->json;

	json_object(json, "shared");
	json_array(json, "frames");
	for (uint32_t i = 1; i <= timeline->names.n; i++) {
		const struct function *function = functions_get(
			functions, sites_entity(timeline->sites, i)->function);

		json_object(json, NULL);
		json_string(json, "name", timeline->names.all[i]);
		if (function->module)
			json_string(json, "file", function->module);
		json_close(json);
	}
	json_close(json);
	json_close(json);
}

static int write_all(FILE *out, struct calls_picture *picture, struct wm_error *err)
{
	static const struct timeline_sink sink = { thread, begin, end, done, more };
	struct writer writer = { .from = picture->subject.selection->from };
	struct json *json = &writer.json;
	int ret = timeline_init(&writer.timeline, &picture->subject, picture->most, err);

	json_init(json, out, false);
	if (!ret) {
		json_object(json, NULL);
		json_string(json, "$schema",
			    "https://www.speedscope.app/file-format-schema.json");
		json_string(json, "exporter", "waymark " WAYMARK_VERSION);
		json_array(json, "profiles");
		ret = timeline_run(&writer.timeline, &sink, &writer, err);
	}
	if (!ret) {
		json_close(json);
		put_frames(&writer, picture->subject.functions);
		json_close(json);
		picture->least_insns = writer.timeline.least_insns;
		picture->left_out = writer.timeline.left_out;
	}
	timeline_fini(&writer.timeline);
	return ret;
}

const struct calls_format calls_speedscope = {
	.format = { "speedscope", FORMAT_CALLS, "speedscope.json",
		    "a timeline and flame graph, for speedscope" },
	.write = write_all,
};
