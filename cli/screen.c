// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The terminal, by curses. stdout is not an ordinary FILE in this program (cli/stdout.c),
 * so curses gets a FILE of its own. Its handlers for SIGWINCH and SIGTSTP stay. Signals
 * that end the process get a handler of ours, which only notes the signal: the terminal
 * is restored first, and then the process raises the same signal again (screen_obey()).
 */
#include "cli/screen.h"

#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"

/*
 * The number of the signal that was caught last; 0: none. A handler may write only such a
 * variable.
 */
static volatile sig_atomic_t caught;
static SCREEN *terminal;
static FILE *out;

static void catch_signal(int signal)
{
	caught = signal;
}

static const int ending[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = catch_signal };

	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		sigaction(ending[i], &action, NULL);
}

/* Those that end the wait for a key. */
static void signals_of_wait(sigset_t *signals)
{
	sigemptyset(signals);
	sigaddset(signals, SIGWINCH);
	for (size_t i = 0; i < sizeof(ending) / sizeof(*ending); i++)
		sigaddset(signals, ending[i]);
}

/* curses does not say why. A size in the environment that is beyond all memory is one reason. */
static int fail_to_open(struct wm_error *err)
{
	const char *name = getenv("TERM");
	bool sized = getenv("LINES") || getenv("COLUMNS");

	return wm_fail(err, WM_E_IO, 0, "nothing is known of the terminal \"%s\"%s",
		       name ? name : "",
		       sized ? ", or LINES and COLUMNS are not its size" : "");
}

int screen_open(struct wm_error *err)
{
	/* For the characters of bars and of names. */
	setlocale(LC_CTYPE, "");
	/* newterm() takes a FILE, and closing it must not close stdout. */
	out = fdopen(dup(STDOUT_FILENO), "w");
	if (!out)
		return wm_fail_errno(err, "cannot use the terminal");
	terminal = newterm(NULL, out, stdin);
	if (!terminal) {
		fclose(out);
		return fail_to_open(err);
	}
	catch_signals();
	/* exit() from anywhere restores the terminal. */
	atexit(screen_close);
	/* Keys come one by one, are not echoed, and Return is not translated. */
	cbreak();
	noecho();
	nonl();
	curs_set(0);
	keypad(stdscr, TRUE);
	return 0;
}

/* Called twice when the process ends in order: the second call does nothing. */
void screen_close(void)
{
	if (!terminal)
		return;
	endwin();
	delscreen(terminal);
	terminal = NULL;
	fclose(out);
}

bool screen_utf8(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* curses follows SIGWINCH, so this is the current size. */
void screen_size(unsigned *rows, unsigned *columns)
{
	int height, width;

	getmaxyx(stdscr, height, width);
	*rows = (unsigned)height;
	*columns = (unsigned)width;
}

void screen_begin(void)
{
	erase();
}

void screen_put(unsigned row, unsigned column, enum screen_style style, const char *text)
{
	static const attr_t attributes[] = {
		[STYLE_PLAIN] = A_NORMAL,     [STYLE_TITLE] = A_REVERSE | A_BOLD,
		[STYLE_HEADER] = A_UNDERLINE, [STYLE_HOT] = A_BOLD,
		[STYLE_DIM] = A_DIM,	      [STYLE_BAR] = A_REVERSE,
	};

	attrset((int)attributes[style]);
	mvaddstr((int)row, (int)column, text);
	attrset(A_NORMAL);
}

/* curses sends only what differs from what it showed last. */
void screen_end(void)
{
	refresh();
}

/*
 * A signal that comes between a look at `caught` and the wait for a key must end that wait: all
 * that end one are blocked, and come in ppoll() only, which takes the old mask with the wait.
 * SIGWINCH is one of them: getch() returns KEY_RESIZE after it.
 */
static int read_key(unsigned milliseconds, const sigset_t *unblocked)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	struct timespec wait = clock_timespec(milliseconds * UINT64_C(1000000));
	int key;

	/* ERR when there is no key yet: curses may have read some bytes before. */
	timeout(0);
	key = getch();
	if (key != ERR)
		return key;
	ppoll(&input, 1, &wait, unblocked);
	return caught ? ERR : getch();
}

int screen_key(unsigned milliseconds)
{
	static const int keys[][2] = {
		{ KEY_UP, SCREEN_UP },	   { KEY_DOWN, SCREEN_DOWN },
		{ KEY_HOME, SCREEN_HOME }, { KEY_PPAGE, SCREEN_PAGE_UP },
		{ KEY_END, SCREEN_END },   { KEY_NPAGE, SCREEN_PAGE_DOWN },
		{ KEY_BACKSPACE, '\b' },
	};
	sigset_t blocked, unblocked;
	int key;

	signals_of_wait(&blocked);
	sigprocmask(SIG_BLOCK, &blocked, &unblocked);
	key = caught ? ERR : read_key(milliseconds, &unblocked);
	sigprocmask(SIG_SETMASK, &unblocked, NULL);
	if (caught)
		return SCREEN_SIGNAL;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (key == keys[i][0])
			return keys[i][1];
	/*
	 * Keys of curses that are not in the list, and the end of the wait, mean nothing.
	 */
	return key == ERR || key > 0xff ? SCREEN_NOTHING : key;
}

bool screen_signalled(void)
{
	return caught;
}

/* Ends by the signal itself, so the shell sees the right status. */
void screen_obey(void)
{
	if (!caught)
		return;
	/* The default action ends the process, with the signal as its status. */
	signal(caught, SIG_DFL);
	raise(caught);
}
