/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the memory that a recording may take is divided: what threads gather and encode, and
 * the rings that they share with the collector. What is known of the program, its code and
 * names, comes on top of that.
 */
#ifndef COLLECT_BUDGET_H
#define COLLECT_BUDGET_H

#include <stddef.h>
#include <stdint.h>

#define BUDGET_BYTES (UINT64_C(1) << 30)       /* when nobody says */
#define BUDGET_BYTES_LEAST UINT64_C(96000000)  /* with less, chunks are too short */
#define BUDGET_BASE_BYTES (UINT64_C(24) << 20) /* of any recording */

static inline size_t budget_rings(uint64_t bytes)
{
	return bytes / 4;
}

/* While the rings take so much: more than half of all cannot be had back from here. */
static inline size_t budget_encoders(uint64_t bytes, size_t rings)
{
	if (rings < budget_rings(bytes))
		rings = budget_rings(bytes);
	if (rings > bytes / 2)
		rings = bytes / 2;
	return bytes - BUDGET_BASE_BYTES - rings;
}

#endif
