// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Linux 6.11 and later answer for one address by an ioctl() on /proc/self/maps. Older
 * kernels list all mappings there, which takes 20 us for a small program and 20 ms for
 * 50,000 mappings.
 *
 * The text form escapes a newline in a path as \\012 and nothing else, and marks an
 * unlinked file with " (deleted)"; both can also be part of a file's name. So a path is
 * believed only if stat() finds the mapped inode there, and is unescaped only if it does
 * not.
 */
#include "plugin/user/maps.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum {
	READ_BYTES = 1 << 15,
	PATH_BYTES_MAX = 1 << 14, /* longer than the kernel would open */
};

/* ---- asking for one ------------------------------------------------------ */

/* The kernel's interface; Debian 12's headers do not have it. */
struct map_query {
	uint64_t size;
	uint64_t flags, address;
	uint64_t start, end, protection, page_bytes, file_off, ino;
	uint32_t dev_major, dev_minor;
	uint32_t name_bytes, build_id_bytes;
	uint64_t name, build_id;
};
#define MAP_QUERY _IOWR('f', 17, struct map_query)

/* Fails on older kernels, and where no mapping contains the address. */
static bool ask(int fd, uint64_t address, struct proc_map *map)
{
	static char name[PATH_MAX];
	struct map_query query = {
		.size = sizeof(query),
		.address = address,
		.name_bytes = sizeof(name),
		.name = (uintptr_t)name,
	};

	*name = 0;
	if (ioctl(fd, MAP_QUERY, &query) < 0)
		return false;
	*map = (struct proc_map){
		.start = query.start,
		.end = query.end,
		.file_off = query.file_off,
		.dev = makedev(query.dev_major, query.dev_minor),
		.ino = query.ino,
		.path = name,
	};
	return true;
}

/* ---- reading all --------------------------------------------------------- */

/* Whether the line's range contains the address. Parses no more than the range. */
static bool is_over(const char *text, uint64_t address, struct proc_map *map)
{
	char *end;

	map->start = strtoull(text, &end, 16);
	if (*end != '-' || address < map->start)
		return false;
	map->end = strtoull(end + 1, NULL, 16);
	return address < map->end;
}

/* Parses the rest of "start-end perms offset major:minor inode   path". */
static bool parse(char *text, struct proc_map *map)
{
	unsigned major_, minor_;
	int at = 0;

	if (sscanf(text, "%*s %*s %" SCNx64 " %x:%x %" SCNu64 " %n", &map->file_off,
		   &major_, &minor_, &map->ino, &at) < 4)
		return false;
	map->dev = makedev(major_, minor_);
	map->path = text + at;
	map->path[strcspn(map->path, "\n")] = 0;
	return true;
}

static bool read_all(FILE *maps, uint64_t address, struct proc_map *map)
{
	/*
	 * Static, here and below: guest threads have small stacks. The caller holds
	 * link_lock().
	 */
	static char buffer[READ_BYTES];
	static char *text;
	static size_t size;

	*map = (struct proc_map){ 0 };
	setvbuf(maps, buffer, _IOFBF, sizeof(buffer));
	while (getline(&text, &size, maps) > 0)
		if (is_over(text, address, map))
			return parse(text, map);
	return false;
}

/* Newlines are \012 in the list; nothing else is escaped, not even a backslash. */
static void unescape(char *path)
{
	char *to = path;

	for (; *path; path++) {
		if (!strncmp(path, "\\012", 4)) {
			*to++ = '\n';
			path += 3;
		} else {
			*to++ = *path;
		}
	}
	*to = 0;
}

/* ---- both ---------------------------------------------------------------- */

/* Whether the path leads to the mapped file. */
static bool leads_there(struct proc_map *map)
{
	return map->path[0] == '/' && stat(map->path, &map->st) == 0 &&
	       /*
	        * With a file system whose stat() shows another device than the map, the
	        * inode cannot be compared either: the name is believed.
	        */
	       (map->st.st_ino == map->ino || map->st.st_dev != map->dev);
}

bool proc_maps_find(uint64_t address, struct proc_map *map)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	bool known, escaped = false;

	if (!maps)
		return false;
	/*
	 * The ioctl returns the path as it is, so only the text form may need unescape().
	 */
	known = ask(fileno(maps), address, map);
	if (!known)
		known = escaped = read_all(maps, address, map);
	fclose(maps);
	if (!known)
		return false;
	map->found = leads_there(map);
	if (!map->found && escaped && strstr(map->path, "\\012")) {
		unescape(map->path);
		map->found = leads_there(map);
	}
	if (strlen(map->path) > PATH_BYTES_MAX)
		map->path[PATH_BYTES_MAX] = 0;
	return true;
}
