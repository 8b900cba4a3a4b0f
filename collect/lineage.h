/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What /proc tells of a process: where it comes from, and which program it is. */
#ifndef COLLECT_LINEAGE_H
#define COLLECT_LINEAGE_H

#include <stdint.h>

#define LINEAGE_MAX 64 /* generations that are looked back */

/* The pid of its parent; 0 when it is not known. */
uint32_t lineage_parent(uint32_t pid);

#endif
