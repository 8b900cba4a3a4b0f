// SPDX-License-Identifier: GPL-2.0-or-later
// A guest that makes a file of its own of fd 2, or leaves it: "notices FILE|-". It says its pid,
// waits for a line, and then does much: more than its recorder's memory holds.

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	volatile unsigned x = 1;
	int fd;

	if (argc > 1 && *argv[1] != '-') {
		fd = open(argv[1], O_CREAT | O_TRUNC | O_WRONLY, 0600);
		if (fd < 0 || dup2(fd, 2) < 0 || write(2, "data\n", 5) != 5)
			return 2;
	}
	printf("%d\n", (int)getpid());
	fflush(stdout);
	getchar();
	for (unsigned i = 0; i < 3000000; i++)
		x = x % 3 ? x * 3 + 1 : x / 2 + i;
	return 7;
}
