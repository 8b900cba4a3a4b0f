/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which bytecode instructions are of, in any stream of a trace. */
#ifndef MANAGED_LABEL_SOURCE_H
#define MANAGED_LABEL_SOURCE_H

#include "managed/walk.h"

struct label_source;

/*
 * Of a trace, which must outlive *source; the caller frees that, also after a failure.
 * WM_E_RANGE: the trace has no bytecodes. Else errors of reading; WM_E_NOMEM.
 */
int label_source_new(struct label_source **source, const struct wm_trace *trace,
		     struct wm_error *err);
void label_source_free(struct label_source *source);

/*
 * Sets *label as labels_at() does. Errors: those of labels_at(); WM_E_RANGE: no such stream.
 */
int label_source_at(struct label_source *source, unsigned stream, uint64_t insn,
		    struct walk_step *label, struct wm_error *err);

#endif
