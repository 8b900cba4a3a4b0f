// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events in words: the tables of format/events.def, and what the guest's kernel calls its
 * numbers.
 *
 * A text is printed into memory first, because its length is wanted even where the
 * caller's buffer is too short, as snprintf() has it:
 *
 *	"close(3)" into 6 bytes	returns 8 and leaves "close"
 *
 * Invariant: fields are numbered as in the public enum, which is checked when this is
 * compiled.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "events/render.h"
#include "kernel/kernel.h"

static_assert((int)WM_FIELD_UNSIGNED == FIELD_UNSIGNED &&
		      (int)WM_FIELD_SIGNED == FIELD_SIGNED &&
		      (int)WM_FIELD_HEX == FIELD_HEX &&
		      (int)WM_FIELD_SYSCALL == FIELD_CALL &&
		      (int)WM_FIELD_SIGNAL == FIELD_SIGNAL &&
		      (int)WM_FIELD_WORD == FIELD_WORDS &&
		      (int)WM_FIELD_TEXT == FIELD_TEXT,
	      "enum wm_field_type is enum event_field_type");

const char *wm_event_name(uint32_t kind)
{
	const struct event_info *info = event_info(kind);

	return info ? info->name : NULL;
}

/* An event's text, if it has one, comes after its numbers. */
int wm_event_field(uint32_t kind, unsigned index, const char **name,
		   enum wm_field_type *type)
{
	const struct event_info *info = event_info(kind);
	unsigned n = info ? info->n_numbers + (event_text_field(info) != NULL) : 0;

	if (index >= n)
		return WM_END;
	*name = info->fields[index].name;
	*type = (enum wm_field_type)info->fields[index].type;
	return 0;
}

static const struct kernel *kernel_of(const struct wm_trace *trace)
{
	const char *isa = wm_trace_meta(trace, "guest-isa");

	/* An unknown guest has a kernel without names, never NULL. */
	return kernel_find(isa ? isa : "");
}

const char *wm_trace_syscall_name(const struct wm_trace *trace, uint64_t number)
{
	const struct call *call = kernel_call(kernel_of(trace), number);

	return call ? call->name : NULL;
}

/* ---- texts --------------------------------------------------------------- */

/* A text that is being printed into memory. */
struct memory {
	FILE *out; /* NULL: no memory */
	char *text;
	size_t bytes;
};

static void memory_open(struct memory *memory)
{
	*memory = (struct memory){ .text = NULL };
	memory->out = open_memstream(&memory->text, &memory->bytes);
}

/* Ends it: as much as fits goes into text[size]. Its length. */
static int memory_take(struct memory *memory, char *text, size_t size)
{
	int length = 0;

	if (size)
		*text = 0;
	/*
	 * fclose() completes the text; a failure is missing memory, and the text is
	 * empty.
	 */
	if (memory->out && fclose(memory->out) == 0)
		length = snprintf(text, size, "%s", memory->text);
	free(memory->text);
	return length;
}

/* A row of the table with one field, and the event with it alone. */
static void print_field(FILE *out, const struct event_info *info,
			const struct kernel *kernel, const struct wm_event *event,
			const struct event_field *field)
{
	/*
	 * A copy of the row, in which the format names just this field: so every field is
	 * printed by the same code as the whole event.
	 */
	struct event_info alone = *info;
	char format[64];

	snprintf(format, sizeof(format), "{%s}", field->name);
	alone.format = format;
	event_render(out, &alone, kernel, event->fields, event->text, event->text_bytes);
}

int wm_event_value_sized(const struct wm_trace *trace, const struct wm_event *caller,
			 size_t bytes, unsigned index, char *text, size_t size)
{
	struct wm_event event;
	const struct event_info *info;
	struct memory memory;
	enum wm_field_type type;
	const char *name;

	/* A caller of an older version has a shorter event; what it lacks is 0. */
	SIZED_GET(&event, caller, bytes);
	info = event_info(event.kind);
	if (size)
		*text = 0;
	if (wm_event_field(event.kind, index, &name, &type))
		return 0;
	memory_open(&memory);
	if (memory.out)
		print_field(memory.out, info, kernel_of(trace), &event,
			    &info->fields[index]);
	return memory_take(&memory, text, size);
}

int wm_event_text_sized(const struct wm_trace *trace, const struct wm_event *caller,
			size_t bytes, char *text, size_t size)
{
	struct wm_event event;
	struct memory memory;

	SIZED_GET(&event, caller, bytes);
	memory_open(&memory);
	if (memory.out)
		event_print(memory.out, kernel_of(trace), &event);
	return memory_take(&memory, text, size);
}
