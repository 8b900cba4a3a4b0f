/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a file without a build-id is the one that ran, judged by the code that ran. */
#ifndef PROGRAM_SAMPLE_H
#define PROGRAM_SAMPLE_H

#include "program/extents.h"

/* A module, and the table of extents in which `what` stands for it. */
struct sample_of {
	const struct wm_trace *trace;
	const struct extents *extents;
	uint32_t what;
	const struct wm_module *module;
};

/*
 * True when at least half of a sample of the module's blocks is found in the file open at
 * `fd`, byte for byte, and, of a process, none is other code altogether; also when no block of
 * the module ran.
 */
bool sample_is_what_ran(const struct sample_of *of, int fd);

#endif
