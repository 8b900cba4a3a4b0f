/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cover of some runs as bytes, and its addition to that of the runs before. */
#ifndef ANALYSIS_COVER_COVER_STATE_H
#define ANALYSIS_COVER_COVER_STATE_H

#include "analysis/cover/cover.h"
#include "base/buf.h"

/* Appends a cover that is not finished. Reports no memory by out->failed. */
void cover_put(const struct cover *cover, struct buf *out);

/*
 * Adds to a cover that is not finished the runs of one that cover_put() wrote: the cover is then
 * as if cover_add() had been called with each of them. The bytes may be hostile: no more memory is
 * allocated than some times their number. WM_E_FORMAT: they cannot be a cover; WM_E_NOMEM. After
 * a failure the cover can only be freed.
 */
int cover_take(struct cover *cover, struct span in, struct wm_error *err);

#endif
