/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The last store to an address by any thread of a process, as exactly as clocks allow. */
#ifndef ANALYSIS_MEM_WRITER_H
#define ANALYSIS_MEM_WRITER_H

#include "analysis/mem/walk.h"
#include "analysis/selection.h"

struct mem_moment {
	unsigned stream; /* before this instruction of a thread: */
	uint64_t insn;
};

/*
 * The newest of the accesses that are wanted, by the thread of the moment or a selected one
 * that is in the same space: *access, whose values are copied to *values. *others: how many
 * other threads have such accesses before the moment. WM_END: there is none. WM_E_RANGE: the
 * thread has no such instruction. Other errors are those of cursors.
 */
int mem_last_writer(const struct wm_trace *trace, const struct selection *selection,
		    const struct mem_moment *moment, const struct mem_wanted *wanted,
		    struct mem_access *access, struct wm_access *values, unsigned *others,
		    struct wm_error *err);

#endif
