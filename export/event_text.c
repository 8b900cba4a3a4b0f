// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events for people, as strace(1) prints them. A call and what it returned are on one line,
 * unless something else came between:
 *
 *	thread 0	read(0, 0x4000800b40, 4 <unfinished ...>
 *	thread 1	write(1, "x", 1) = 1
 *	thread 0	<... read resumed>) = 4
 *
 * In listings of instructions and blocks the same words are comments between the lines.
 */
#include "export/event_format.h"

#include <inttypes.h>

enum { NS = 1000000000, LISTING_WIDTH = 12 /* of an ordinal, and blanks */ };

/* A call that does not return is whole; others are, when their return is elsewhere. */
static void print_call(FILE *out, const struct event *event)
{
	const struct call *call = kernel_call(event->kernel, event->raw->fields[0]);

	event_print_call(out, event);
	if (event->part != EVENT_WHOLE)
		return;
	/* exit() and its like never return, so their line is complete. */
	if (call && call->returns == 'N')
		fputs(") = ?\n", out);
	else
		fputs(" <unfinished ...>\n", out);
}

/* The end of its call's line; a line of its own when the call is elsewhere. */
static void print_return(FILE *out, const struct event *event)
{
	char text[KERNEL_NAME];

	if (event->part == EVENT_WHOLE)
		fprintf(out, "<... %s resumed>",
			kernel_call_name(event->kernel, event->raw->fields[0], text));
	fputs(") = ", out);
	event_print_value(out, event);
	putc('\n', out);
}

static void print_words(FILE *out, const struct event *event)
{
	switch (event->raw->kind) {
	case WM_EVENT_SYSCALL:
		print_call(out, event);
		break;
	case WM_EVENT_SYSCALL_RET:
		print_return(out, event);
		break;
	case WM_EVENT_SIGNAL:
		fputs("--- ", out);
		event_print_signal(out, event);
		fputs(" ---\n", out);
		break;
	case WM_EVENT_MARKER:
		event_print_marker(out, event);
		putc('\n', out);
		break;
	case WM_EVENT_WINDOW:
		event_print_window(out, event);
		putc('\n', out);
		break;
	default:
		event_print_other(out, event);
		putc('\n', out);
	}
}

/* Whether a line begins here; if not, the rest of one that was begun is printed. */
static bool begins(FILE *out, const struct event *event)
{
	if (event->part == EVENT_BROKEN)
		fputs(" <unfinished ...>\n", out);
	else if (event->part == EVENT_CLOSED)
		print_return(out, event);
	else
		return true;
	return false;
}

/* Its thread and ordinal; of what has none, the process, if it is of one. */
static void print_place(FILE *out, const struct event *event)
{
	/* "-" when neither the thread nor the process is known. */
	char process[16] = "-";

	if (event->thread != EVENT_NO_THREAD) {
		fprintf(out, "%6u %12" PRIu64, event->thread, event->raw->insn_ordinal);
		return;
	}
	if (event->process != UINT32_MAX)
		snprintf(process, sizeof(process), "p%" PRIu32, event->process);
	fprintf(out, "%6s %12s", process, "-");
}

static void print_text(FILE *out, const struct event *event)
{
	if (!begins(out, event))
		return;
	print_place(out, event);
	fprintf(out, " %6" PRIu64 ".%06" PRIu64 "  ", event->ns / NS,
		event->ns % NS / 1000);
	print_words(out, event);
}

/* A "#" in the first column marks a comment; blanks fill the column of ordinals. */
static void print_comment(FILE *out, const struct event *event)
{
	if (!begins(out, event))
		return;
	/* The thread's column exists only where threads are mixed. */
	if (event->mixed)
		fprintf(out, "#%3u%*s", event->thread, LISTING_WIDTH + 1, "");
	else
		fprintf(out, "#%*s", LISTING_WIDTH - 1, "");
	print_words(out, event);
}

const struct event_format event_text = {
	.format = { "text", FORMAT_EVENTS, "txt", "for people" },
	.header = "thread         insn       seconds  event\n",
	.joins = true,
	.print = print_text,
};

/* Between the lines of the format "text" of other kinds, which is why it has no name. */
const struct event_format event_comment = {
	.joins = true,
	.print = print_comment,
};
