// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The collector knows when threads and processes begin and end without asking the guest,
 * so these events cost the guest nothing and are there for every recording. Their time
 * is what the plugin noted; a time before the recording, or after now, can only be
 * scribbled memory, and becomes now.
 */
#include "collect/lifecycle.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"

static struct event_record record_of(const struct recording *recording,
				     const struct image *image, uint32_t kind,
				     uint64_t ns)
{
	uint64_t now_ns = clock_ns();
	bool can_be = ns >= recording->begin_ns && ns <= now_ns;

	return (struct event_record){
		.kind = kind,
		/* A time that cannot be is replaced: the event itself did happen. */
		.ns = can_be ? ns : now_ns,
		.process = image->space,
		.pid = image->life.pid,
		.thread = EVENT_NONE,
		.text = "",
	};
}

static void add(struct recording *recording, const struct event_record *record)
{
	eventlog_add(&recording->events, &recording->out, record);
}

static void add_thread(struct recording *recording, const struct image *image,
		       const struct thread *thread, uint32_t kind, uint64_t ns,
		       const char *text)
{
	struct event_record record = record_of(recording, image, kind, ns);

	record.process = thread->space;
	record.pid = thread->pid;
	record.tid = thread->tid;
	record.n = 2;
	/* Fields in the order of format/events.def, as a plugin would send them. */
	record.fields[0] = thread->vcpu;
	record.fields[1] = record.tid;
	record.text = text;
	record.text_bytes = strlen(text);
	add(recording, &record);
}

void lifecycle_thread(struct recording *recording, const struct image *image,
		      const struct thread *thread, uint32_t kind, uint64_t ns)
{
	/*
	 * Callers need not look whether the thread has begun: one that has not sends
	 * nothing.
	 */
	if (thread->begun)
		add_thread(recording, image, thread, kind, ns, "");
}

void lifecycle_name(struct recording *recording, const struct image *image,
		    struct thread *thread, uint64_t ns, const char *name)
{
	/* Every prctl() of a guest sends its name, and most have not changed it. */
	if (!thread->begun || !strcmp(name, thread->noticed))
		return;
	snprintf(thread->noticed, sizeof(thread->noticed), "%s", name);
	add_thread(recording, image, thread, WM_EVENT_THREAD_NAME, ns, name);
}

bool lifecycle_take_name(struct recording *recording, struct image *image,
			 struct span *span)
{
	struct message_name message;
	char name[THREAD_NAME_BYTES];
	struct thread *thread;

	if (!thread_message(span, &message, sizeof(message), name))
		return false;
	/* One that has not made itself known says its name when it does. */
	thread = threads_of_tid(&image->threads, (uint32_t)message.tid);
	if (!thread)
		return true;
	thread_named(&image->threads, thread, name);
	lifecycle_name(recording, image, thread, message.ns, name);
	return true;
}

void lifecycle_threads_end(struct recording *recording, const struct image *image)
{
	/* Their time is when this is noticed: no better one is known. */
	for (uint32_t i = 0; i < image->threads.n; i++)
		lifecycle_thread(recording, image, &image->threads.at[i],
				 WM_EVENT_VCPU_EXIT, clock_ns());
}

void lifecycle_fork(struct recording *recording, const struct image *image,
		    uint32_t child, uint64_t ns)
{
	struct event_record record = record_of(recording, image, WM_EVENT_FORK, ns);

	record.n = 1;
	record.fields[0] = child;
	add(recording, &record);
}

void lifecycle_space(struct recording *recording, const struct image_spaces *spaces,
		     const struct message_space *message, const char *path)
{
	const struct image_space *space = &spaces->at[message->number];
	const struct image_space *parent = &spaces->at[message->parent];
	bool execs = !message->parent || parent->pid == space->pid;
	struct event_record record = {
		.kind = execs ? WM_EVENT_EXEC : WM_EVENT_FORK,
		.ns = message->ns,
		.process = execs ? space->index : parent->index,
		.pid = execs ? space->pid : parent->pid,
		.thread = EVENT_NONE,
		.n = !execs,
		.fields = { space->pid },
		.text = execs ? path : "",
	};

	record.text_bytes = strlen(record.text);
	add(recording, &record);
}

void lifecycle_exec(struct recording *recording, const struct image *image)
{
	/* The new program's plugin has stored when it started. */
	struct event_record record =
		record_of(recording, image, WM_EVENT_EXEC, image->arena->header.begin_ns);

	record.text = image->program ? image->program : "";
	record.text_bytes = strlen(record.text);
	add(recording, &record);
}
