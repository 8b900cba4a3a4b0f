/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the instructions of one side of a comparison did to registers and memory, in order.
 * Instructions have the same ordinals as in struct diff_source of the same part.
 */
#ifndef ANALYSIS_DIFF_EFFECTS_H
#define ANALYSIS_DIFF_EFFECTS_H

#include "analysis/diff/source.h"

struct effect {
	uint64_t insn; /* ordinal */
	/*
	 * If not 0: nothing is known of this many instructions from `insn` on, and `is` is
	 * empty.
	 */
	uint64_t unknown_insns;
	uint32_t id;	     /* block; is.insn is the index in it; 0: of a log */
	struct wm_access is; /* size 0: not known */
};

struct effects {
	unsigned has; /* 1 << enum wm_access_kind, of those that are recorded */
	/*
	 * Of registers from this number on, those that got the value that they had are not
	 * in it.
	 */
	uint32_t changes_from;
	/* Those that were read, whole instructions; [at .. n) come next. */
	struct effect *all; /* [room] */
	size_t at, n, room;
	/* Replaces them by the next ones, at least one; WM_END. */
	int (*refill)(struct effects *effects, struct wm_error *err);
	/* Optional: those of instructions before `insn` need not be read. */
	int (*seek)(struct effects *effects, uint64_t insn, struct wm_error *err);
	void (*free)(struct effects *effects);
};

/* NULL when the trace has none. `part` as of diff_trace_new(). WM_E_NOMEM. */
int effects_trace_new(struct effects **effects, const struct wm_trace *trace,
		      const struct diff_part *part, struct wm_error *err);
/* The same of a log. `registers`: its registers have the numbers of the other side's. */
int effects_log_new(struct effects **effects, const struct pclog *log,
		    const struct diff_part *part, bool registers, struct wm_error *err);

/*
 * Moves to the first effect of instruction `insn` or a later one. When there is none,
 * effects->at equals effects->n. Errors are those of cursors and of logs.
 */
int effects_pass(struct effects *effects, uint64_t insn, struct wm_error *err);

#endif
