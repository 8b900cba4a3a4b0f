/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A text that cannot be cut, as one of several processes writes it that never meet: undivided.h
 * of answers that are no rows, and may be larger than memory.
 */
#ifndef QUERY_UNDIVIDED_TEXT_H
#define QUERY_UNDIVIDED_TEXT_H

#include <stdio.h>

#include "query/share.h"

struct undivided_text {
	/*
	 * Writes all of it; *count is for whoever gets the text. What `out` does not take is the
	 * caller's to notice.
	 */
	int (*write)(void *cookie, FILE *out, uint64_t *count, struct wm_error *err);
	void *cookie;
};

/*
 * Writes the text about the trace to `out`, or what the share is to do. *count is write()'s, 0 when
 * nothing was written. Errors are those of share_run() and of write().
 */
int undivided_write(const struct undivided_text *text, const struct wm_trace *trace,
		    struct share *share, FILE *out, uint64_t *count,
		    struct wm_error *err);

#endif
