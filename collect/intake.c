// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Acts on the messages of an image's plugin. A message that names a position in a lane is
 * acted on when the lane has been emptied up to there. So an event is between the right
 * two blocks of its thread, and a thread's stream ends after its last block.
 *
 * Example: lane 0 has ids up to position 40, and the messages are [thread 0's event at
 * 25], [thread 0 ends at 40]. Acting on the first takes 25 ids and puts the event; acting
 * on the second takes the other 15 and ends the stream.
 *
 * A guest can overwrite the ring. After the first message that is not valid, no more are
 * taken from the image, because the start of the next one is not known either. The file
 * gets a reason, and lanes are still emptied, so that the guest does not wait.
 */
#include "collect/intake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/image.h"
#include "collect/lifecycle.h"
#include "collect/modules.h"
#include "collect/route.h"
#include "format/note_form.h"
#include "format/records.h"
#include "format/section.h"

/* ---- code ------------------------------------------------------------------------------- */

static bool take_block(struct image *image, struct definitions *defs, struct span *span)
{
	uint32_t id;

	/* Room first: a block that the definitions have taken must get its entry. */
	if (!id_map_reserve(&image->ids) ||
	    !definitions_take_block(defs, span, image->space, image->ids.known + 1, &id))
		return false;
	id_map_add(&image->ids, id);
	return true;
}

/* A number like a block's, for what an instruction of a block does. */
static bool take_firing(struct image *image, const struct definitions *defs,
			struct span *span)
{
	struct message_firing message;
	const uint8_t *bytes = span_bytes(span, sizeof(message));
	uint32_t block, id;

	if (!bytes || !image->values.recorded || !id_map_reserve(&image->ids))
		return false;
	memcpy(&message, bytes, sizeof(message));
	block = message.block && message.block <= image->ids.known ?
			image->ids.file_ids[message.block] :
			0;
	if (message.id != image->ids.known + 1 || !block || block & ID_FIRING ||
	    message.insn >= defs->insns_of[block])
		return false;
	id = image_values_define(&image->values, block, &message);
	if (!id)
		return false;
	id_map_add(&image->ids, id);
	return true;
}

/* Now, while the plugin waits: the guest may close it next. */
static bool take_dump(const struct image *image, struct generated *generated,
		      struct span *span)
{
	struct message_dump message;
	const uint8_t *bytes = span_bytes(span, sizeof(message));

	if (!bytes)
		return false;
	memcpy(&message, bytes, sizeof(message));
	generated_dump(generated, image->space, image->life.pid, message.fd);
	return true;
}

static bool take_elf(struct image *image, struct recording *rec, struct span *span)
{
	uint64_t start;
	const uint8_t *bytes = span_bytes(span, sizeof(start));

	if (bytes) {
		memcpy(&start, bytes, sizeof(start));
		generated_elf(&rec->generated, image->space, start, *span);
	}
	return bytes;
}

/* ---- threads ---------------------------------------------------------------------------- */

static bool is_complete(const struct thread *thread)
{
	return thread->stream && thread->stream->complete;
}

/* Where the thread is, for the next note; a thread that is not recorded is nowhere. */
static void tell_place(struct image *image, const struct thread *thread)
{
	const struct stream *stream = thread ? thread->stream : NULL;
	struct note_place place;

	if (!stream)
		return;
	place = (struct note_place){ stream->index,
				     stream->blocks + stream_blocks(stream) };
	note_parts_place(&image->note, &place);
}

/* Where a thread ends, it has executed `passed` instructions unrecorded. */
static void end_thread(struct image *image, struct thread *thread, uint64_t passed)
{
	bool called = thread->lane != LANE_NONE &&
		      lanes_has_called(&image->lanes, thread->lane);

	lanes_settle(&image->lanes, thread, !called && !is_complete(thread));
	/* The next note comes after its last block. */
	if (image->note.any)
		tell_place(image, thread);
	thread_end(&image->threads, thread, passed, called);
}

static void put_into(struct image *image, struct thread *thread, uint32_t space)
{
	thread->space = image->spaces.at[space].index;
	thread->pid = image->spaces.at[space].pid;
	thread->left_out = image->spaces.at[space].left_out;
}

static bool begin_thread(struct image *image, struct recording *rec,
			 struct thread *thread, const struct message_thread *message,
			 const char *name)
{
	lifecycle_thread(rec, image, thread, WM_EVENT_VCPU_EXIT, message->ns);
	/* A thread of this number that ended without a message ends here. */
	end_thread(image, thread, 0);
	route_take(&image->lanes, message->thread);
	route_give(&image->lanes, message->vcpu, message->thread);
	put_into(image, thread, message->space);
	if (!thread_begin(&image->threads, thread, message->vcpu, message->tid, name))
		return false;
	/* The hart's own thread, and others that begin on it later. */
	turns_add(&rec->turns, message->vcpu, thread->stream, message->ns,
		  message->vcpu != message->thread, &rec->out);
	lifecycle_thread(rec, image, thread, WM_EVENT_VCPU_INIT, message->ns);
	lifecycle_name(rec, image, thread, message->ns, name);
	return true;
}

/*
 * Before the thread's stream may end, with its last block's values. By now another thread
 * may have called the kernel from this lane: the message says whether this one has.
 */
static void settle_thread(struct image *image, struct thread *thread,
			  enum message_type type, const struct message_thread *message,
			  bool called)
{
	bool ends = type == MESSAGE_THREAD_END;

	if (ends && thread->stream && message->called)
		stream_complete(thread->stream);
	/* One that gets a name is in a system call. */
	lanes_settle(&image->lanes, thread, ends && !called && !is_complete(thread));
}

static void finish_thread(struct image *image, struct recording *rec,
			  struct thread *thread, const struct message_thread *message)
{
	lifecycle_thread(rec, image, thread, WM_EVENT_VCPU_EXIT, message->ns);
	end_thread(image, thread, message->passed);
	route_take(&image->lanes, message->thread);
}

/* A stream that was left out may begin while its thread is on a hart. */
static void note_begin(struct recording *rec, const struct thread *thread, bool before)
{
	if (!before)
		turns_add(&rec->turns, thread->lane, thread->stream, rec->turns.last_ns,
			  true, &rec->out);
}

/* The thread that is on the message's lane has a name, or ends. */
static bool change_thread(struct image *image, struct recording *rec,
			  struct thread *thread, enum message_type type,
			  const struct message_thread *message, const char *name)
{
	bool called = lanes_has_called(&image->lanes, message->vcpu), good = true;
	bool before = thread->stream;

	/* A message about a thread whose begin was not taken: nothing to change. */
	if (!thread->begun)
		return true;
	if (thread->lane != message->vcpu)
		return false;
	settle_thread(image, thread, type, message, called);
	/* One that is left out does not begin where it ends. */
	if (type == MESSAGE_THREAD_IS || thread->stream)
		good = thread_rename(&image->threads, thread, message->tid, name,
				     message->passed, called);
	note_begin(rec, thread, before);
	lifecycle_name(rec, image, thread, message->ns, name);
	if (type == MESSAGE_THREAD_END)
		finish_thread(image, rec, thread, message);
	return good;
}

/* How much a thread passed is in its last message: its lane may be another's by now. */
static bool take_thread(struct image *image, struct recording *rec,
			enum message_type type, struct span *span)
{
	struct message_thread message;
	char name[THREAD_NAME_BYTES];
	struct thread *thread;

	if (!thread_message(span, &message, sizeof(message), name))
		return false;
	thread = threads_at(&image->threads, message.thread);
	if (!thread || message.space >= image->spaces.n ||
	    !lanes_reach(&image->lanes, message.vcpu, message.position))
		return false;
	if (type == MESSAGE_THREAD)
		return begin_thread(image, rec, thread, &message, name);
	return change_thread(image, rec, thread, type, &message, name);
}

/* ---- processes of a machine ------------------------------------------------------------- */

static bool take_space(struct image *image, struct recording *rec, struct span *span)
{
	struct message_space message;
	const uint8_t *bytes = span_bytes(span, sizeof(message));
	struct image_spaces *spaces = &image->spaces;
	char *path = strndup((const char *)span->at, span_left(span));
	bool good = false;

	if (bytes && path) {
		memcpy(&message, bytes, sizeof(message));
		good = spaces_begin(spaces, &message, path, &rec->tally.images,
				    &rec->out);
	}
	if (good) {
		spaces_choose(&spaces->at[spaces->n - 1], &rec->steered);
		lifecycle_space(rec, spaces, &message, path);
	}
	free(path);
	return good;
}

static bool take_space_end(struct image *image, struct output *out, struct span *span)
{
	struct message_space_end message;
	const uint8_t *bytes = span_bytes(span, sizeof(message));

	if (!bytes)
		return false;
	memcpy(&message, bytes, sizeof(message));
	/* Number 0 ends with the image. */
	if (!message.number || message.number >= image->spaces.n)
		return false;
	spaces_end(&image->spaces, message.number, message.status, message.ns, out);
	return true;
}

static bool take_move(struct image *image, struct recording *rec, struct span *span)
{
	struct message_move message;
	const uint8_t *bytes = span_bytes(span, sizeof(message));
	struct thread *thread;
	uint32_t number;
	bool before;

	if (!bytes)
		return false;
	memcpy(&message, bytes, sizeof(message));
	if (message.space >= image->spaces.n ||
	    !lanes_reach(&image->lanes, message.vcpu, message.position))
		return false;
	number = image->lanes.at[message.vcpu].route;
	if (number == THREAD_NONE)
		return true;
	thread = &image->threads.at[number];
	before = thread->stream;
	/* The chunk ends before the thread is in another space, with all of its values. */
	lanes_settle(&image->lanes, thread, false);
	if (!thread_move(&image->threads, thread, &image->spaces.at[message.space]))
		return false;
	note_begin(rec, thread, before);
	return true;
}

/* ---- what happens at a position --------------------------------------------------------- */

/*
 * Takes a lane's ids up to a position; *thread is whose it is there, NULL when that
 * thread is not recorded.
 */
static bool reach(struct image *image, uint32_t vcpu, uint64_t position,
		  struct thread **thread)
{
	uint32_t number;

	if (!lanes_reach(&image->lanes, vcpu, position))
		return false;
	number = image->lanes.at[vcpu].route;
	*thread = number == THREAD_NONE || !image->threads.at[number].stream ?
			  NULL :
			  &image->threads.at[number];
	return true;
}

/*
 * The block entered last on a lane was left at `pc`, for its values; whoever ran it. of_fetch: unless
 * it begins there.
 */
static void left_at(struct image *image, uint32_t vcpu, uint64_t pc, bool done,
		    bool of_fetch, const struct definitions *defs)
{
	struct value_lane *values = image->lanes.at[vcpu].values;
	uint32_t insns = 0;

	if (values && values->pending)
		insns = definitions_insns_to(defs, values->pending, pc);
	/* 0: the address is not in the block, so this is about other code. */
	if (insns > of_fetch)
		value_lane_left(values, insns, done);
}

/* Whether an event is what the recording is kept for. */
static void look_at(struct recording *rec, const struct event_record *record)
{
	if (rec->keep.wanted)
		return;
	keep_event(&rec->keep, record->kind, record->fields);
	/*
	 * It has just become wanted: the file gets its name at once, in case the recorder
	 * is killed.
	 */
	if (rec->keep.wanted && writer_publish(rec->out.writer, &rec->out.fault))
		output_cut(&rec->out, rec->out.fault.text);
}

/* An event in the sequence of the thread on its lane. */
static bool take_thread_event(struct image *image, struct recording *rec,
			      const struct message_event *message,
			      struct event_record *record)
{
	struct thread *thread;

	if (!reach(image, message->vcpu, message->position, &thread))
		return false;
	look_at(rec, record);
	if (record->kind == WM_EVENT_SIGNAL && !message->called &&
	    signal_is_raised(record->fields[0], (int32_t)record->fields[1]))
		left_at(image, message->vcpu, record->fields[2], false,
			signal_is_of_fetch(record->fields[0], record->fields[2],
					   record->fields[3]),
			&rec->defs);
	/* Windows open and close whether their thread is recorded or not. */
	if (record->kind == WM_EVENT_WINDOW)
		steered_window(&rec->steered, record->fields[0], record->fields[1]);
	if (!thread)
		return true;
	record->process = thread->space;
	record->pid = thread->pid;
	record->thread = thread->stream->index;
	record->tid = thread->tid;
	/* Whether or not the event is kept: a signal says where a block was left. */
	stream_happened(thread->stream, record, message->called, &rec->defs);
	if (!eventlog_keeps(&rec->events, record->kind))
		return true;
	if (rec->events.to_trace)
		stream_event(thread->stream, record);
	eventlog_pass(&rec->events, record);
	return true;
}

static bool take_event(struct image *image, struct recording *rec, struct span *span)
{
	struct event_record record = { .process = image->space,
				       .pid = image->life.pid,
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
		return take_thread_event(image, rec, &message, &record);
	eventlog_add(&rec->events, &rec->out, &record);
	return true;
}

static bool take_left(struct image *image, const struct definitions *defs,
		      struct span *span)
{
	struct message_left message;
	const uint8_t *bytes = span_bytes(span, sizeof(message));
	struct thread *thread;

	if (!bytes)
		return false;
	memcpy(&message, bytes, sizeof(message));
	if (!reach(image, message.vcpu, message.position, &thread))
		return false;
	left_at(image, message.vcpu, message.pc, message.done, false, defs);
	if (thread)
		stream_left(thread->stream, message.pc, defs);
	return true;
}

/* ---- notes ------------------------------------------------------------------------------ */

/*
 * How far another thread was. It goes on running, so more of it may have been taken since
 * the plugin looked: then it is what was taken that counts.
 */
static bool take_place(struct image *image, const struct message_place *message)
{
	uint64_t position = message->position;
	struct thread *thread;

	if (message->vcpu < image->lanes.n &&
	    position < image->lanes.at[message->vcpu].tail)
		position = image->lanes.at[message->vcpu].tail;
	if (!reach(image, message->vcpu, position, &thread))
		return false;
	tell_place(image, thread);
	return true;
}

/* A note of the thread's name: cut at a NUL, as all names are. */
static void call_thread(struct image *image, struct thread *thread,
			const struct note *note)
{
	struct span span = span_of(note->data, note->bytes);
	uint64_t bytes = span_varint(&span);
	char name[THREAD_NAME_BYTES];

	if (!thread || span.failed || !bytes || bytes > span_left(&span))
		return;
	snprintf(name, sizeof(name), "%.*s",
		 (int)(bytes < sizeof(name) ? bytes : sizeof(name)),
		 (const char *)span.at);
	if (*name)
		thread_call(&image->threads, thread, name);
}

/* The note is complete. One of a thread that is not recorded has no place of its own. */
static bool end_note(struct image *image, struct recording *rec,
		     const struct message_note *message)
{
	struct note_parts *parts = &image->note;
	struct note note = { .ns = message->ns,
			     .space = image->space,
			     .kind = message->kind };
	struct thread *thread;

	if (!reach(image, message->vcpu, message->position, &thread))
		return false;
	tell_place(image, thread);
	note.places = (const struct note_place *)(const void *)parts->places.data;
	note.n_places = (uint32_t)(parts->places.len / sizeof(*note.places));
	note.data = parts->data.data;
	note.bytes = parts->data.len;
	/*
	 * Of one that is taken elsewhere the places are part of the next one's. What makes no
	 * sense is the program's own business, as a wrong pointer is: there is no note then.
	 */
	if (note.kind == NOTE_THREAD) {
		call_thread(image, thread, &note);
	} else if (note_is_formed(note.kind, span_of(note.data, note.bytes)) &&
		   !generated_note(&rec->generated, &note)) {
		notes_add(&rec->notes, &note, &rec->out);
		parts->places.len = 0;
	}
	parts->data.len = 0;
	parts->any = true;
	return true;
}

static bool take_note(struct image *image, struct recording *rec, struct span *span)
{
	struct note_parts *parts = &image->note;
	struct message_note message;
	const uint8_t *bytes = span_bytes(span, sizeof(message));

	if (!bytes)
		return false;
	memcpy(&message, bytes, sizeof(message));
	for (uint32_t i = 0; i < message.places; i++) {
		struct message_place place;

		bytes = span_bytes(span, sizeof(place));
		if (!bytes)
			return false;
		memcpy(&place, bytes, sizeof(place));
		if (!take_place(image, &place))
			return false;
	}
	if (!note_parts_add(parts, span->at, span_left(span), message.left) ||
	    parts->places.failed)
		return false;
	return message.left || end_note(image, rec, &message);
}

/* ---- all messages ----------------------------------------------------------------------- */

static bool act_on(struct image *image, struct recording *rec,
		   const struct message *message)
{
	struct span span = span_of(message->payload, message->bytes);

	switch (message->type) {
	case MESSAGE_BLOCK:
		return take_block(image, &rec->defs, &span);
	case MESSAGE_TEXT:
		return definitions_take_text(&rec->defs, &span);
	case MESSAGE_MODULE:
		return modules_take(image, rec, &span);
	case MESSAGE_THREAD:
	case MESSAGE_THREAD_IS:
	case MESSAGE_THREAD_END:
		return take_thread(image, rec, message->type, &span);
	case MESSAGE_NAME:
		return lifecycle_take_name(rec, image, &span);
	case MESSAGE_EVENT:
		return take_event(image, rec, &span);
	case MESSAGE_LEFT:
		return take_left(image, &rec->defs, &span);
	case MESSAGE_ROUTE:
		return route_message(&image->lanes, &span);
	case MESSAGE_FIRING:
		return take_firing(image, &rec->defs, &span);
	case MESSAGE_SPACE:
		/* Of a file without a machine readers expect no such space. */
		return rec->machine && take_space(image, rec, &span);
	case MESSAGE_SPACE_END:
		return take_space_end(image, &rec->out, &span);
	case MESSAGE_MOVE:
		return take_move(image, rec, &span);
	case MESSAGE_DUMP:
		return take_dump(image, &rec->generated, &span);
	case MESSAGE_ELF:
		return take_elf(image, rec, &span);
	case MESSAGE_NOTE:
		return take_note(image, rec, &span);
	case MESSAGE_LOADED:
		return modules_take_loaded(image, rec, &span);
	}
	return false;
}

/* The message was acted on: its room is free, and who waits for that may go on. */
static void move_tail(struct image *image, uint64_t tail)
{
	image->message_tail = tail;
	atomic_store_explicit(&image->arena->header.message_tail, tail,
			      memory_order_release);
}

bool intake(struct image *image, struct recording *rec)
{
	struct message *message = &rec->message;
	bool worked = false;
	int got;

	while (!image->messages_broken &&
	       (got = message_take(image->arena, image->message_tail, message))) {
		if (got < 0 || !act_on(image, rec, message)) {
			image->messages_broken = true;
			output_cut(&rec->out, output_scribbled);
			break;
		}
		/*
		 * After the message was acted on: a plugin that waits for its module to
		 * be handled looks at this tail.
		 */
		move_tail(image, message->end);
		definitions_put_some(&rec->defs, &rec->out);
		worked = true;
	}
	/*
	 * The head is taken as it is: everything up to there is skipped, and no writer
	 * waits for room.
	 */
	if (image->messages_broken)
		move_tail(image, atomic_load(&image->arena->header.message_head));
	if (worked || image->messages_broken)
		lanes_tell_room(image->arena);
	return worked;
}
