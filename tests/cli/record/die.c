// SPDX-License-Identifier: GPL-2.0-or-later
/* Ends as its arguments say: `exit N`, or `signal N`. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	int number = argc > 2 ? atoi(argv[2]) : 0;

	if (argc > 1 && !strcmp(argv[1], "signal"))
		raise(number);
	return number;
}
