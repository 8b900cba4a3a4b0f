/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * VALS: the values of one chunk, as strings. FORMAT.md, section 8.2.
 *
 *	path_off:64 words:64 | patterns changes shorts runs misses, each packed
 */
#ifndef FORMAT_VALUES_STRINGS_H
#define FORMAT_VALUES_STRINGS_H

#include "base/buf.h"
#include "base/error.h"

#define VALS_PATH_OFF_AT 0 /* in the payload */
/* Bytes of all strings of a chunk together, and so of each: what a reader may unpack. */
#define VALUES_STRINGS_MAX (1u << 25)

enum values_string {
	VALUES_PATTERNS,
	VALUES_CHANGES,
	VALUES_SHORTS,
	VALUES_RUNS,
	VALUES_MISSES,
	VALUES_STRINGS,
};

struct values_strings {
	uint64_t path_off; /* of its chunk's PATH */
	uint64_t words;
	struct span of[VALUES_STRINGS];
};

void values_put(struct buf *payload, const struct values_strings *strings);
/*
 * Fills *strings, which lie in *raw, which is reused. WM_E_DAMAGED or WM_E_NOMEM.
 */
int values_get(struct span payload, struct buf *raw, struct values_strings *strings,
	       struct wm_error *err);

#endif
