// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints an event as the text that the format of its kind asks for, fields by their
 * types: numbers, names of system calls and signals, words of an enumeration.
 *
 *	"{number}({arg0})[ \"{string}\"]"	chdir(0x4000) "/tmp"	or	chdir(0x4000)
 *
 * The part between brackets is printed only when the event has text. Text comes from the
 * guest: bytes that a terminal would take for a command are escaped.
 *
 * Invariant: formats are constants of events.def and name only fields of their own kind.
 */
#include "events/render.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

struct rendering {
	FILE *out;
	const struct event_info *info;
	const struct kernel *kernel;
	const uint64_t *fields;
	const char *text;
	size_t text_bytes;
};

const char *event_word(const struct event_field *field, uint64_t value)
{
	return value < field->n_words ? field->words[value] : NULL;
}

static void print_text(FILE *out, const char *text, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		unsigned char c = (unsigned char)text[i];

		if (c == '\n')
			fputs("\\n", out);
		/*
		 * Control characters of ASCII, and those of Latin-1 as UTF-8 has them:
		 * 0xc2 0x80 to 0xc2 0x9f.
		 */
		else if (c < ' ' || c == 0x7f ||
			 (c == 0xc2 && i + 1 < bytes &&
			  (unsigned char)text[i + 1] < 0xa0))
			fprintf(out, "\\x%02x", c);
		else
			putc(c, out);
	}
}

static void print_number(const struct rendering *rendering,
			 const struct event_field *field, uint64_t value)
{
	FILE *out = rendering->out;
	const char *word = NULL;
	char name[KERNEL_NAME];

	switch (field->type) {
	case FIELD_SIGNED:
		fprintf(out, "%" PRId64, (int64_t)value);
		return;
	case FIELD_HEX:
		fprintf(out, "0x%" PRIx64, value);
		return;
	case FIELD_CALL:
		word = kernel_call_name(rendering->kernel, value, name);
		break;
	case FIELD_SIGNAL:
		word = kernel_signal_name(value, name);
		break;
	/*
	 * A number without a word is printed as it is: a newer Waymark may have more
	 * words.
	 */
	case FIELD_WORDS:
		word = event_word(field, value);
		break;
	case FIELD_UNSIGNED:
	case FIELD_TEXT:
		break;
	}
	if (word)
		fputs(word, out);
	else
		fprintf(out, "%" PRIu64, value);
}

static const struct event_field *find_field(const struct event_info *info,
					    const char *name, size_t length)
{
	const struct event_field *field = info->fields;

	while (field->name &&
	       (strlen(field->name) != length || memcmp(field->name, name, length)))
		field++;
	assert(field->name); /* a format names its own fields */
	return field;
}

/*
 * Prints the field named between braces; `name` is after the first. Returns what follows.
 */
static const char *print_field(const struct rendering *rendering, const char *name)
{
	size_t length = strcspn(name, "}");
	const struct event_field *field = find_field(rendering->info, name, length);

	if (field->type == FIELD_TEXT)
		print_text(rendering->out, rendering->text, rendering->text_bytes);
	else
		print_number(rendering, field,
			     rendering->fields[field - rendering->info->fields]);
	return name + length + 1;
}

void event_render(FILE *out, const struct event_info *info, const struct kernel *kernel,
		  const uint64_t *fields, const char *text, size_t text_bytes)
{
	struct rendering rendering = { out, info, kernel, fields, text, text_bytes };

	for (const char *at = info->format; *at;) {
		/* Without text the part up to the closing bracket is skipped. */
		if (*at == '[' && !text_bytes)
			at += strcspn(at, "]");
		else if (*at == '{')
			at = print_field(&rendering, at + 1);
		else if (*at == '[' || *at == ']')
			at++;
		else
			putc(*at++, out);
	}
}

void event_print(FILE *out, const struct kernel *kernel, const struct wm_event *event)
{
	const struct event_info *info = event_info(event->kind);
	char name[KERNEL_NAME];

	switch (event->kind) {
	case WM_EVENT_SYSCALL:
		/* Without the result: a call and its return are two events. */
		kernel_print_call(out, kernel, event->fields[0], event->fields + 1,
				  event->text_bytes ? event->text : NULL,
				  event->text_bytes);
		putc(')', out);
		break;
	case WM_EVENT_SYSCALL_RET:
		fprintf(out, "%s = ", kernel_call_name(kernel, event->fields[0], name));
		kernel_print_value(out, kernel, event->fields[0], event->fields[1]);
		break;
	default:
		if (info)
			event_render(out, info, kernel, event->fields, event->text,
				     event->text_bytes);
		/* A kind that a newer Waymark recorded. */
		else
			fprintf(out, "event %" PRIu32, event->kind);
	}
}
