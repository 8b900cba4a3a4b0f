// SPDX-License-Identifier: GPL-2.0-or-later
// Becomes /bin/sh -c COMMAND. With FIFO it has a child, which waits for a line from there.
//
// usage: leaves COMMAND [FIFO]

#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc > 2 && !fork()) {
		FILE *fifo = fopen(argv[2], "r");

		while (fifo && getc(fifo) != '\n')
			;
		puts("child");
		return 0;
	}
	execl("/bin/sh", "sh", "-c", argv[1], (char *)NULL);
	return 99;
}
