// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A guide comes into the program that `waymark record` starts, and stays in what forks from it.
 * When that program is begun again by execve(), the plugin adds what the guide needs (exec.c). It
 * does not where the guest sets the same variable, nor if the program is another file of that name:
 * then no agent tells of its methods, and who reads counts of methods must know it.
 *
 * Example: python3.13 begins itself twice with LD_PRELOAD=libfaketime.so.1: 2.
 */
#include "analysis/methods/unguided.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/counted.h"
#include "out/text.h"
#include "program/made/name.h"
#include "trace/made.h"
#include "trace/notes.h"

/* Whether it replaced its parent, which had the same pid. */
static bool is_executed(const struct wm_trace *trace, const struct wm_process *process)
{
	struct wm_process parent;

	return !wm_trace_process(trace, process->parent, &parent) &&
	       parent.pid == process->pid;
}

/* Takes those out of spaces[0..n-1] that an agent or a compiler's list told of. */
static void drop_told(const struct wm_trace *trace, bool *spaces, uint32_t n)
{
	struct notes_trace notes;
	struct wm_module piece;

	if (!notes_trace_read(&notes, trace, NULL))
		for (size_t i = 0; i < notes.n; i++)
			if (notes.notes[i].space < n)
				spaces[notes.notes[i].space] = false;
	notes_trace_fini(&notes);
	for (uint32_t i = 0; i < trace_made_count(trace); i++) {
		trace_made(trace, i, &piece);
		if (piece.space < n && !strcmp(piece.path, MADE_MODULE))
			spaces[piece.space] = false;
	}
}

/* How many processes that execve() began are named as the first one, and not told of. */
static unsigned count(const struct wm_trace *trace, const char *name)
{
	struct wm_process process;
	struct wm_summary summary;
	unsigned again = 0, n = 0;
	bool *spaces;

	wm_trace_summary(trace, &summary);
	spaces = calloc(summary.spaces, sizeof(*spaces));
	for (unsigned i = 1; spaces && i < summary.spaces; i++)
		again += spaces[i] = !wm_trace_process(trace, i, &process) &&
				     is_executed(trace, &process) &&
				     !strcmp(counted_base_name(process.path), name);
	/* All notes are read for that. */
	if (again)
		drop_told(trace, spaces, summary.spaces);
	for (unsigned i = 1; again && i < summary.spaces; i++)
		n += spaces[i];
	free(spaces);
	return n;
}

bool unguided_tell(const struct wm_trace *trace, char text[static UNGUIDED_TEXT])
{
	struct wm_process first;
	const char *name;
	unsigned n;

	if (!wm_trace_meta(trace, "guide") || wm_trace_process(trace, 0, &first))
		return false;
	name = counted_base_name(first.path);
	n = count(trace, name);
	if (!n)
		return false;
	snprintf(
		text, UNGUIDED_TEXT,
		"execve() began %.80s %u time%s more, which no guide follows: the methods of "
		"%s are not known",
		name, n, n == 1 ? "" : "s", n == 1 ? "that process" : "those processes");
	text_make_line(text);
	return true;
}
