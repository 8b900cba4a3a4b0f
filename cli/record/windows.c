// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Windows and limits of a recording. WHERE is parsed with the options, and syntax errors
 * end the command there; names of system calls and markers need the guest's ISA, so they
 * are resolved in record_windows_apply(). Functions and lines become landmarks, which the
 * collector finds in the files.
 *
 * Example: --start func:main --stop syscall:exit_group is one window, equal to --window
 * func:main..syscall:exit_group. It becomes a landmark (ORDER_FROM, window 0) for main,
 * and a point { POINT_SYSCALL, 94 } on riscv64. --start and --stop always make the first
 * window.
 */
#include "cli/record/windows.h"

#include <string.h>

#include "base/append.h"
#include "base/error.h"
#include "cli/record/words.h"
#include "cli/values.h"
#include "isa/marker.h"
#include "out/number.h"

/* No key is a letter: these options have no short form. */
enum {
	OPTION_START = 256 + 40,
	OPTION_STOP,
	OPTION_WINDOW,
	OPTION_MAX_INSNS,
	OPTION_MAX_SIZE,
	OPTION_MAX_TIME,
	OPTION_THEN,
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "From where to where (WHERE: see the manual):", 2 },
	{ "start", OPTION_START, "WHERE", 0, "Record from there on", 0 },
	{ "stop", OPTION_STOP, "WHERE", 0, "Record up to there", 0 },
	{ "window", OPTION_WINDOW, "A..B", 0,
	  "Record from A up to B; can be given many times", 0 },
	{ "max-insns", OPTION_MAX_INSNS, "N", 0,
	  "Record N instructions of each thread at most", 0 },
	{ "max-size", OPTION_MAX_SIZE, "SIZE", 0, "Stop when the file has SIZE bytes",
	  0 },
	{ "max-time", OPTION_MAX_TIME, "S", 0, "Record for S seconds", 0 },
	{ "then", OPTION_THEN, "stop|exit", 0,
	  "When all is recorded, let the program run on, or end it (stop)", 0 },
	{ 0 },
};

/* The index is that of then_exit: 1 ends the program. */
static const char *const thens[] = { "stop", "exit", NULL };

/* ---- parsing ------------------------------------------------------------- */

/*
 * Each of --start and --stop makes one end of the first window, so it is given once. Only
 * --window can be given many times.
 */
static void parse_edge(struct position *position, const char **text, const char *option,
		       const char *arg, struct argp_state *state)
{
	struct wm_error err;

	if (*text)
		argp_error(state, "%s is given twice; --window A..B can be", option);
	else if (position_parse(position, arg, &err))
		argp_error(state, "%s", err.text);
	*text = arg;
}

/* One place is reserved for the window of --start and --stop. */
static void parse_window(struct record_windows *windows, const char *arg,
			 struct argp_state *state)
{
	struct wm_error err;

	if (windows->n == WINDOWS_MAX - 1)
		argp_error(state, "there can be %d windows at most", WINDOWS_MAX - 1);
	/* The window takes its place only when both ends are right. */
	else if (position_parse_window(&windows->all[windows->n].from,
				       &windows->all[windows->n].to, arg, &err))
		argp_error(state, "%s", err.text);
	else
		windows->all[windows->n++].text = arg;
}

/* The words are stored in the trace, where `info` shows them. */
static void parse_limit(struct record_windows *windows, int key, const char *arg,
			struct argp_state *state)
{
	if (key == OPTION_MAX_INSNS) {
		windows->max_insns =
			amount_or_end(arg, "--max-insns", 1, UINT64_MAX, state);
		words_add(&windows->limit_words, "--max-insns", arg);
	} else if (key == OPTION_MAX_SIZE) {
		/* 0 would end the recording before it begins. */
		if (!number_parse_bytes(arg, &windows->max_bytes) || !windows->max_bytes)
			argp_error(state,
				   "--max-size takes a size such as 500k, not \"%s\"",
				   arg);
		words_add(&windows->limit_words, "--max-size", arg);
	} else {
		if (!position_seconds(arg, &windows->max_ns) || !windows->max_ns)
			argp_error(state,
				   "--max-time takes seconds such as 2 or 0.25, not "
				   "\"%s\"",
				   arg);
		words_add(&windows->limit_words, "--max-time", arg);
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct record_windows *windows = state->input;

	switch (key) {
	case OPTION_START:
		parse_edge(&windows->start, &windows->start_text, "--start", arg, state);
		words_add(&windows->window_words, "--start", arg);
		return 0;
	case OPTION_STOP:
		parse_edge(&windows->stop, &windows->stop_text, "--stop", arg, state);
		words_add(&windows->window_words, "--stop", arg);
		return 0;
	case OPTION_WINDOW:
		parse_window(windows, arg, state);
		words_add(&windows->window_words, "--window", arg);
		return 0;
	case OPTION_MAX_INSNS:
	case OPTION_MAX_SIZE:
	case OPTION_MAX_TIME:
		parse_limit(windows, key, arg, state);
		return 0;
	case OPTION_THEN:
		windows->then_exit = choice_or_end(arg, "then", thens, state) == 1;
		words_add(&windows->limit_words, "--then", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp record_windows_argp = { options, parse, NULL, NULL, NULL, NULL, NULL };

/* ---- what they mean ------------------------------------------------------ */

/*
 * Adds a landmark. An address is a range of one byte: 0x10400 becomes [0x10400, 0x10401).
 * Strings are shared with `position`.
 */
int record_add_place(struct steering *steering, const struct position *position,
		     enum order_sense sense, uint32_t number, const char *text,
		     struct wm_error *err)
{
	struct landmark landmark = {
		.kind = position->kind == POSITION_SYMBOL ? LANDMARK_SYMBOL :
			position->kind == POSITION_LINE	  ? LANDMARK_LINE :
							    LANDMARK_ADDRESS,
		.module = position->module,
		.name = position->name,
		.value = position->value,
		.end = position->value + 1,
		.sense = sense,
		.window = number,
		.text = text,
	};

	return APPEND(steering->landmarks, steering->n_landmarks, landmark) ?
		       0 :
		       wm_fail_nomem(err, "places in the code");
}

/* Adds one end of the window that is being added. */
static int add_point(struct steering *steering, const struct position *position,
		     enum order_sense sense, const char *isa, const char *text,
		     struct wm_error *err)
{
	/*
	 * Symbols, lines and addresses are places: the collector finds them, point.value
	 * is unused.
	 */
	static const enum point_kind kinds[] = {
		[POSITION_NONE] = POINT_NONE,	  [POSITION_SYMBOL] = POINT_PLACE,
		[POSITION_LINE] = POINT_PLACE,	  [POSITION_ADDRESS] = POINT_PLACE,
		[POSITION_INSN] = POINT_INSN,	  [POSITION_TIME] = POINT_TIME,
		[POSITION_MARKER] = POINT_MARKER, [POSITION_SYSCALL] = POINT_SYSCALL,
	};
	struct order_window *bounds = &steering->windows[steering->n_windows].bounds;
	struct order_point *point = sense == ORDER_FROM ? &bounds->from : &bounds->to;

	*point = (struct order_point){ .kind = kinds[position->kind],
				       .times = position->times,
				       .value = position->value };
	if (point->kind == POINT_PLACE)
		return record_add_place(steering, position, sense, steering->n_windows,
					text, err);
	if (point->kind == POINT_SYSCALL)
		return position_call(&point->value, position, isa, err);
	/* Otherwise the recording would wait for an instruction that does not exist. */
	if (point->kind == POINT_MARKER && marker_isa(isa) == MARKER_NONE)
		return wm_fail(err, WM_E_RANGE, 0, "there are no markers on %s", isa);
	return 0;
}

/* All threads have one clock. What a thread counts may be less in another one that ends. */
static bool ends_before(const struct order_window *bounds)
{
	return bounds->from.kind == POINT_TIME && bounds->to.kind == POINT_TIME &&
	       bounds->to.value <= bounds->from.value;
}

/* n_windows grows even when a point fails: the caller stops then. */
static int add_window(struct steering *steering, const struct position *from,
		      const struct position *to, const char *isa, const char *text,
		      struct wm_error *err)
{
	int ret = add_point(steering, from, ORDER_FROM, isa, text, err);

	if (!ret)
		ret = add_point(steering, to, ORDER_TO, isa, text, err);
	if (!ret && ends_before(&steering->windows[steering->n_windows].bounds))
		ret = wm_fail(err, WM_E_RANGE, 0, "the window %s ends before it begins",
			      text);
	steering->windows[steering->n_windows++].text = text;
	return ret;
}

/*
 * Whether anything can end the recording while the program runs; --then exit needs that.
 * Example: --start func:main alone records up to the end of the program, so there is
 * nothing for --then exit to do.
 */
static bool can_end(const struct record_windows *windows)
{
	bool ends = windows->stop_text || windows->max_insns || windows->max_bytes ||
		    windows->max_ns;

	for (uint32_t i = 0; i < windows->n; i++)
		ends |= windows->all[i].to.kind != POSITION_NONE;
	return ends;
}

/*
 * Makes one window of both options. Its text for messages is what --window would have
 * been given; an option that is missing leaves its side empty.
 */
static int add_start_and_stop(struct record_windows *windows, const char *isa,
			      struct steering *steering, struct wm_error *err)
{
	if (asprintf(&windows->both, "%s..%s",
		     windows->start_text ? windows->start_text : "",
		     windows->stop_text ? windows->stop_text : "") < 0) {
		windows->both = NULL;
		return wm_fail_nomem(err, "windows");
	}
	return add_window(steering, &windows->start, &windows->stop, isa, windows->both,
			  err);
}

/* Texts belong to `windows` and argv, which outlive the recording. */
int record_windows_apply(struct record_windows *windows, const char *isa,
			 struct steering *steering, struct wm_error *err)
{
	int ret = 0;

	steering->max_insns = windows->max_insns;
	steering->max_bytes = windows->max_bytes;
	steering->max_ns = windows->max_ns;
	steering->then_exit = windows->then_exit;
	if (windows->then_exit && !can_end(windows))
		return wm_fail(err, WM_E_RANGE, 0,
			       "--then exit needs something that ends the recording, "
			       "such as --stop or --max-insns");
	if (windows->start_text || windows->stop_text)
		ret = add_start_and_stop(windows, isa, steering, err);
	for (uint32_t i = 0; i < windows->n && !ret; i++)
		ret = add_window(steering, &windows->all[i].from, &windows->all[i].to,
				 isa, windows->all[i].text, err);
	/* The trace stores the options as they were typed. */
	steering->window_words = words_text(&windows->window_words);
	steering->limit_words = words_text(&windows->limit_words);
	return ret;
}

/* The texts of words are freed with their buffers. */
void record_windows_fini(struct record_windows *windows)
{
	for (uint32_t i = 0; i < windows->n; i++) {
		position_fini(&windows->all[i].from);
		position_fini(&windows->all[i].to);
	}
	position_fini(&windows->start);
	position_fini(&windows->stop);
	free(windows->both);
	buf_fini(&windows->window_words);
	buf_fini(&windows->limit_words);
}
