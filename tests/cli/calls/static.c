// SPDX-License-Identifier: GPL-2.0-or-later
// Calls functions of which a static program chooses one for the machine when it starts.

#include <stdio.h>
#include <string.h>

static char from[100], to[100];

int main(int argc, char **argv)
{
	for (int i = 0; i < 50; i++) {
		memset(from, 'a' + argc, sizeof(from) - 1);
		memcpy(to, from, strlen(from) + 1);
		to[i] = argv[0][0];
	}
	puts(to);
	return 0;
}
