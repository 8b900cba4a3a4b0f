/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translation blocks taken apart: each instruction once, however many blocks contain it,
 * with how often it ran, and how often each other instruction followed it.
 */
#ifndef ANALYSIS_CFG_ATOMS_H
#define ANALYSIS_CFG_ATOMS_H

#include <stddef.h>

#include "analysis/cfg/edges.h"
#include "program/functions.h"
#include "waymark.h"

/* The same instruction in the same place of the same file, in one space. */
struct atom {
	uint32_t space;
	uint32_t module; /* number of its file; only to compare */
	uint64_t address;
	const uint8_t *code; /* [size], the trace's */
	uint32_t id, index;  /* of the first block it was met in, and in that */
	uint8_t size;
	bool ends; /* it is the last of some block: only then it may jump */
	uint64_t executions, starts, stops;
	uint32_t next; /* the successor that was met first; or ATOM_NONE */
	uint64_t next_count;
};

#define ATOM_NONE UINT32_MAX

/* Other successors, or interrupted ones. */
struct atom_link {
	uint32_t from, to;
	bool interrupted;
	uint64_t count;
};

struct atoms {
	struct atom *atoms; /* [n] in the order of being met */
	uint32_t n;
	struct atom_link *links; /* [n_links] by from, to, interrupted, each once */
	size_t n_links;
};

#define ATOMS_INIT ((struct atoms){ .atoms = NULL })

/* Fills in *atoms, the caller's to atoms_fini(), on failure empty. */
int atoms_find(struct atoms *atoms, const struct wm_trace *trace,
	       const struct edges *edges, struct functions *functions,
	       struct wm_error *err);
void atoms_fini(struct atoms *atoms);

#endif
