/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Structs of waymark.h that a caller was compiled with, which may be older or newer than
 * the library: as much of them counts as both know, the rest is zeros.
 */
#ifndef BASE_SIZED_H
#define BASE_SIZED_H

#include <stddef.h>
#include <string.h>

static inline void sized_copy(void *to, size_t to_bytes, const void *from,
			      size_t from_bytes)
{
	size_t both = to_bytes < from_bytes ? to_bytes : from_bytes;

	if (both) /* `from` may be NULL when there is nothing */
		memcpy(to, from, both);
	memset((char *)to + both, 0, to_bytes - both);
}

/* Fills in the caller's struct, whose size is `bytes`, from ours. */
#define SIZED_PUT(out, bytes, mine) sized_copy(out, bytes, mine, sizeof(*(mine)))
/* Fills in ours from the caller's, which may be NULL: all zeros. */
#define SIZED_GET(mine, in, bytes) \
	sized_copy(mine, sizeof(*(mine)), in, (in) ? (bytes) : 0)

#endif
