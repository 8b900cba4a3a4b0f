// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The words for events that several formats share: in text they are the line, in CSV the
 * last field. System calls and signals read as strace(1) prints them:
 *
 *	openat(AT_FDCWD, "a.txt", O_RDONLY) = 3
 *	SIGSEGV {si_code=SEGV_MAPERR, si_addr=0x10} at 0x10424 <main+0x8>
 *
 * A kind of event that a newer Waymark recorded is shown by its number.
 */
#include "events/render.h"
#include "export/event_format.h"
#include "export/place_format.h"

#include "out/number.h"

#include <inttypes.h>

/* Fields of WM_EVENT_SIGNAL: see format/events.def. */
enum { SIGNAL_NUMBER, SIGNAL_CODE, SIGNAL_PC, SIGNAL_ADDRESS, SIGNAL_HANDLER };

void event_print_call(FILE *out, const struct event *event)
{
	const struct wm_event *raw = event->raw;

	kernel_print_call(out, event->kernel, raw->fields[0], raw->fields + 1,
			  raw->text_bytes ? raw->text : NULL, raw->text_bytes);
}

void event_print_value(FILE *out, const struct event *event)
{
	kernel_print_value(out, event->kernel, event->raw->fields[0],
			   event->raw->fields[1]);
}

/* As in listings, but nothing where no function and no file is known. */
static void print_place(FILE *out, const char *symbol, const char *module,
			uint64_t offset)
{
	if (!symbol && !module)
		return;
	fputs(" <", out);
	place_print(out, symbol, module, offset);
	putc('>', out);
}

/* As siginfo_t has it: {si_code=SEGV_MAPERR, si_addr=0x10}; nothing where it is not known. */
static void print_info(FILE *out, const uint64_t *fields)
{
	/* si_code is signed: negative codes come from kill() and its like. */
	int32_t code = (int32_t)fields[SIGNAL_CODE];
	const char *name = kernel_signal_code(fields[SIGNAL_NUMBER], code);

	if (code == WM_SIGNAL_CODE_UNKNOWN)
		return;
	if (name)
		fprintf(out, " {si_code=%s", name);
	else
		fprintf(out, " {si_code=%" PRId32, code);
	/* For other signals the field has no meaning. */
	if (kernel_signal_has_address(fields[SIGNAL_NUMBER], code))
		fprintf(out, ", si_addr=0x%" PRIx64, fields[SIGNAL_ADDRESS]);
	putc('}', out);
}

/* Both places may have a symbol: `at 0x10424 <main+0x8>, handler 0x10500 <on_fault>`. */
void event_print_signal(FILE *out, const struct event *event)
{
	const uint64_t *fields = event->raw->fields;
	char text[KERNEL_NAME];
	const char *name = kernel_signal_name(fields[SIGNAL_NUMBER], text);

	if (name)
		fputs(name, out);
	else
		fprintf(out, "signal %" PRIu64, fields[SIGNAL_NUMBER]);
	print_info(out, fields);
	fprintf(out, " at 0x%" PRIx64, fields[SIGNAL_PC]);
	print_place(out, event->symbol, event->module, event->offset);
	/* 0: the default action follows. */
	if (!fields[SIGNAL_HANDLER])
		return;
	fprintf(out, ", handler 0x%" PRIx64, fields[SIGNAL_HANDLER]);
	print_place(out, event->handler, NULL, event->handler_offset);
}

/* Markers of a newer Waymark are "unknown" and not an error. */
const char *event_marker_name(uint64_t what)
{
	static const char *const names[] = {
		[WM_MARKER_POINT] = "point",
		[WM_MARKER_BEGIN] = "begin",
		[WM_MARKER_END] = "end",
	};

	return what < sizeof(names) / sizeof(*names) ? names[what] : "unknown";
}

const char *event_window_change(uint64_t what)
{
	return what == WM_WINDOW_OPENS ? "opens" : "closes";
}

void event_print_marker(FILE *out, const struct event *event)
{
	const uint64_t *fields = event->raw->fields;

	fprintf(out, "marker %s %" PRIu64, event_marker_name(fields[0]), fields[1]);
}

void event_print_window(FILE *out, const struct event *event)
{
	const uint64_t *fields = event->raw->fields;
	char number[NUMBER_TEXT];

	/* A switch by `waymark ctl` is no numbered window. */
	if (fields[1] == WM_WINDOW_WISH)
		fprintf(out, "recording is switched %s",
			fields[0] == WM_WINDOW_OPENS ? "on" : "off");
	else
		fprintf(out, "window %" PRIu64 " %s", fields[1],
			event_window_change(fields[0]));
	/* 0 means that nothing was passed, or that the recorder did not count. */
	if (fields[2])
		fprintf(out, ", %s instructions not recorded so far",
			number_grouped(number, fields[2]));
}

void event_print_other(FILE *out, const struct event *event)
{
	const struct wm_event *raw = event->raw;

	/* Its fields have no names here. */
	if (!event->info) {
		fprintf(out, "event %" PRIu32 ", of a newer Waymark", raw->kind);
		return;
	}
	fprintf(out, "%s: ", event->info->name);
	event_render(out, event->info, event->kernel, raw->fields, raw->text,
		     raw->text_bytes);
}
