/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files of QEMU's own trace (events/simpletrace.h) as one list of events, by the clock. */
#ifndef QUERY_QEMU_TRACES_H
#define QUERY_QEMU_TRACES_H

#include <stdbool.h>

#include "events/simpletrace.h"
#include "query/listener.h"
#include "trace/period.h"

struct qemu_file {
	const char *path;
	struct simpletrace *trace;
	struct simpletrace_event next;
	bool has_next;
	int end; /* WM_END or an error */
	struct wm_error why;
	uint64_t met, within; /* events, and how many of them in the period */
};

struct qemu_traces {
	struct qemu_file *files; /* [n] */
	unsigned n;
	const char
		*declared; /* a file that declares events; the caller's to set, or NULL */
	struct declarations *declarations;
	struct period period;	 /* when the recording was; the caller's to set */
	struct qemu_file *taken; /* whose event was handed out last, or NULL */
};

/* Adds one, to be opened later; `path` must outlive it. False without memory. */
bool qemu_traces_add(struct qemu_traces *traces, const char *path);
/* Opens all, and what is declared; on failure *faulty is the file it is about. */
int qemu_traces_open(struct qemu_traces *traces, const char **faulty,
		     struct wm_error *err);
void qemu_traces_fini(struct qemu_traces *traces);

/*
 * Finds what QEMU installs with the emulator at `path`, if nothing is declared yet; NULL is
 * of no emulator.
 */
void qemu_traces_find_declarations(struct qemu_traces *traces, const char *path);

/* The next event, valid until the next call; NULL at the end, also of what is damaged. */
const struct simpletrace_event *qemu_traces_next(struct qemu_traces *traces);
/*
 * Warns the listener of what is missing in one of the files, as far as it was read. Damage
 * is an error instead: file->end is below 0 then, and file->why describes it.
 */
void qemu_traces_warn(const struct qemu_traces *traces, const struct qemu_file *file,
		      const struct listener *listener);

#endif
