/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long the gaps of a stream are: windows (record --window) count what they pass. */
#ifndef MANAGED_GAPS_H
#define MANAGED_GAPS_H

#include "waymark.h"

struct gap_length {
	uint64_t block; /* where it ends: the ordinal of the block behind it */
	uint64_t insns;
};

struct gaps {
	struct gap_length *all; /* [n] by block; free() it */
	size_t n;
};

/* Reads those that are known. Errors: those of cursors; WM_E_NOMEM. */
int gaps_read(struct gaps *gaps, const struct wm_trace *trace, unsigned stream,
	      struct wm_error *err);
/* Of the gap that is block `block` of the stream; UINT64_MAX: not known. */
uint64_t gaps_insns(const struct gaps *gaps, uint64_t block);

#endif
