/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gives a segment of a stream to an analysis: by its chunks, or retraced, block by block. */
#ifndef ANALYSIS_RETRACE_H
#define ANALYSIS_RETRACE_H

#include "analysis/analysis.h"

/*
 * The state of one worker. The cursor is reused for one segment after another, because a
 * new one costs memory.
 */
struct retrace {
	const struct analysis *analysis;
	const struct wm_trace *trace;
	const struct selection *selection;
	const struct segment *segment; /* set before each call, */
	void *state;		       /* as is this, which has begun */
	struct wm_cursor *cursor;      /* NULL at first */
	/* Of an analysis that is `timed`: up to the chunk that comes next, of a stream. */
	struct clock clock;
	unsigned clock_stream;
	uint32_t clock_chunk;
};

/* Errors are those of cursors and of the analysis, and WM_E_DAMAGED. */
int retrace_segment(struct retrace *retrace, struct wm_error *err);
void retrace_fini(struct retrace *retrace);

#endif
