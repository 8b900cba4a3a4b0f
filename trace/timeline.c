// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The events of EVNT sections in the order of time.
 *
 * The file has them in the order of arrival, which differs a little: the collector drains
 * one process after the other. So all sections are unpacked, within the memory that
 * FORMAT.md, 3.1 allows, and an array with the place of each event is sorted. Events with
 * the same time stay in the order of the file.
 *
 * Invariant: `off` of a moment lies in the payload of its batch, and the event there is
 * well formed: add_batch() has read it.
 */
#include <stdlib.h>

#include "base/append.h"
#include "format/clock_event.h"
#include "trace/facts.h"
#include "trace/trace.h"

struct moment {
	uint64_t ns;
	uint32_t batch; /* of the timeline's */
	uint32_t off;	/* of its data in the batch */
	uint32_t bytes;
	uint32_t process, kind;
};

struct wm_timeline {
	struct buf *batches; /* [batch_count] payloads */
	uint32_t batch_count;
	struct moment *moments; /* [count] */
	uint32_t count, at;
	uint64_t most; /* bytes that `moments` may take */
};

bool timeline_is_sound(struct span payload)
{
	struct clock_event event;
	uint64_t ns = 0;

	while (clock_event_get(&payload, &event, &ns))
		;
	return !payload.failed;
}

static bool add_moment(struct wm_timeline *timeline, const struct clock_event *event)
{
	/* The event lies in the batch that was added last. */
	const struct buf *batch = &timeline->batches[timeline->batch_count - 1];
	struct moment moment = {
		.ns = event->ns,
		.batch = timeline->batch_count - 1,
		.off = (uint32_t)(event->data - batch->data),
		.bytes = (uint32_t)event->bytes,
		.process = event->process,
		.kind = event->kind,
	};

	return APPEND(timeline->moments, timeline->count, moment);
}

/* Adds the events of a payload, whose memory becomes the timeline's. */
static int add_batch(struct wm_timeline *timeline, struct buf *payload, uint64_t off,
		     struct wm_error *err)
{
	struct span span = span_of(payload->data, payload->len);
	struct clock_event event;
	uint64_t ns = 0;

	if (!APPEND(timeline->batches, timeline->batch_count, *payload))
		return wm_fail_nomem(err, "events");
	/*
	 * `data` of its events stays valid: the array of batches can move, their memory
	 * does not.
	 */
	*payload = BUF_INIT;
	while (clock_event_get(&span, &event, &ns)) {
		/* A moment takes more memory than a small event in the file. */
		if (timeline->count * sizeof(struct moment) >= timeline->most)
			return wm_fail(err, WM_E_DAMAGED, off,
				       "a trace of this size has fewer events");
		if (!add_moment(timeline, &event))
			return wm_fail_nomem(err, "events");
	}
	if (span.failed)
		return wm_fail(err, WM_E_DAMAGED, off,
			       "a section of events is malformed");
	return 0;
}

static int add_section(struct wm_timeline *timeline, const struct wm_trace *trace,
		       const struct section *section, struct wm_error *err)
{
	struct buf payload = BUF_INIT;
	int ret = reader_read(trace->reader, section, &payload, err);

	if (!ret)
		ret = add_batch(timeline, &payload, section->off, err);
	buf_fini(&payload);
	return ret;
}

static int by_time(const void *one, const void *other)
{
	const struct moment *a = one, *b = other;

	if (a->ns != b->ns)
		return a->ns < b->ns ? -1 : 1;
	/* qsort() is not stable: the order of the file is compared explicitly. */
	if (a->batch != b->batch)
		return a->batch < b->batch ? -1 : 1;
	return a->off < b->off ? -1 : a->off > b->off;
}

/* Whether the section is of events, and before the damage, if there is any. */
static bool is_served(const struct wm_trace *trace, const struct section *section)
{
	return section->type == SECTION_EVNT &&
	       (!trace->damage.code || section->off < trace->damage.offset);
}

int wm_timeline_new(struct wm_timeline **out, const struct wm_trace *trace,
		    struct wm_error *err)
{
	struct wm_timeline *timeline = calloc(1, sizeof(*timeline));
	int ret = 0;

	if (!timeline)
		return wm_fail_nomem(err, "events");
	/* The bound of FORMAT.md, 3.1: a small file cannot demand much memory. */
	timeline->most = reader_memory_max(trace->reader);
	for (size_t i = 0; !ret && i < reader_sections(trace->reader); i++) {
		const struct section *section = reader_section(trace->reader, i);

		if (is_served(trace, section))
			ret = add_section(timeline, trace, section, err);
	}
	if (ret) {
		wm_timeline_free(timeline);
		return ret;
	}
	if (timeline->count)
		qsort(timeline->moments, timeline->count, sizeof(*timeline->moments),
		      by_time);
	*out = timeline;
	return 0;
}

void wm_timeline_free(struct wm_timeline *timeline)
{
	if (!timeline)
		return;
	for (uint32_t i = 0; i < timeline->batch_count; i++)
		buf_fini(&timeline->batches[i]);
	free(timeline->batches);
	free(timeline->moments);
	free(timeline);
}

int timeline_next(struct wm_timeline *timeline, uint32_t *process, struct wm_event *event)
{
	const struct moment *moment;
	const uint8_t *data;

	if (timeline->at == timeline->count)
		return WM_END;
	moment = &timeline->moments[timeline->at++];
	data = timeline->batches[moment->batch].data + moment->off;
	/* The text points into the batch, which lives as long as the timeline. */
	*process = moment->process;
	*event = (struct wm_event){ .ns = moment->ns,
				    .kind = moment->kind,
				    .space = moment->process };
	event_decode_fields(span_of(data, moment->bytes), event);
	return 0;
}
