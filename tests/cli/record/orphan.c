// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * orphan FIFO: leaves a child behind and ends with 4. The child waits until it has another
 * parent, says so, and then runs until someone opens FIFO.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	pid_t parent = getpid();

	(void)argc;
	if (fork())
		return 4;
	while (getppid() == parent)
		usleep(1000);
	puts("alone");
	fflush(stdout);
	close(open(argv[1], O_RDONLY));
	puts("done");
	return 5;
}
