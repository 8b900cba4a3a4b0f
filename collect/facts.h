/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a file says of its recording: what is known when it begins, and how it ended. */
#ifndef COLLECT_FACTS_H
#define COLLECT_FACTS_H

#include "collect/collector.h"
#include "collect/recording.h"

/* The first sections of the file; the process of `header` is the first that reported. */
void facts_begin(struct recording *recording, const struct collector_facts *facts,
		 const struct board *board, const struct arena_header *header);

/*
 * The last sections of a file that has the recording so far: of *out, the recording's own or
 * that of a copy. `until` says why it ends before the guest, as FORMAT.md has it; or NULL.
 */
void facts_end(const struct recording *recording, const struct board *board,
	       struct output *out, const char *until);

#endif
