/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pointer for each block, by its id. What it points to is never freed: old translated
 * code may still use it, and a block that is translated again finds it here.
 */
#ifndef PLUGIN_CORE_BY_ID_H
#define PLUGIN_CORE_BY_ID_H

#include <stddef.h>
#include <stdint.h>

struct by_id {
	void **pointers; /* [count]; NULLs at first */
	uint32_t count;
};

/*
 * The pointer's place, to read or to fill in, until the next call; NULL without memory.
 * Callers hold link_lock().
 */
void **by_id(struct by_id *table, uint32_t id);
/* The pointer; where it is NULL, first `bytes` of zeros are allocated. NULL: no memory. */
void *by_id_made(struct by_id *table, uint32_t id, size_t bytes);

#endif
