// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * /proc/self/maps is read only when code comes from a range not met before: some ten
 * times in a run. QEMU keeps guest code mapped at a constant distance from its guest
 * addresses, so a host range tells the guest's.
 */
#include "plugin/maps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct range {
	uint64_t start, end;
};

static struct range *known;
static size_t known_count, known_allocated;

static bool is_known(uint64_t host)
{
	for (size_t i = known_count; i-- > 0;)
		if (host >= known[i].start && host < known[i].end)
			return true;
	return false;
}

static void remember(struct range range)
{
	if (known_count == known_allocated) {
		size_t n = known_allocated * 2 + 32;
		struct range *grown = realloc(known, n * sizeof(*grown));

		if (!grown)
			return;
		known = grown;
		known_allocated = n;
	}
	known[known_count++] = range;
}

/* Parses a line of /proc/self/maps: start-end perms offset dev inode   path. */
static bool parse(const char *line, struct range *range, uint64_t *file_off, char *path)
{
	int at = 0;

	*path = 0;
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %n",
		   &range->start, &range->end, file_off, &at) < 3)
		return false;
	snprintf(path, PATH_MAX, "%s", line + at);
	path[strcspn(path, "\n")] = 0;
	return true;
}

bool maps_find(uint64_t address, const void *host_pointer, struct maps_module *module)
{
	uint64_t host = (uintptr_t)host_pointer;
	char line[PATH_MAX + 128];
	struct range range;
	bool found = false;
	FILE *maps;

	if (!host || is_known(host))
		return false;
	maps = fopen("/proc/self/maps", "re");
	if (!maps)
		return false;
	while (!found && fgets(line, sizeof(line), maps))
		found = parse(line, &range, &module->file_off, module->path) &&
			host >= range.start && host < range.end;
	fclose(maps);
	if (!found)
		return false;
	remember(range);
	module->start = address - (host - range.start);
	module->end = module->start + (range.end - range.start);
	return module->path[0] == '/';
}
