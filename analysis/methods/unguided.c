// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A guide comes into the programs that it is for, the first one and those that execve() begins, and
 * stays in what forks from them (exec.c). It does not where the guest sets the same variable, nor
 * where it cannot reach the guide's files: then no agent tells of a process's methods, and who reads
 * counts of methods must know it. Which programs a guide is for is seen by those that told.
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

#define NAMES_MAX 16

/* Whether it replaced its parent, which had the same pid. */
static bool is_executed(const struct wm_trace *trace, const struct wm_process *process)
{
	struct wm_process parent;

	return !wm_trace_process(trace, process->parent, &parent) &&
	       parent.pid == process->pid;
}

/* Marks those of spaces[n] that an agent or a compiler's list told of. */
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

/* The base name of the program in a space; NULL: the space is no process. */
static const char *name_of(const struct wm_trace *trace, uint32_t space,
			   struct wm_process *process)
{
	return wm_trace_process(trace, space, process) ? NULL :
							 counted_base_name(process->path);
}

/* Different names of programs that told. */
struct names {
	const char *all[NAMES_MAX];
	unsigned n;
};

static bool has(const struct names *names, const char *name)
{
	for (unsigned i = 0; i < names->n; i++)
		if (!strcmp(names->all[i], name))
			return true;
	return false;
}

static void find_names(const struct wm_trace *trace, const bool *told, uint32_t n,
		       struct names *names)
{
	struct wm_process process;

	names->n = 0;
	for (uint32_t i = 0; i < n && names->n < NAMES_MAX; i++) {
		const char *name = told[i] ? name_of(trace, i, &process) : NULL;

		if (name && !has(names, name))
			names->all[names->n++] = name;
	}
}

struct untold {
	const char *name; /* the first one's */
	unsigned n;
};

/* Processes that execve() began, and that nobody told of, as of others of the program. */
static struct untold count(const struct wm_trace *trace, const bool *told, uint32_t n)
{
	struct untold untold = { .name = NULL };
	struct wm_process process;
	struct names names;

	find_names(trace, told, n, &names);
	for (uint32_t i = 1; i < n; i++) {
		const char *name = told[i] ? NULL : name_of(trace, i, &process);

		if (!name || !is_executed(trace, &process) ||
		    (untold.name && strcmp(untold.name, name) != 0) || !has(&names, name))
			continue;
		untold.name = name;
		untold.n++;
	}
	return untold;
}

bool unguided_tell(const struct wm_trace *trace, char text[static UNGUIDED_TEXT])
{
	struct untold untold = { .name = NULL };
	struct wm_summary summary;
	bool *told;

	wm_trace_summary(trace, &summary);
	/* All notes are read for that. */
	if (!wm_trace_meta(trace, "guide") || summary.spaces < 2)
		return false;
	told = calloc(summary.spaces, sizeof(*told));
	if (told) {
		find_told(trace, told, summary.spaces);
		untold = count(trace, told, summary.spaces);
	}
	free(told);
	if (!untold.n)
		return false;
	snprintf(
		text, UNGUIDED_TEXT,
		"execve() began %.80s %u time%s more, which no guide follows: the methods of "
		"%s are not known",
		untold.name, untold.n, untold.n == 1 ? "" : "s",
		untold.n == 1 ? "that process" : "those processes");
	text_make_line(text);
	return true;
}
