/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which bytecode each instruction of a stream is of, for listings. */
#ifndef MANAGED_LABELS_H
#define MANAGED_LABELS_H

#include "managed/walk.h"

struct labels;

/*
 * Of a stream. The caller frees *labels, also after a failure; `units` and `trace` must outlive
 * it. Errors: those of cursors; WM_E_NOMEM.
 */
int labels_new(struct labels **labels, const struct units *units,
	       const struct wm_trace *trace, unsigned stream, struct wm_error *err);
void labels_free(struct labels *labels);

/*
 * Sets *label to the bytecode that the thread executes at instruction `insn`; its unit is
 * NULL before the first one, behind a gap and in another program. Ascending instructions that
 * are near each other cost least. Errors: those of walk_pass().
 */
int labels_at(struct labels *labels, uint64_t insn, struct walk_step *label,
	      struct wm_error *err);
/* All instructions from there up to before this one have the label that was found last. */
uint64_t labels_until(const struct labels *labels);

#endif
