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
	fd = mapped_open(process->pid, message, path);
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
	struct module_record module = { .process = process->index,
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
	mapped_build_id(&rec->mapped, process->pid, &message, module.path, build_id);
	steer_module(process, &message, module.path, build_id);
	module_put(&payload, &module);
	output_put(&rec->out, SECTION_MODU, &payload, 0);
	buf_fini(&payload);
	free(module.path);
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
		return lane_begin(process, message.vcpu, message.tid, name);
	/* One that is left out does not begin where it ends. */
	if (type == MESSAGE_THREAD_IS || process->lanes[message.vcpu].stream)
		good = lane_name(process, message.vcpu, &message, name);
	if (type == MESSAGE_THREAD_END)
		lane_finish(process, message.vcpu, message.passed);
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
static void look_at(struct recording *rec, uint32_t kind, struct span data)
{
	uint64_t fields[WM_EVENT_FIELDS] = { 0 };
	unsigned n = event_fields(kind);

	for (unsigned i = 0; i < n; i++)
		fields[i] = span_u64(&data);
	if (data.failed || rec->keep.wanted)
		return;
	keep_event(&rec->keep, kind, fields);
	if (rec->keep.wanted && writer_publish(rec->out.writer, &rec->out.fault))
		output_cut(&rec->out, rec->out.fault.text);
}

/* Windows open and close whether their thread is recorded or not. */
static void note_window(struct process *process, const struct span *data)
{
	struct span span = *data;
	uint64_t change = span_u64(&span), window = span_u64(&span);

	if (!span.failed)
		steered_window(&process->recording->steered, change, window);
}

static bool take_event(struct process *process, struct span *span)
{
	struct message_event message;
	const uint8_t *bytes = span_bytes(span, sizeof(message));
	struct stream *stream;

	if (!bytes)
		return false;
	memcpy(&message, bytes, sizeof(message));
	if (!reach(process, message.vcpu, message.position, &stream))
		return false;
	look_at(process->recording, message.kind, *span);
	if (message.kind == WM_EVENT_WINDOW)
		note_window(process, span);
	return !stream || stream_event(stream, message.kind, message.ns, span,
				       &process->recording->defs);
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

bool intake(struct process *process)
{
	struct arena_header *header = &process->arena->header;
	struct recording *rec = process->recording;
	bool worked = false;
	int got;

	while (!process->messages_broken &&
	       (got = message_take(process->arena, &rec->message))) {
		if (got < 0 || !take_message(process)) {
			process->messages_broken = true;
			output_cut(&rec->out, output_scribbled);
		}
		message_done(process->arena, &rec->message);
		definitions_put_some(&rec->defs, &rec->out);
		worked = true;
	}
	if (process->messages_broken)
		atomic_store(&header->message_tail, atomic_load(&header->message_head));
	if (worked || process->messages_broken)
		lane_tell_room(process);
	return worked;
}
