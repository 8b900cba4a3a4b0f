// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/lineage.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

uint32_t lineage_parent(uint32_t pid)
{
	char path[32], text[512];
	const char *after;
	unsigned parent = 0;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%u/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = 0;
	/* "pid (name) state ppid": a name may hold anything. */
	after = strrchr(text, ')');
	if (!after || sscanf(after, ") %*c %u", &parent) != 1)
		return 0;
	return parent;
}
