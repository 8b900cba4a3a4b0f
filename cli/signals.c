// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A file that is written under a temporary name would stay under it when a signal ends the
 * process: atexit() is not for that. So the handler removes it, and then lets the signal do
 * what it does by default, so that the exit status is the signal's.
 */
#include "cli/signals.h"

#include <signal.h>
#include <stddef.h>

static void (*tidy_up)(void);

static void on_signal(int number)
{
	tidy_up();
	signal(number, SIG_DFL);
	raise(number);
}

void signals_tidy(void (*tidy)(void))
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };

	tidy_up = tidy;
	signal(SIGXFSZ, SIG_IGN);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		/* What nohup, or a shell in the background, ignores stays ignored. */
		if (signal(numbers[i], on_signal) == SIG_IGN)
			signal(numbers[i], SIG_IGN);
}
