// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A file that is written under a temporary name would stay under it when a signal ends the
 * process: atexit() is not for that. So the handler removes it, and then lets the signal do
 * what it does by default, so that the exit status is the signal's.
 */
#include "cli/signals.h"

#include <assert.h>
#include <signal.h>
#include <stddef.h>

enum { TIDY_MOST = 4 };
static void (*tidies[TIDY_MOST])(void);

void signals_tidied(void)
{
	for (size_t i = 0; i < TIDY_MOST && tidies[i]; i++)
		tidies[i]();
}

static void on_signal(int number)
{
	signals_tidied();
	signal(number, SIG_DFL);
	raise(number);
}

static void remember(void (*tidy)(void))
{
	size_t i = 0;

	while (i < TIDY_MOST && tidies[i] && tidies[i] != tidy)
		i++;
	assert(i < TIDY_MOST);
	tidies[i] = tidy;
}

void signals_tidy(void (*tidy)(void))
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction now,
		action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	remember(tidy);
	signal(SIGXFSZ, SIG_IGN);
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		/* What nohup, or a shell in the background, ignores stays ignored. */
		if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
			sigaction(numbers[i], &action, NULL);
}
