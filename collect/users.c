// SPDX-License-Identifier: GPL-2.0-or-later
#include "collect/users.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Whether a line of /proc/PID/maps is about bytes [from, to) of file `st`. */
static bool is_about(const char *line, const struct stat *st, uint64_t from, uint64_t to)
{
	uint64_t start, end, off, ino;
	unsigned major, minor;

	return sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %x:%x %" SCNu64,
		      &start, &end, &off, &major, &minor, &ino) == 6 &&
	       ino == st->st_ino && makedev(major, minor) == st->st_dev && off < to &&
	       off + (end - start) > from;
}

static bool has_mapped(const char *pid, const struct stat *st, uint64_t from, uint64_t to)
{
	char path[300], line[512];
	bool found = false;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%s/maps", pid);
	maps = fopen(path, "re");
	if (!maps)
		return false;
	while (!found && fgets(line, sizeof(line), maps))
		found = is_about(line, st, from, to);
	fclose(maps);
	return found;
}

uint32_t users_of(const struct memory *memory, uint32_t place, uint32_t except)
{
	uint32_t found = 0, own = (uint32_t)getpid();
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	struct stat st;

	if (!folder || fstat(memory->fd, &st) < 0) {
		if (folder)
			closedir(folder);
		return 0;
	}
	while (!found && (entry = readdir(folder))) {
		uint32_t pid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (pid && pid != own && pid != except &&
		    has_mapped(entry->d_name, &st, arena_off(place),
			       arena_off(place + 1)))
			found = pid;
	}
	closedir(folder);
	return found;
}
