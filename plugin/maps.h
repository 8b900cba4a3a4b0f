/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files the guest's code comes from, by QEMU's own memory map. Callers lock. */
#ifndef PLUGIN_MAPS_H
#define PLUGIN_MAPS_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

struct maps_module {
	uint64_t start, end; /* guest addresses */
	uint64_t file_off;   /* of `start` in the file */
	char path[PATH_MAX];
};

/*
 * The file mapped where guest `address` is, at `host` in this process. True once for
 * each mapping; false for anonymous memory and for mappings it has told of.
 */
bool maps_find(uint64_t address, const void *host, struct maps_module *module);

#endif
