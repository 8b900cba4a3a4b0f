/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A control-flow graph, or part of it, for other programs. */
#ifndef EXPORT_CFG_FORMAT_H
#define EXPORT_CFG_FORMAT_H

#include <stdio.h>

#include "analysis/cfg/trips.h"

struct cfg_picture {
	const struct wm_trace *trace;
	const struct functions *functions;
	const struct cfg *cfg;
	const struct loops *loops;
	const struct trips *trips; /* [loops->n], or NULL */
	const bool *picked;	   /* [cfg->n] which blocks are wanted */
	uint64_t insns;		   /* all that ran, for shares; at least 1 */
};

/* Writes all of it. What the stream says is the caller's to check. WM_E_NOMEM. */
typedef int cfg_put(FILE *out, const struct cfg_picture *picture, struct wm_error *err);

/*
 * JSON: an object of "blocks", "edges" and "loops". Blocks on the other side of an edge of
 * a wanted one are there, too, marked "outside" and without their code.
 */
cfg_put cfg_put_json;

/*
 * The language of graphviz's dot: nodes with their code, as warm as they are hot, those of
 * a function in a box; what is outside is one node for each function.
 */
cfg_put cfg_put_dot;

#endif
