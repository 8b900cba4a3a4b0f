/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * usage: tidy FILE remove|empty|move
 *
 * Does that to FILE, as soon as it is there.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	while (access(argv[1], F_OK))
		for (volatile int i = 0; i < 100000; i++)
			;
	if (!strcmp(argv[2], "remove"))
		return unlink(argv[1]) != 0;
	if (!strcmp(argv[2], "empty"))
		return truncate(argv[1], 0) != 0;
	return rename(argv[1], "moved.wmk") != 0;
}
