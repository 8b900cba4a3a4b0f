/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel says is mapped at an address of this process. Callers lock. */
#ifndef PLUGIN_USER_PROC_MAPS_H
#define PLUGIN_USER_PROC_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct proc_map {
	uint64_t start, end;
	uint64_t file_off;
	uint64_t dev, ino; /* the kernel's: some file systems say others in stat() */
	char *path;	   /* "" for memory without a name; valid until the next call */
	bool found;	   /* the path leads to the file: */
	struct stat st;	   /* its */
};

/* False when nothing is mapped there, or the kernel does not say. */
bool proc_maps_find(uint64_t address, struct proc_map *map);

#endif
