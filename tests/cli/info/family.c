// SPDX-License-Identifier: GPL-2.0-or-later
/* A child that becomes this program again. */
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char *again[] = { argv[0], (char *)"again", NULL };
	int status;

	if (argc > 1)
		return 0;
	if (!fork()) {
		execv(argv[0], again);
		_exit(1);
	}
	return wait(&status) < 0 || status;
}
