// SPDX-License-Identifier: GPL-2.0-or-later
// Waits for a line of input, and becomes another program.

#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 2 || getchar() == EOF)
		return 2;
	execv(argv[1], argv + 1);
	perror(argv[1]);
	return 2;
}
