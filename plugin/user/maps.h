/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which files the guest's code comes from, by QEMU's memory map. Callers hold
 * link_lock().
 */
#ifndef PLUGIN_USER_MAPS_H
#define PLUGIN_USER_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "plugin/core/emulation.h"

/* A file mapped where code is. */
struct maps_module {
	uint64_t start, end; /* guest addresses */
	uint64_t file_off;   /* of `start` in the file */
	uint64_t dev, ino;   /* from stat(); 0: the path leads to it no more */
	uint64_t mtime_ns;   /* from stat() */
	const char *path;    /* valid until the next call; "": no file, where one was */
	bool bare_before; /* code ran here before without a file, and was not reported */
	bool bare_first; /* code runs here for the first time, without a file; the rest is not set */
};

/*
 * What is mapped where guest `address` is, at `host` in this process, where code runs
 * now. True when that is not what was last found there: then *module is it. Else only
 * module->start, end and bare_first are set.
 */
bool maps_find(uint64_t address, const void *host, struct code_origin *origin,
	       struct maps_module *module);

/* The file of that number in a code_origin, from 1. */
struct code_file maps_file(uint32_t file);

/*
 * The guest has mapped or unmapped something at these guest addresses: mmap(), munmap(),
 * mremap() (both ranges), shmat(), shmdt(). Not mprotect(), which changes no contents.
 * What is there now is looked up when code is translated there.
 */
void maps_forget(uint64_t start, uint64_t end);
/* The same for MAP_ANONYMOUS: no file is there now, so nothing needs to be looked up. */
void maps_anonymous(uint64_t start, uint64_t end);

/*
 * What is mapped at a host address, from the kernel (plugin/user/proc_maps.c); for maps.c.
 */
struct proc_map {
	uint64_t start, end;
	uint64_t file_off;
	uint64_t dev,
		ino;	/* the kernel's: on some file systems they differ from stat()'s */
	char *path;	/* "" for memory without a name; valid until the next call */
	bool found;	/* the path leads to the mapped file, and then */
	struct stat st; /* is its stat() */
};
/* False when nothing is mapped there, or the kernel has no answer. */
bool proc_maps_find(uint64_t address, struct proc_map *map);

#endif
