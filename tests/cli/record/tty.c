// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program for a terminal: says what its streams are, repeats lines until there are no
 * more (status 6), or is interrupted; with the argument `catch` that is status 5. With
 * `wait` it reads nothing, and so sees no end of its input, but only signals.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static void on_interrupt(int sig)
{
	(void)sig;
	if (write(STDOUT_FILENO, "caught\n", 7) == 7)
		_exit(5);
	_exit(1);
}

int main(int argc, char **argv)
{
	struct winsize size = { 0 };
	char line[100];

	if (argc > 1 && !strcmp(argv[1], "catch"))
		signal(SIGINT, on_interrupt);
	ioctl(STDIN_FILENO, TIOCGWINSZ, &size);
	printf("terminals %d%d%d, %d rows\n", isatty(0), isatty(1), isatty(2),
	       size.ws_row);
	puts("ready");
	fflush(stdout);
	while (argc > 1 && !strcmp(argv[1], "wait"))
		pause();
	while (fgets(line, sizeof(line), stdin)) {
		printf("read %s", line);
		fflush(stdout);
	}
	return 6;
}
