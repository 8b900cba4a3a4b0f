// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * waymark browse: walks through a trace in a terminal, as a debugger would through a
 * program, but both ways. It starts at once on a trace of any size, because it reads only
 * what is shown and what a step passes.
 *
 * The layers: browse/ moves, cli/browse/browser.c says what a key does, panes.c draws,
 * and this file connects them with a keyboard. --keys presses keys without a terminal and
 * prints the position after each of them: for scripts, and for tests, which compare it
 * with a list of all instructions.
 *
 * Example: --keys "gmain;n" goes to main, then steps to the next line; it prints three
 * positions, that of the start included.
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/ask.h"
#include "cli/browse/panes.h"
#include "cli/command.h"
#include "cli/fail.h"
#include "cli/habits.h"
#include "cli/screen.h"

static const char doc[] =
	"Walk through FILE (waymark.wmk) in the terminal, forwards and backwards: source, "
	"instructions and the stack, line by line, call by call, or to the next execution of "
	"a place."
	"\vh lists the keys.";

enum {
	OPTION_KEYS = 512,
	KEY_ESCAPE = 27,
	KEY_BACKSPACE = 127,
	WAIT_MS = 60000,
	TAB_COLUMNS = 4, /* panes are narrow */
};

static const struct argp_option options[] = {
	{ "keys", OPTION_KEYS, "KEYS", 0,
	  "Press these keys, and print the position after each; a line ends with ;", 0 },
	{ 0 },
};

struct arguments {
	const char *keys;
};

static error_t parse(struct ask *ask, int key, char *arg, struct argp_state *state)
{
	struct arguments *args = ask->cookie;

	(void)state;
	if (key != OPTION_KEYS)
		return ARGP_ERR_UNKNOWN;
	args->keys = arg;
	return 0;
}

/* ---- without a terminal ---------------------------------------------------- */

/*
 * Takes what a key wants from the keys after it: a line up to ";", or one letter. Returns
 * what is left; a missing ";" at the end is no error.
 */
static const char *take_text(const char *keys, enum browser_wants wants,
			     char text[BROWSER_TEXT])
{
	size_t length = wants == WANTS_LINE ? strcspn(keys, ";") : wants == WANTS_LETTER;

	snprintf(text, BROWSER_TEXT, "%.*s", (int)length, keys);
	keys += length < strlen(keys) ? length : strlen(keys);
	return wants == WANTS_LINE && *keys ? keys + 1 : keys;
}

/* Spaces are skipped, so that a list of keys can be grouped for its reader. */
static int press(struct browser *browser, const char *keys, struct wm_error *err)
{
	char text[BROWSER_TEXT], position[2 * BROWSER_TEXT];
	int ret = 0;

	puts(browser_position(browser, position));
	while (!ret && *keys && !browser->quit) {
		int key = *keys++;

		if (key == ' ')
			continue;
		keys = take_text(keys, browser_wants(key), text);
		ret = browser_key(browser, key, text, err);
		if (!ret && *browser->message)
			puts(browser->message);
		else if (!ret)
			puts(browser_position(browser, position));
	}
	return ret;
}

/* ---- in a terminal --------------------------------------------------------- */

/*
 * The walk's go_on(): a waiting key interrupts the step. The key itself is not read here,
 * so it is the next one that is obeyed. A Ctrl-C is no key but a signal.
 */
static bool no_key(void *cookie)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };

	(void)cookie;
	return !screen_signalled() && poll(&input, 1, 0) == 0;
}

/* Where the last character of the line begins: in UTF-8 it may have several bytes. */
static size_t last_character(const char *text, size_t n)
{
	do
		n--;
	while (n && ((unsigned char)text[n] & 0xc0) == 0x80);
	return n;
}

/*
 * Reads a line in the last row; false: the user gave it up, or it is empty. A key beyond
 * ASCII comes as its bytes in UTF-8, one by one.
 */
static bool read_line(struct sources *sources, struct browser *browser, int first,
		      char text[BROWSER_TEXT], struct wm_error *err)
{
	char prompt[BROWSER_TEXT + 8];
	size_t n = 0;
	int key = 0;

	for (;;) {
		text[n] = '\0';
		snprintf(prompt, sizeof(prompt), "%c %s_", first, text);
		if (panes_draw(sources, browser, prompt, err))
			return false;
		key = screen_key(WAIT_MS);
		if (key == '\r' || key == '\n')
			return n > 0;
		if (key == KEY_ESCAPE || key == SCREEN_SIGNAL)
			return false;
		if ((key == KEY_BACKSPACE || key == '\b') && n)
			n = last_character(text, n);
		else if (key >= ' ' && key <= 0xff && key != KEY_BACKSPACE &&
			 n + 1 < BROWSER_TEXT)
			text[n++] = (char)key;
	}
}

/*
 * Translates keys without a character to the one that does the same, so browser.c handles
 * characters only.
 */
static int plain_key(int key)
{
	switch (key) {
	case SCREEN_DOWN:
		return 'i';
	case SCREEN_UP:
		return 'I';
	case SCREEN_HOME:
		return '^';
	case SCREEN_END:
		return '$';
	default:
		return key;
	}
}

/*
 * screen_key() may time out; its code has a low byte of 0, so the letter is then "",
 * which no mark has.
 */
static int obey(struct sources *sources, struct browser *browser, int key,
		struct wm_error *err)
{
	enum browser_wants wants = browser_wants(key);
	char text[BROWSER_TEXT] = "";

	if (wants == WANTS_LETTER) {
		int ret = panes_draw(sources, browser,
				     key == 'm' ? "set a mark: a to z" :
						  "go to the mark: a to z",
				     err);

		if (ret)
			return ret;
		text[0] = (char)screen_key(WAIT_MS);
	}
	text[1] = '\0';
	if (wants == WANTS_LINE && !read_line(sources, browser, key, text, err))
		return 0;
	return browser_key(browser, key, text, err);
}

/*
 * An error ends the loop after the terminal was read once more; it is printed when the
 * terminal is back in its normal state.
 */
static int watch_keys(struct browser *browser, struct wm_error *err)
{
	struct sources sources = { .tab = TAB_COLUMNS };
	int key, ret = 0;

	browser->walk.go_on = no_key;
	while (!ret && !browser->quit) {
		ret = panes_draw(&sources, browser, NULL, err);
		key = plain_key(screen_key(WAIT_MS));
		if (key == SCREEN_SIGNAL)
			break;
		if (!ret && key != SCREEN_NOTHING)
			ret = obey(&sources, browser, key, err);
	}
	sources_fini(&sources);
	return ret;
}

/*
 * screen_obey() comes last: after a signal that requests the end, the process dies by it,
 * and the terminal must be restored before that.
 */
static int show(struct browser *browser, struct wm_error *err)
{
	int ret = screen_open(err);

	if (ret)
		return ret;
	ret = watch_keys(browser, err);
	screen_close();
	screen_obey();
	return ret;
}

/* ---- the command ----------------------------------------------------------- */

static int answer(struct ask *ask, struct wm_error *err)
{
	const struct arguments *args = ask->cookie;
	const struct scope *scope = &ask->query.scope;
	struct browser browser;
	int ret;

	/* Keys come from stdin, so both must be a terminal. */
	if (!args->keys && (!isatty(STDOUT_FILENO) || !isatty(STDIN_FILENO)))
		return wm_fail(err, WM_E_IO, 0, "this is no terminal; use --keys");
	if (!args->keys && terminal_is_dumb())
		return wm_fail(
			err, WM_E_IO, 0,
			"this terminal is dumb (TERM): its cursor cannot be moved; use "
			"--keys");
	if (scope->modes || scope->has_hart || scope->syscall)
		return wm_fail(
			err, WM_E_RANGE, 0,
			"browse walks whole threads: --mode, --hart and --syscall do "
			"not apply");
	ret = browser_init(&browser, &ask->query, err);
	if (!ret)
		ret = args->keys ? press(&browser, args->keys, err) : show(&browser, err);
	browser_fini(&browser);
	return ret;
}

int cmd_browse(int argc, char **argv)
{
	static const struct ask_command browse = {
		.doc = doc,
		.args = "[FILE]",
		.options = options,
		.parse = parse,
	};
	struct arguments args = { .keys = NULL };
	struct ask ask;
	int status;

	ask_parse(&ask, &browse, &args, argc, argv);
	status = ask_run(&ask, answer);
	ask_fini(&ask);
	return status;
}
