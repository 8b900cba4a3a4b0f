/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A progress line on stderr, for work that takes long. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/bottom.h"

struct progress {
	bool on;	      /* stderr is a terminal */
	bool has_line;	      /* it can be redrawn in place */
	bool shown;	      /* a line is on the screen */
	struct bottom bottom; /* of a recording: the guest has the rest of the screen */
	uint64_t last_ns;     /* when, and at which count, the rate was last taken */
	uint64_t last_blocks;
};

void progress_init(struct progress *progress);

/* Shows the state after `elapsed_ns`; nothing within the first second. */
void progress_show(struct progress *progress, uint64_t elapsed_ns, uint64_t blocks,
		   uint64_t insns, uint64_t file_bytes);

/* The same of work whose end is known: `done` of `of` instructions. */
void progress_part(struct progress *progress, uint64_t elapsed_ns, uint64_t done,
		   uint64_t of);

/* Takes the line away. */
void progress_fini(struct progress *progress);

#endif
