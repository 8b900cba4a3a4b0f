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

#include "out/text.h"
#include "program/made/name.h"
#include "trace/made.h"
#include "trace/notes.h"

static const char *name_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Whether it replaced its parent, which had the same pid. */
static bool is_executed(const struct wm_trace *trace, const struct wm_process *process)
{
	struct wm_process parent;

	return !wm_trace_process(trace, process->parent, &parent) &&
	       parent.pid == process->pid;
}

/* Sets those of spaces[0..n-1] that an agent or a compiler's list told of. */
static void find_told(const struct wm_trace *trace, bool *spaces, uint32_t n)
{
	struct notes_trace notes;
	struct wm_module piece;

	if (!notes_trace_read(&notes, trace, NULL))
		for (size_t i = 0; i < notes.n; i++)
			if (notes.notes[i].space < n)
				spaces[notes.notes[i].space] = true;
	notes_trace_fini(&notes);
	for (uint32_t i = 0; i < trace_made_count(trace); i++) {
		trace_made(trace, i, &piece);
		if (piece.space < n && !strcmp(piece.path, MADE_MODULE))
			spaces[piece.space] = true;
	}
}

static unsigned count(const struct wm_trace *trace)
{
	struct wm_process first, process;
	struct wm_summary summary;
	unsigned n = 0;
	bool *told;

	wm_trace_summary(trace, &summary);
	if (summary.spaces < 2 || !wm_trace_meta(trace, "guide") ||
	    wm_trace_process(trace, 0, &first))
		return 0;
	told = calloc(summary.spaces, sizeof(*told));
	if (told)
		find_told(trace, told, summary.spaces);
	for (unsigned i = 1; told && i < summary.spaces; i++)
		n += !told[i] && !wm_trace_process(trace, i, &process) &&
		     is_executed(trace, &process) &&
		     !strcmp(name_of(process.path), name_of(first.path));
	free(told);
	return n;
}

bool unguided_tell(const struct wm_trace *trace, char text[static UNGUIDED_TEXT])
{
	unsigned n = count(trace);
	struct wm_process first;

	if (!n || wm_trace_process(trace, 0, &first))
		return false;
	snprintf(
		text, UNGUIDED_TEXT,
		"execve() began %.80s %u time%s more, which no guide follows: the methods of "
		"%s are not known",
		name_of(first.path), n, n == 1 ? "" : "s",
		n == 1 ? "that process" : "those processes");
	text_make_line(text);
	return true;
}
