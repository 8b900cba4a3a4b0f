/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the memory of a recording is divided between encoders, with the ids that streams
 * have gathered, and the rings of the shared memory. Definitions of the program's code
 * and names come on top.
 */
#ifndef COLLECT_BUDGET_H
#define COLLECT_BUDGET_H

#include <stddef.h>
#include <stdint.h>

#define BUDGET_BYTES (UINT64_C(1) << 30)	   /* the default */
#define BUDGET_MACHINE_BYTES (UINT64_C(448) << 20) /* of a machine: most threads wait */
#define BUDGET_BYTES_LEAST UINT64_C(96000000)	   /* with less, chunks are too short */
#define BUDGET_BASE_BYTES (UINT64_C(24) << 20)	   /* of any recording */

static inline size_t budget_rings(uint64_t bytes)
{
	return bytes / 4;
}

/* While the rings take `rings` bytes; encoders keep at least half of all. */
static inline size_t budget_encoders(uint64_t bytes, size_t rings)
{
	if (rings < budget_rings(bytes))
		rings = budget_rings(bytes);
	if (rings > bytes / 2)
		rings = bytes / 2;
	return bytes - BUDGET_BASE_BYTES - rings;
}

#endif
