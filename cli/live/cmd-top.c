// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark top: shows a running recording, refreshed every --delay seconds. Each request
 * returns the status and a sample of what ran since the request before
 * (cli/live/pulse.c); the sample becomes a list of functions (cli/live/hotlist.c), and
 * both become lines (cli/live/frame.c). No request is made while the display is paused.
 *
 * A request can fail because the recorder is stopped for a moment, or because the
 * recording has ended. has_ended() decides: a living recorder still has its socket.
 */
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/habits.h"
#include "cli/live/frame.h"
#include "cli/screen.h"
#include "out/number.h"
#include "trace/settle.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

/* Refreshing more often would cost the recorder more than it shows. */
#define DELAY_LEAST 0.1 /* seconds */
#define DELAY_MOST 3600
#define BATCH_ROWS 40
#define SETTLE_SECONDS 10 /* to wait until the file of an ended recording is complete */

static const char doc[] =
	"Show a recording while it runs: instructions and blocks per second, its "
	"threads, the functions that are hot now, and how its file grows."
	"\vIt is named as for `waymark ctl`. The key ? lists the keys.";

enum { OPTION_BATCH = 'b', OPTION_COUNT = 'n', OPTION_DELAY = 'd', OPTION_ROWS = 'r' };

static const struct argp_option options[] = {
	{ "batch", OPTION_BATCH, NULL, 0, "Print frames one after the other, as text",
	  0 },
	{ "count", OPTION_COUNT, "N", 0, "End after N frames", 0 },
	{ "delay", OPTION_DELAY, "SECONDS", 0, "Refresh after SECONDS (1)", 0 },
	{ "rows", OPTION_ROWS, "N", 0, "With --batch: lines of a frame at most (40)", 0 },
	{ 0 },
};

struct arguments {
	const char *target;
	bool batch;
	uint64_t count; /* frames; 0: no limit */
	uint64_t rows;
	double delay;
};

/* The condition is written so that NaN fails it. */
static void parse_delay(struct arguments *args, const char *arg, struct argp_state *state)
{
	char *end;

	args->delay = strtod(arg, &end);
	if (end == arg || *end || !(args->delay >= DELAY_LEAST) ||
	    args->delay > DELAY_MOST)
		argp_error(state, "--delay takes seconds from %g to %d, not \"%s\"",
			   DELAY_LEAST, DELAY_MOST, arg);
}

/* 0 would mean that there is no limit, which is the default. */
static void parse_number(uint64_t *value, const char *what, const char *arg,
			 struct argp_state *state)
{
	if (!number_parse(arg, value) || !*value)
		argp_error(state, "--%s takes a number above 0, not \"%s\"", what, arg);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case OPTION_BATCH:
		args->batch = true;
		return 0;
	case OPTION_COUNT:
		parse_number(&args->count, "count", arg, state);
		return 0;
	case OPTION_ROWS:
		parse_number(&args->rows, "rows", arg, state);
		return 0;
	case OPTION_DELAY:
		parse_delay(args, arg, state);
		return 0;
	case ARGP_KEY_ARG:
		if (args->target)
			argp_error(state, "one recording at a time, not also \"%s\"",
				   arg);
		args->target = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- what is shown ------------------------------------------------------- */

struct top {
	const struct arguments *args;
	struct recorder *recorder;
	struct pulse pulse;
	struct hotlist hot;
	struct frame_view view;
	/* The list that a second ? returns to. */
	enum frame_list before_help;
	uint64_t frames;
	uint64_t next_ns; /* time of the next refresh */
	char message[FRAME_LINE_BYTES];
	bool quit;
};

static struct frame frame; /* too large for a stack */

/*
 * Updates the status, the sample and the list of functions. The next refresh is counted
 * from the end of this one, so a slow answer does not make requests pile up. WM_E_IO when
 * the recording has ended.
 */
static int look(struct top *top, struct wm_error *err)
{
	int ret = pulse_update(&top->pulse, err);

	if (!ret)
		ret = hotlist_update(&top->hot, &top->pulse.sample, err);
	top->next_ns = clock_ns() + (uint64_t)(top->args->delay * 1e9);
	top->frames += !ret;
	return ret;
}

/*
 * Whether the recorder is gone, or ends at this moment: it refuses, or closes the connection.
 * For one that is only stopped, the request times out.
 */
static bool has_ended(const struct top *top)
{
	struct buf answer = BUF_INIT;
	struct span rest;
	struct wm_error err;
	/* One second: the user is waiting for the next frame. */
	int ret =
		recorder_ask(top->recorder, REQUEST_STATUS, "", 1, &answer, &rest, &err);

	buf_fini(&answer);
	return ret == WM_E_RANGE || (ret == WM_E_IO && !client_waited(&err));
}

/*
 * One sentence about the finished recording. The file may still be being completed, so it
 * is awaited; without it the sentence is shorter.
 */
static int tell_end(const char *file)
{
	char insns[NUMBER_TEXT], bytes[NUMBER_TEXT];
	const char *slash = strrchr(file, '/');
	struct wm_summary summary;
	struct wm_trace *trace;
	struct wm_error err;

	if (trace_settle(file, SETTLE_SECONDS, &err) ||
	    wm_trace_open(&trace, file, &err)) {
		puts("the recording has ended");
		return EXIT_OK;
	}
	wm_trace_summary(trace, &summary);
	printf("%s: the recording has ended: %s instructions in %s\n",
	       slash ? slash + 1 : file, number_grouped(insns, summary.insns),
	       number_bytes(bytes, summary.bytes));
	wm_trace_close(trace);
	return EXIT_OK;
}

/* ---- as text ------------------------------------------------------------- */

/* Frames are padded to the width of a terminal; text needs no blanks at the end. */
static void print_frame(const struct frame *made)
{
	for (unsigned i = 0; i < made->n; i++) {
		const char *text = made->lines[i].text;
		size_t length = strlen(text);

		while (length && text[length - 1] == ' ')
			length--;
		printf("%.*s\n", (int)length, text);
	}
	fflush(stdout);
}

/* Absolute time, so that printing a frame does not lengthen the interval. */
static void sleep_until(uint64_t until_ns)
{
	struct timespec until = clock_timespec(until_ns);

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

/*
 * 100 columns are enough for a log and do not depend on a terminal. The first frame is
 * shown at once. The end of the recording is no failure of this command.
 */
static int run_batch(struct top *top)
{
	struct wm_error err;
	int ret = 0;

	top->view.columns = FRAME_COLUMNS_MAX / 4;
	top->view.rows = top->args->rows < FRAME_ROWS_MAX ? (unsigned)top->args->rows :
							    FRAME_ROWS_MAX;
	while (!top->args->count || top->frames < top->args->count) {
		if (top->frames)
			sleep_until(top->next_ns);
		ret = look(top, &err);
		if (ret)
			break;
		if (top->frames > 1)
			putchar('\n');
		frame_make(&frame, &top->view, &top->pulse, &top->hot);
		print_frame(&frame);
	}
	if (ret && has_ended(top))
		return tell_end(top->recorder->status.file);
	return ret ? fail("%s", err.text) : EXIT_OK;
}

/* ---- full-screen --------------------------------------------------------- */

/* The result is shown in the last line until the next key. */
static void flush(struct top *top)
{
	char insns[NUMBER_TEXT], bytes[NUMBER_TEXT];
	struct buf answer = BUF_INIT;
	struct written written;
	struct span rest;
	struct wm_error err;

	/* A flush writes to the disk, so it may take longer than a status. */
	if (recorder_ask(top->recorder, REQUEST_FLUSH, "", SETTLE_SECONDS, &answer, &rest,
			 &err)) {
		snprintf(top->message, sizeof(top->message), " %s", err.text);
	} else if (written_get(&rest, &written)) {
		snprintf(top->message, sizeof(top->message),
			 " flushed: %s instructions in %s",
			 number_grouped(insns, written.insns),
			 number_bytes(bytes, written.bytes));
		free(written.file);
	}
	buf_fini(&answer);
}

/* frame.most_scroll is that of the frame on the screen. */
static void scroll(struct frame_view *view, int by)
{
	unsigned most = frame.most_scroll;

	/* Unsigned: a step up from line 1 by 3 must not wrap around. */
	if (by < 0 && view->scroll < (unsigned)-by)
		view->scroll = 0;
	else
		view->scroll += (unsigned)by;
	/* The list may be shorter than when it was drawn. */
	if (view->scroll > most)
		view->scroll = most;
}

/*
 * A key shows its list, and pressed again the functions; ? returns to what was shown
 * before.
 */
static void show_list(struct top *top, enum frame_list list)
{
	if (top->view.list == FRAME_HELP && list == FRAME_HELP)
		list = top->before_help;
	else if (top->view.list == list)
		list = FRAME_FUNCTIONS;
	else
		top->before_help = top->view.list;
	top->view.list = list;
	top->view.scroll = 0;
}

/* Other keys do nothing. */
static void obey_letter(struct top *top, int key)
{
	switch (key) {
	case 'q':
		if (top->view.list == FRAME_HELP)
			show_list(top, FRAME_HELP);
		else
			top->quit = true;
		break;
	/* After a pause the display is out of date: it is refreshed at once. */
	case 'p':
		top->view.paused = !top->view.paused;
		top->next_ns = 0;
		break;
	case ' ':
		top->next_ns = 0;
		break;
	case 's':
		top->view.sort = (top->view.sort + 1) % SORTS;
		break;
	case 't':
		show_list(top, FRAME_THREADS);
		break;
	case '?':
	case 'h':
		show_list(top, FRAME_HELP);
		break;
	case 'f':
		flush(top);
		break;
	}
}

/*
 * SCREEN_NOTHING means that the time is over or the size has changed: the message stays.
 */
static void obey_key(struct top *top, int key)
{
	/* Half a screen, so that some lines stay in view. */
	int page = (int)top->view.rows / 2;

	if (key != SCREEN_NOTHING)
		top->message[0] = '\0';
	switch (key) {
	case SCREEN_UP:
		scroll(&top->view, -1);
		break;
	case SCREEN_DOWN:
		scroll(&top->view, 1);
		break;
	case SCREEN_PAGE_UP:
		scroll(&top->view, -page);
		break;
	case SCREEN_PAGE_DOWN:
		scroll(&top->view, page);
		break;
	case SCREEN_HOME:
		top->view.scroll = 0;
		break;
	case SCREEN_END:
		top->view.scroll = frame.most_scroll;
		break;
	case SCREEN_SIGNAL:
		/* The loop ends as for q; screen_obey() raises the signal again. */
		top->quit = true;
		break;
	default:
		obey_letter(top, key);
	}
}

/* The size is asked for each frame, because the terminal may have a new one. */
static void draw(struct top *top)
{
	struct frame_view *view = &top->view;

	screen_size(&view->rows, &view->columns);
	view->columns = view->columns < FRAME_COLUMNS_MAX ? view->columns :
							    FRAME_COLUMNS_MAX;
	view->message = top->message[0] ? top->message : NULL;
	frame_make(&frame, view, &top->pulse, &top->hot);
	screen_begin();
	for (unsigned i = 0; i < frame.n; i++)
		screen_put(i, 0, frame.lines[i].style, frame.lines[i].text);
	screen_end();
}

/*
 * Milliseconds until the next refresh, rounded up, so that the loop does not wake up
 * early; a day while the display is paused.
 */
static unsigned time_left(const struct top *top)
{
	uint64_t now_ns = clock_ns();

	if (top->view.paused)
		return 86400000;
	return top->next_ns > now_ns ? (unsigned)((top->next_ns - now_ns) / 1000000) + 1 :
				       0;
}

/*
 * The full-screen loop: draw, wait for a key or the next refresh, refresh. An error of a
 * recorder that still exists is shown and the loop goes on. WM_E_IO when the recording
 * has ended.
 */
static int watch(struct top *top, struct wm_error *err)
{
	int ret = look(top, err);

	while (!ret && !top->quit) {
		draw(top);
		if (top->args->count && top->frames >= top->args->count)
			break;
		obey_key(top, screen_key(time_left(top)));
		/*
		 * Only the list or its position has changed: the figures are still fresh.
		 */
		if (top->quit || top->view.paused || clock_ns() < top->next_ns)
			continue;
		ret = look(top, err);
		if (ret && !has_ended(top)) {
			snprintf(top->message, sizeof(top->message), " %s", err->text);
			ret = 0;
		}
	}
	return ret;
}

static int run_screen(struct top *top)
{
	struct wm_error err;
	int ret;

	/* Keys come from stdin, so both must be a terminal. */
	if (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO))
		return fail("this is no terminal; use --batch");
	if (terminal_is_dumb())
		return fail(
			"this terminal is dumb (TERM): its cursor cannot be moved; use "
			"--batch");
	if (screen_open(&err))
		return fail("%s", err.text);
	top->view.utf8 = screen_utf8();
	top->view.keys = true;
	ret = watch(top, &err);
	screen_close();
	/* Only when the terminal is restored: the signal may end this process. */
	screen_obey();
	return ret ? tell_end(top->recorder->status.file) : EXIT_OK;
}

int cmd_top(int argc, char **argv)
{
	static const struct argp argp = {
		options, parse, "[PID|FILE]", doc, NULL, NULL, NULL,
	};
	struct arguments args = { .delay = 1, .rows = BATCH_ROWS };
	struct recorder recorder;
	struct top top = { .args = &args, .recorder = &recorder };
	int ret;

	command_parse(&argp, argc, argv, 0, &args);
	if (!recorder_find(&recorder, args.target))
		return EXIT_ERROR;
	pulse_init(&top.pulse, &recorder);
	hotlist_init(&top.hot, recorder.status.file);
	ret = args.batch ? run_batch(&top) : run_screen(&top);
	hotlist_fini(&top.hot);
	pulse_fini(&top.pulse);
	recorder_fini(&recorder);
	return ret;
}
