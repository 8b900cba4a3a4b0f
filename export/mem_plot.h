/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The access map of a thread and its working set, as a figure. */
#ifndef EXPORT_MEM_PLOT_H
#define EXPORT_MEM_PLOT_H

#include <stdio.h>

#include "analysis/mem/map.h"
#include "analysis/mem/workset.h"

struct mem_picture {
	const struct mem_map *map; /* with a row at least */
	/* In intervals of map->width instructions. */
	const struct workset *workset;
	const struct objects *objects;
	uint32_t space; /* the thread's */
};

/*
 * A script for gnuplot that draws into file `path`: above, which memory was accessed when;
 * below, how much of it in each column.
 */
void mem_plot(FILE *out, const char *path, const char *title,
	      const struct mem_picture *picture);

#endif
