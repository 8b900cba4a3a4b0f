// SPDX-License-Identifier: GPL-2.0-or-later
/* Two lists that are each in order, of which the earlier event is taken. */
#include "cli/chronicle.h"

static bool is_wanted(const struct chronicle *chronicle)
{
	struct wm_stream stream;

	if (!chronicle->threads)
		return true;
	for (unsigned i = 0; i < chronicle->threads->n; i++)
		if (!wm_trace_stream(chronicle->trace, chronicle->threads->indexes[i],
				     &stream) &&
		    stream.process == chronicle->process)
			return true;
	return false;
}

static void look_ahead(struct chronicle *chronicle)
{
	while (chronicle->timeline && !chronicle->has_event) {
		if (wm_timeline_next(chronicle->timeline, &chronicle->process,
				     &chronicle->event))
			return;
		chronicle->has_event = is_wanted(chronicle);
	}
}

int chronicle_begin(struct chronicle *chronicle, const struct wm_trace *trace,
		    struct merge *merge, bool clock, const struct threads *threads,
		    struct wm_error *err)
{
	*chronicle =
		(struct chronicle){ .merge = merge, .trace = trace, .threads = threads };
	return clock ? wm_timeline_new(&chronicle->timeline, trace, err) : WM_OK;
}

void chronicle_end(struct chronicle *chronicle)
{
	wm_timeline_free(chronicle->timeline);
}

int chronicle_next(struct chronicle *chronicle, struct happening *happening,
		   struct wm_error *err)
{
	int ret;

	look_ahead(chronicle);
	if (!chronicle->has_part && !chronicle->error) {
		ret = merge_next(chronicle->merge, &chronicle->part, &chronicle->why);
		chronicle->has_part = !ret;
		chronicle->error = ret;
	}
	if (chronicle->has_event &&
	    (!chronicle->has_part || chronicle->event.ns < chronicle->part.event->ns)) {
		*happening = (struct happening){ &chronicle->event, NO_THREAD,
						 chronicle->process };
		chronicle->has_event = false;
		return WM_OK;
	}
	if (!chronicle->has_part) {
		if (err)
			*err = chronicle->why;
		return chronicle->error;
	}
	*happening = (struct happening){ chronicle->part.event, chronicle->part.thread,
					 UINT32_MAX };
	chronicle->has_part = false;
	return WM_OK;
}
