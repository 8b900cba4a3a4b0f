/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What sites_make.c makes, and sites.c looks up. */
#ifndef ANALYSIS_CALLS_SITES_DATA_H
#define ANALYSIS_CALLS_SITES_DATA_H

#include "analysis/calls/sites.h"
#include "trace/u64map.h"

struct sites {
	uint32_t known; /* blocks: ids run from 1 to this */
	struct site **tables;
	uint32_t n_tables;
	struct site *nexts; /* [n_nexts] rows of what blocks run on into */
	uint32_t n_nexts;
	uint32_t *table_of; /* [spaces] */
	uint32_t n_spaces;
	struct u64map places; /* by address */
	uint32_t n_places;
	struct site const *
		*first; /* [n_tables * n_places] the row of the lowest id there */
	struct entity *entities; /* [n_entities + 1] by number */
	uint32_t n_entities;
	struct functions *functions; /* the caller's */
};

#endif
