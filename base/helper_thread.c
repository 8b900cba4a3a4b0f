// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A thread inherits the signal mask of the thread that starts it. So that one blocks all signals
 * while it starts the new one. If the new thread blocked them itself, a signal could come first.
 */
#include "base/helper_thread.h"

#include <signal.h>
#include <stddef.h>

int helper_thread_start(pthread_t *thread, void *(*run)(void *cookie), void *cookie)
{
	sigset_t all, old;
	int failed;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	failed = pthread_create(thread, NULL, run, cookie);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return failed;
}
