// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * listing TRACE [THREAD [FROM [COUNT]]]: the instructions of a thread from ordinal FROM
 * on, with the function, the source line and the events between them. Ordinals begin at
 * 0, so "listing run.wmk 0 5000 10" prints the 5001st to the 5010th instruction of thread
 * 0.
 *
 * It shows a cursor that is moved to an ordinal: at most one chunk is decoded to get
 * there, however long the trace is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <waymark.h>

static struct wm_trace *trace;
static struct wm_names *names;

static void print_event(const struct wm_event *event)
{
	/* wm_event_text() cuts longer texts. */
	char text[1000];

	wm_event_text(trace, event, text, sizeof(text));
	printf("%12s  %s\n", "", text);
}

static void print_insn(const struct wm_step *step)
{
	struct wm_insn insn;
	struct wm_place place;
	struct wm_frame frame;
	char text[200];
	size_t n;

	/* Of functions inlined into each other only the innermost is printed. */
	if (wm_trace_insn(trace, step->id, step->index, &insn) ||
	    wm_names_place(names, step->space, insn.address, step->id, &place, NULL) ||
	    wm_names_frames(names, step->space, insn.address, step->id, &frame, 1, &n,
			    NULL))
		return;
	wm_trace_disas(trace, step->id, step->index, text, sizeof(text));
	printf("%12llu  %#llx <%s+%llu>  %s", (unsigned long long)step->insn_ordinal,
	       (unsigned long long)insn.address, place.name,
	       (unsigned long long)place.offset, text);
	if (frame.source)
		printf("  ; %s, %s:%u", frame.function, frame.source, frame.line);
	putchar('\n');
}

int main(int argc, char **argv)
{
	unsigned thread = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
	unsigned long long from = argc > 3 ? strtoull(argv[3], NULL, 0) : 0;
	unsigned long long count = argc > 4 ? strtoull(argv[4], NULL, 0) : 100;
	/* With too few arguments no function is called that would replace this text. */
	struct wm_error err = { .text = "usage: listing TRACE [THREAD [FROM [COUNT]]]" };
	struct wm_cursor *cursor;
	struct wm_event event;
	struct wm_step step;
	int ret = 0;

	if (argc < 2 || wm_trace_open(&trace, argv[1], &err) ||
	    wm_names_new(&names, trace, &err) ||
	    wm_cursor_new(&cursor, trace, thread, &err) ||
	    wm_cursor_seek_insn(cursor, from, &err)) {
		fprintf(stderr, "listing: %s\n", err.text);
		return 2;
	}
	/* After the last instruction `ret` is WM_END, which is positive. */
	for (; !ret && count; count--) {
		/* An event lies before the instruction with its ordinal. */
		while (wm_cursor_event_here(cursor, &event) == 0)
			print_event(&event);
		ret = wm_cursor_next_insn(cursor, &step, &err);
		if (!ret)
			print_insn(&step);
	}
	if (ret < 0)
		fprintf(stderr, "listing: %s\n", err.text);
	wm_cursor_free(cursor);
	wm_names_free(names);
	wm_trace_close(trace);
	return ret < 0 ? 2 : 0;
}
