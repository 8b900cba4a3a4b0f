/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jumps inside functions: from where, to where, and how often. */
#ifndef ANALYSIS_CALLS_JUMPS_H
#define ANALYSIS_CALLS_JUMPS_H

#include "analysis/calls/subject.h"

/* A place in the code of a file. */
struct jump_place {
	uint32_t source, line; /* zeros: not known, see struct srcline */
	uint64_t address;      /* in the file that it is from */
};

struct jump {
	uint32_t function; /* its number, of a function with a symbol */
	struct jump_place from, to;
	uint64_t taken;
	uint64_t executed; /* of a conditional branch: how often it ran; else 0 */
};

struct jumps {
	struct jump *all; /* [n] by function, from and to, each once */
	size_t n;
};

/*
 * Fills in *jumps. The caller calls jumps_fini(), also after a failure. Errors are
 * those of edges_gather() and cfg_build().
 */
int jumps_gather(struct jumps *jumps, const struct calls_subject *subject,
		 struct wm_error *err);
void jumps_fini(struct jumps *jumps);

/* The *n jumps of a function; NULL when it has none. */
const struct jump *jumps_of(const struct jumps *jumps, uint32_t function, size_t *n);

#endif
