// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Merges three sources, each in the order of the clock: events of threads, events that
 * only have a time, and events from QEMU's own trace files. One event of each source is
 * held; the earliest is handed out, and the next of its source is read when it is asked
 * for.
 *
 * Invariant: has_item, has_event and has_line say which of the three held events are
 * valid. Of equal times the threads come first and the files last, so that the order does
 * not depend on when something was read.
 *
 *	threads   12  15      timeline   13      files   13  20
 *	->  12 (thread)  13 (timeline)  13 (file)  15  20
 */
#include "query/chronicle.h"

/*
 * Whether an event of a process is selected: one of the selected threads was in it at
 * some time.
 */
static bool is_wanted(const struct chronicle *chronicle, uint32_t process)
{
	if (!chronicle->threads)
		return true;
	for (unsigned i = 0; i < chronicle->threads->n; i++)
		if (thread_was_in(chronicle->trace, chronicle->threads->indexes[i],
				  process))
			return true;
	return false;
}

/* Reads the next selected event without a thread. */
static void look_ahead(struct chronicle *chronicle)
{
	while (chronicle->timeline && !chronicle->has_event) {
		if (wm_timeline_next(chronicle->timeline, &chronicle->process,
				     &chronicle->event))
			return;
		chronicle->has_event = is_wanted(chronicle, chronicle->process);
	}
}

/*
 * The index of a process by its pid, which several may have had one after the other: the
 * last one that had begun at `ns`. An event earlier than all of them belongs to the
 * first.
 */
static uint32_t find_process(const struct wm_trace *trace, uint32_t pid, uint64_t ns)
{
	struct wm_summary summary;
	struct wm_process process;
	uint32_t found = UINT32_MAX;

	wm_trace_summary(trace, &summary);
	for (unsigned i = 0; i < summary.spaces; i++)
		if (!wm_trace_process(trace, i, &process) && process.pid == pid &&
		    (found == UINT32_MAX || process.begin_ns <= ns))
			found = i;
	return found;
}

/*
 * Without `clock` these events are not wanted, as look_ahead() reads none without a
 * timeline.
 */
static void look_into_files(struct chronicle *chronicle)
{
	const struct simpletrace_event *event;

	while (chronicle->clock && chronicle->qemu && !chronicle->has_line) {
		event = qemu_traces_next(chronicle->qemu);
		if (!event)
			return;
		chronicle->line = (struct wm_event){
			.ns = event->ns,
			.kind = WM_EVENT_QEMU,
			.text = event->text,
			.text_bytes = event->bytes,
		};
		chronicle->line_process =
			find_process(chronicle->trace, event->pid, event->ns);
		chronicle->has_line = is_wanted(chronicle, chronicle->line_process);
	}
}

/*
 * An error ends this source only: the others are listed to their end, and then it is
 * reported.
 */
static void look_at_threads(struct chronicle *chronicle)
{
	if (chronicle->has_item || chronicle->error)
		return;
	chronicle->error =
		merge_next(chronicle->merge, &chronicle->item, &chronicle->why);
	chronicle->has_item = !chronicle->error;
}

int chronicle_begin(struct chronicle *chronicle, struct wm_error *err)
{
	return chronicle->clock ?
		       wm_timeline_new(&chronicle->timeline, chronicle->trace, err) :
		       WM_OK;
}

void chronicle_end(struct chronicle *chronicle)
{
	wm_timeline_free(chronicle->timeline);
}

/*
 * The flag of the event that comes next; NULL when all sources are at their end. The
 * caller clears it, which makes the next call read that source.
 */
static bool *choose(struct chronicle *chronicle)
{
	bool *first = NULL;
	uint64_t ns = 0;

	if (chronicle->has_item) {
		first = &chronicle->has_item;
		ns = chronicle->item.event->ns;
	}
	if (chronicle->has_event && (!first || chronicle->event.ns < ns)) {
		first = &chronicle->has_event;
		ns = chronicle->event.ns;
	}
	if (chronicle->has_line && (!first || chronicle->line.ns < ns))
		first = &chronicle->has_line;
	return first;
}

int chronicle_next(struct chronicle *chronicle, struct happening *happening,
		   struct wm_error *err)
{
	bool *first;

	look_ahead(chronicle);
	look_into_files(chronicle);
	look_at_threads(chronicle);
	first = choose(chronicle);
	if (!first) {
		if (err)
			*err = chronicle->why;
		return chronicle->error;
	}
	if (first == &chronicle->has_item)
		*happening = (struct happening){ chronicle->item.event,
						 chronicle->item.thread, UINT32_MAX };
	else if (first == &chronicle->has_event)
		*happening = (struct happening){ &chronicle->event, NO_THREAD,
						 chronicle->process };
	else
		*happening = (struct happening){ &chronicle->line, NO_THREAD,
						 chronicle->line_process };
	*first = false;
	return WM_OK;
}
