/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The patterns of a chunk: sequences of firings, numbered as they come. */
#ifndef FORMAT_VALUES_PATTERNS_H
#define FORMAT_VALUES_PATTERNS_H

#include "format/values_model.h"

struct value_pattern {
	uint32_t first, count; /* of `firings` */
};

/* All zeros: none, not even the empty one. */
struct value_patterns {
	struct value_pattern *all; /* [0] is empty */
	uint32_t count;
	struct value_firing *firings; /* of all patterns, then those gathered */
	uint32_t firing_count, gathered;
	uint32_t *slots; /* [slot_count] numbers of patterns by hash; 0: free */
	uint32_t slot_count;
};

void patterns_fini(struct value_patterns *patterns);
/* Before another chunk. */
void patterns_reset(struct value_patterns *patterns);
/* Makes the empty pattern, if need be; false without memory, as below. */
bool patterns_ready(struct value_patterns *patterns);
/* The firings of a pattern, valid until another one is gathered. */
const struct value_firing *patterns_firings(const struct value_patterns *patterns,
					    uint32_t pattern);
/* One more firing; the caller sets `gathered` to 0 for the first. */
bool patterns_gather(struct value_patterns *patterns, const struct value_firing *firing);
/* The number of the pattern that was gathered; a new one goes to the string. */
bool patterns_intern(struct value_patterns *patterns, struct buf *string,
		     uint32_t *number);

#endif
