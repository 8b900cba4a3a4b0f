/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files the guest's code comes from, by QEMU's own memory map. Callers lock. */
#ifndef PLUGIN_USER_MAPS_H
#define PLUGIN_USER_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "plugin/core/emulation.h"

/* A file mapped where code is. */
struct maps_module {
	uint64_t start, end; /* guest addresses */
	uint64_t file_off;   /* of `start` in the file */
	uint64_t dev, ino;   /* as stat() has them; 0: nothing has that path any more */
	uint64_t mtime_ns;   /* the same */
	const char *path;    /* valid until the next call; "": no file, where one was */
	bool bare_before;    /* code ran there in memory without a file, never told of */
};

/*
 * What is mapped where guest `address` is, at `host` in this process, where code runs now.
 * True when that is not what was last found there: then *module says what it is.
 */
bool maps_find(uint64_t address, const void *host, struct code_origin *origin,
	       struct maps_module *module);

/* The file of that number in a code_origin, from 1. */
struct code_file maps_file(uint32_t file);

/*
 * The guest has mapped or unmapped something at these guest addresses: mmap(), munmap(),
 * mremap() at both places, shmat(), shmdt(). Not mprotect(), which changes no contents. What
 * is there now is looked up when code is translated there, not before.
 */
void maps_forget(uint64_t start, uint64_t end);
/* The same where it is known that no file is there now: MAP_ANONYMOUS. Saves the look. */
void maps_anonymous(uint64_t start, uint64_t end);

#endif
