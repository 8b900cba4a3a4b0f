// SPDX-License-Identifier: GPL-2.0-or-later
// Awkward: markers, at which code is cut: in loops, nested and not, side by side, first and
// last in a function, in handlers of signals, in a table of jumps, and some without others.

#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

#include "waymark-mark.h"

static sigjmp_buf home;
static volatile unsigned sum = 1;

__attribute__((noinline))
static void first(unsigned x)
{
	WAYMARK_POINT(30);
	sum ^= x;
}

__attribute__((noinline))
static void last(unsigned x)
{
	sum += x;
	WAYMARK_POINT(31);
}

__attribute__((noinline))
static void only(void)
{
	WAYMARK_POINT(32);
}

__attribute__((noinline))
static unsigned recurse(unsigned n)
{
	unsigned below;

	WAYMARK_BEGIN(40);
	below = n ? recurse(n - 1) + sum : sum;
	WAYMARK_END(40);
	return below * 31;
}

__attribute__((noinline))
static void choose(unsigned x)
{
	switch (x % 6) {
	case 0:
		WAYMARK_POINT(50);
		sum *= 3;
		break;
	case 1:
		sum *= 5;
		WAYMARK_POINT(51);
		break;
	case 2:
		WAYMARK_POINT(52);
		__attribute__((fallthrough));
	case 3:
		WAYMARK_POINT(53);
		sum ^= x;
		break;
	case 4:
		WAYMARK_BEGIN(54);
		sum++;
		WAYMARK_END(54);
		WAYMARK_POINT(1023);
	}
}

static void on_user(int sig)
{
	WAYMARK_BEGIN(60);
	sum = sum * 31 + (unsigned)sig;
	WAYMARK_END(60);
}

static void on_term(int sig)
{
	WAYMARK_BEGIN(61);
	siglongjmp(home, sig);
}

static void signals(void)
{
	struct sigaction act = { .sa_handler = on_user };

	sigaction(SIGUSR1, &act, NULL);
	act.sa_handler = on_term;
	sigaction(SIGTERM, &act, NULL);
	for (volatile unsigned i = 0; i < 20; i++) {
		WAYMARK_BEGIN(62);
		if (!sigsetjmp(home, 1))
			raise(i % 4 ? SIGUSR1 : SIGTERM);
		WAYMARK_END(62);
	}
}

int main(void)
{
	WAYMARK_BEGIN(0);
	for (unsigned i = 0; i < 10000; i++) {
		WAYMARK_BEGIN(1);
		sum = sum * 1103515245 + i;
		if (sum & 0x10000)
			WAYMARK_POINT(2);
		WAYMARK_END(1);
	}
	WAYMARK_BEGIN(3);
	WAYMARK_END(3);
	WAYMARK_POINT(4);
	WAYMARK_POINT(4);
	for (unsigned i = 0; i < 100; i++) {
		WAYMARK_BEGIN(5);
		first(i);
		WAYMARK_BEGIN(6);
		last(i);
		WAYMARK_END(5);
		only();
		WAYMARK_END(6);
		choose(i);
	}
	sum += recurse(50);
	signals();
	WAYMARK_END(70);
	WAYMARK_BEGIN(71);
	WAYMARK_END(0);
	printf("marks %08x\n", sum);
	return 0;
}
