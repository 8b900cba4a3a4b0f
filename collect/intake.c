// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a process's plugin tells. A message that names a position in a lane is acted on
 * when the lane has been emptied up to it. A guest may have scribbled over the ring: at
 * the first message that makes no sense it is given up, with a reason in the file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/process.h"
#include "collect/tell.h"
#include "format/records.h"
#include "format/section.h"

/* Room for one more id of the process. */
static bool grow_ids(struct process *process)
{
	uint32_t n = process->allocated * 2 + 4096, *grown;

	if (process->known + 1 < process->allocated)
		return true;
	grown = realloc(process->ids, n * sizeof(*grown));
	if (!grown)
		return false;
	grown[0] = 0;
	process->ids = grown;
	process->allocated = n;
	return true;
}

static bool take_block(struct process *process, struct span *span)
{
	uint32_t id;

	if (!grow_ids(process) ||
	    !definitions_take_block(&process->recording->defs, span, process->index,
				    process->known + 1, &id))
		return false;
	process->ids[++process->known] = id;
	process->same_ids &= id == process->known;
	return true;
}

/* What is asked for of the file is ordered before the process runs code of it. */
static void steer_module(struct process *process, const struct message_module *message,
			 const char *path, const char *build_id)
{
	struct recording *rec = process->recording;
	int fd;

	if (!steered_needs(&rec->steered, message))
		return;
	fd = mapped_open(process->life.pid, message, path);
	steered_module(&rec->steered, message, fd, path, build_id);
	if (fd >= 0)
		close(fd);
}

static bool take_module(struct process *process, struct span *span)
{
	struct recording *rec = process->recording;
	struct message_module message;
	const uint8_t *bytes = span_bytes(span, sizeof(message));
	char build_id[ELF_BUILD_ID_TEXT];
	struct module_record module = { .space = process->index,
					.known_blocks = rec->defs.known,
					.build_id = build_id };
	struct buf payload = BUF_INIT;

	if (!bytes)
		return false;
	memcpy(&message, bytes, sizeof(message));
	module.start = message.start;
	module.end = message.end;
	module.file_off = message.file_off;
	module.ns = message.ns;
	module.path = strndup((const char *)span->at, span_left(span));
	if (!module.path)
		return false;
	mapped_build_id(&rec->mapped, process->life.pid, &message, module.path, build_id);
	steer_module(process, &message, module.path, build_id);
	module_put(&payload, &module);
	output_put(&rec->out, SECTION_MODU, &payload, 0);
	buf_fini(&payload);
	free(module.path);
	return true;
}

static bool begin_thread(struct process *process, const struct message_thread *message,
			 const char *name)
{
	tell_thread(process, message->vcpu, WM_EVENT_VCPU_EXIT, message->ns);
	if (!lane_begin(process, message->vcpu, message->tid, name))
		return false;
	tell_thread(process, message->vcpu, WM_EVENT_VCPU_INIT, message->ns);
	tell_name(process, message->vcpu, message->ns, name);
	return true;
}

/* How much a thread passed is in its last message: its lane may be another's by now. */
static bool take_thread(struct process *process, enum message_type type,
			struct span *span)
{
	struct message_thread message;
	const uint8_t *bytes = span_bytes(span, sizeof(message));
	char name[LANE_NAME_BYTES];
	bool good = true;

	if (!bytes)
		return false;
	memcpy(&message, bytes, sizeof(message));
	snprintf(name, sizeof(name), "%.*s", (int)span_left(span),
		 (const char *)span->at);
	if (!lane_reach(process, message.vcpu, message.position))
		return false;
	if (type == MESSAGE_THREAD)
		return begin_thread(process, &message, name);
	/* One that is left out does not begin where it ends. */
	if (type == MESSAGE_THREAD_IS || process->lanes[message.vcpu].stream)
		good = lane_name(process, message.vcpu, &message, name);
	tell_name(process, message.vcpu, message.ns, name);
	if (type == MESSAGE_THREAD_END) {
		/* By now another thread may have called from this lane. */
		lane_called(process, message.vcpu, message.called);
		tell_thread(process, message.vcpu, WM_EVENT_VCPU_EXIT, message.ns);
		lane_finish(process, message.vcpu, message.passed);
	}
	return good;
}

/* Takes the thread's ids up to a position; *stream is its stream, NULL when it has none. */
static bool reach(struct process *process, uint32_t vcpu, uint64_t position,
		  struct stream **stream)
{
	if (!lane_reach(process, vcpu, position))
		return false;
	*stream = process->lanes[vcpu].stream;
	return true;
}

/* Whether an event is what the recording is kept for. */
static void look_at(struct recording *rec, const struct event_record *record)
{
	if (rec->keep.wanted)
		return;
	keep_event(&rec->keep, record->kind, record->fields);
	if (rec->keep.wanted && writer_publish(rec->out.writer, &rec->out.fault))
		output_cut(&rec->out, rec->out.fault.text);
}

/* An event in the sequence of the thread on its lane. */
static bool take_thread_event(struct process *process,
			      const struct message_event *message,
			      struct event_record *record)
{
	struct recording *rec = process->recording;
	struct stream *stream;

	if (!reach(process, message->vcpu, message->position, &stream))
		return false;
	look_at(rec, record);
	/* Windows open and close whether their thread is recorded or not. */
	if (record->kind == WM_EVENT_WINDOW)
		steered_window(&rec->steered, record->fields[0], record->fields[1]);
	if (!stream)
		return true;
	record->thread = stream->index;
	record->tid = process->lanes[message->vcpu].tid;
	stream_happened(stream, record, message->called, &rec->defs);
	if (!eventlog_keeps(&rec->events, record->kind))
		return true;
	if (rec->events.to_trace)
		stream_event(stream, record);
	eventlog_pass(&rec->events, record);
	return true;
}

static bool take_event(struct process *process, struct span *span)
{
	struct recording *rec = process->recording;
	struct event_record record = { .process = process->index,
				       .pid = process->life.pid,
				       .thread = EVENT_NONE };
	struct message_event message;
	const uint8_t *bytes = span_bytes(span, sizeof(message));

	if (!bytes)
		return false;
	memcpy(&message, bytes, sizeof(message));
	record.kind = message.kind;
	record.ns = message.ns;
	if (!event_record_take(&record, *span))
		return false;
	if (message.vcpu != LANE_NONE)
		return take_thread_event(process, &message, &record);
	eventlog_add(&rec->events, &rec->out, &record);
	return true;
}

static bool take_left(struct process *process, struct span *span)
{
	struct message_left message;
	const uint8_t *bytes = span_bytes(span, sizeof(message));
	struct stream *stream;

	if (!bytes)
		return false;
	memcpy(&message, bytes, sizeof(message));
	if (!reach(process, message.vcpu, message.position, &stream))
		return false;
	if (stream)
		stream_left(stream, message.pc, &process->recording->defs);
	return true;
}

static bool take_message(struct process *process)
{
	const struct message *message = &process->recording->message;
	struct span span = span_of(message->payload, message->bytes);

	switch (message->type) {
	case MESSAGE_BLOCK:
		return take_block(process, &span);
	case MESSAGE_TEXT:
		return definitions_take_text(&process->recording->defs, &span);
	case MESSAGE_MODULE:
		return take_module(process, &span);
	case MESSAGE_THREAD:
	case MESSAGE_THREAD_IS:
	case MESSAGE_THREAD_END:
		return take_thread(process, message->type, &span);
	case MESSAGE_EVENT:
		return take_event(process, &span);
	case MESSAGE_LEFT:
		return take_left(process, &span);
	}
	return false;
}

/* What was told has been done: its room is free, and who waits for that may go on. */
static void move_tail(struct process *process, uint64_t tail)
{
	process->message_tail = tail;
	atomic_store_explicit(&process->arena->header.message_tail, tail,
			      memory_order_release);
}

bool intake(struct process *process)
{
	struct arena_header *header = &process->arena->header;
	struct recording *rec = process->recording;
	bool worked = false;
	int got;

	while (!process->messages_broken &&
	       (got = message_take(process->arena, process->message_tail,
				   &rec->message))) {
		if (got < 0 || !take_message(process)) {
			process->messages_broken = true;
			output_cut(&rec->out, output_scribbled);
			break;
		}
		move_tail(process, rec->message.end);
		definitions_put_some(&rec->defs, &rec->out);
		worked = true;
	}
	if (process->messages_broken)
		move_tail(process, atomic_load(&header->message_head));
	if (worked || process->messages_broken)
		lane_tell_room(process);
	return worked;
}
