/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread's instructions with their memory accesses, in a format of other programs. */
#ifndef CLI_LIST_MEM_LINES_H
#define CLI_LIST_MEM_LINES_H

#include "export/mem_format.h"
#include "query/share.h"
#include "query/source.h"
#include "trace/excerpts.h"

struct mem_lines {
	const struct mem_format *format;
	const struct source *source;
	unsigned thread;		 /* index of the stream */
	uint64_t from, to;		 /* ordinals of instructions; `to` is exclusive */
	uint64_t count;			 /* the most lines to print */
	const struct excerpts *excerpts; /* of the thread; NULL: all of it */
};

/*
 * Prints them to standard output, and a remark when some of them may not have run; with a share,
 * which may be NULL, what it is to do: the first part has all lines. WM_E_RANGE when the recording
 * has no accesses, or not what the format needs; otherwise errors of cursors and of share_run().
 */
int mem_lines_print(const struct mem_lines *lines, struct share *share,
		    struct wm_error *err);

#endif
