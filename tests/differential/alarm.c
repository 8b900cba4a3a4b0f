// SPDX-License-Identifier: GPL-2.0-or-later
// Signals that come at any time, from a timer: QEMU leaves a chain of blocks before one
// that its log has already named, and takes the line back.

#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile sig_atomic_t alarms;
static volatile unsigned sum = 1;

static void on_alarm(int sig)
{
	alarms++;
	sum = sum * 31 + (unsigned)sig;
}

int main(void)
{
	struct sigaction act = { .sa_handler = on_alarm };
	struct itimerval every = { { 0, 100 }, { 0, 100 } };

	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	while (alarms < 1000)
		for (volatile int i = 0; i < 3; i++)
			sum ^= sum << 7;
	every = (struct itimerval){ 0 };
	setitimer(ITIMER_REAL, &every, NULL);
	puts("done");
	return 0;
}
