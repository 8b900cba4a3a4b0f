/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files the guest's code comes from, by QEMU's own memory map. Callers lock. */
#ifndef PLUGIN_MAPS_H
#define PLUGIN_MAPS_H

#include <stdbool.h>
#include <stdint.h>

/* A file mapped where code is. */
struct maps_module {
	uint64_t start, end; /* guest addresses */
	uint64_t file_off;   /* of `start` in the file */
	uint64_t dev, ino;   /* as stat() has them; 0: nothing has that path any more */
	uint64_t mtime_ns;   /* the same */
	const char *path;    /* valid until the next call; "": no file, where one was */
	bool bare_before;    /* code ran there in memory without a file, never told of */
};

struct maps_place {
	/*
	 * The file's number, from 1; 0 where no file is mapped. The same file, unchanged and
	 * at the same distance from its addresses, has it whenever it comes.
	 */
	uint32_t file;
	bool again; /* code ran here before that had another file, or none */
	bool news;  /* *module tells: this is not what was told last of the place */
};

/* What is mapped where guest `address` is, at `host` in this process. Code runs there. */
struct maps_place maps_find(uint64_t address, const void *host,
			    struct maps_module *module);

/* A file of a maps_place, and by how much addresses are above places in it. */
struct maps_file {
	uint64_t dev, ino; /* as stat() has them; 0: nothing had that path any more */
	uint64_t distance;
};
/* `file` is the number of one. */
struct maps_file maps_file(uint32_t file);

/*
 * The guest has mapped or unmapped something at these guest addresses: mmap(), munmap(),
 * mremap() at both places, shmat(), shmdt(). Not mprotect(), which changes no contents. What
 * is there now is looked up when code is translated there, not before.
 */
void maps_forget(uint64_t start, uint64_t end);
/* The same where it is known that no file is there now: MAP_ANONYMOUS. Saves the look. */
void maps_anonymous(uint64_t start, uint64_t end);

#endif
