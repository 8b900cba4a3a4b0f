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
#include <stdio.h>
#include <stdlib.h>

#include "analysis/calls/method_places.h"
#include "analysis/calls/timeline.h"
#include "base/error.h"
#include "export/calls_format.h"
#include "out/json.h"

enum { NAME = 1024 };

struct writer {
	struct json json;
	struct timeline timeline;
	uint32_t *frames; /* [entities + 1] their numbers, from 0, of those that are not hidden */
	struct srcline *places; /* [entities + 1] where methods begin */
	uint64_t from;
};

static void put_event(struct writer *writer, const char *type, uint32_t entity,
		      uint64_t insn)
{
	struct json *json = &writer->json;

	json_object(json, NULL);
	json_string(json, "type", type);
	json_uint(json, "frame", writer->frames[entity]);
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

/* The page has one list of threads: of several processes, the process is in a thread's name. */
static void put_name(struct writer *writer, unsigned thread, uint32_t space)
{
	char name[NAME], process[NAME], both[2 * NAME + sizeof(", ")];
	struct wm_summary summary;

	timeline_thread_name(&writer->timeline, thread, name, sizeof(name));
	timeline_process_name(&writer->timeline, space, process, sizeof(process));
	snprintf(both, sizeof(both), "%s, %s", name, process);
	wm_trace_summary(writer->timeline.subject->trace, &summary);
	json_string(&writer->json, "name", summary.processes < 2 ? name : both);
}

static void thread(void *cookie, unsigned thread, const struct wm_stream *stream)
{
	struct writer *writer = cookie;
	struct json *json = &writer->json;

	json_object(json, NULL);
	json_string(json, "type", "evented");
	put_name(writer, thread, stream->space);
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

static bool is_hidden(const struct writer *writer, uint32_t entity)
{
	const bool *hidden = sites_hidden(writer->timeline.sites);

	return hidden && hidden[entity];
}

static int number_frames(struct writer *writer, struct wm_error *err)
{
	uint32_t n = 0;

	writer->frames = calloc(writer->timeline.names.n + 1ul, sizeof(*writer->frames));
	if (!writer->frames)
		return wm_fail_nomem(err, "a timeline");
	for (uint32_t i = 1; i <= writer->timeline.names.n; i++) {
		writer->frames[i] = n;
		n += !is_hidden(writer, i);
	}
	return 0;
}

static void put_frame(struct writer *writer, const struct calls_subject *subject,
		      uint32_t entity)
{
	const struct timeline *timeline = &writer->timeline;
	struct json *json = &writer->json;
	const struct srcline *place = &writer->places[entity];
	const struct function *function = functions_get(
		subject->functions, sites_entity(timeline->sites, entity)->function);

	json_object(json, NULL);
	json_string(json, "name", timeline->names.all[entity]);
	if (place->source)
		json_string(json, "file", srclines_path(subject->lines, place->source));
	else if (function->module)
		json_string(json, "file", function->module);
	if (place->number)
		json_uint(json, "line", place->number);
	json_close(json);
}

static void put_frames(struct writer *writer, const struct calls_subject *subject)
{
	struct json *json = &writer->json;

	json_object(json, "shared");
	json_array(json, "frames");
	for (uint32_t i = 1; i <= writer->timeline.names.n; i++)
		if (!is_hidden(writer, i))
			put_frame(writer, subject, i);
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
	if (!ret)
		ret = number_frames(&writer, err);
	if (!ret)
		ret = method_places(&writer.places, &picture->subject,
				    writer.timeline.sites, err);
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
		put_frames(&writer, &picture->subject);
		json_close(json);
		picture->least_insns = writer.timeline.least_insns;
		picture->left_out = writer.timeline.left_out;
	}
	timeline_fini(&writer.timeline);
	free(writer.frames);
	free(writer.places);
	return ret;
}

const struct calls_format calls_speedscope = {
	.format = { "speedscope", FORMAT_CALLS, "speedscope.json",
		    "a timeline and flame graph, for speedscope" },
	.is_timeline = true,
	.write = write_all,
};
