/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that is either complete or unchanged: it is written under another name beside it
 * and renamed at the end. What is no regular file, as /dev/stdout, is written to directly.
 */
#ifndef CLI_FRESH_FILE_H
#define CLI_FRESH_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "cli/plain.h"
#include "waymark.h"

struct fresh_file {
	FILE *out; /* to write to */
	const char *path;
	char *target;	    /* what `path` is, when it is a link */
	char *beside;	    /* NULL: written directly */
	struct plain plain; /* of `out`, when it is a terminal's */
};

/* From now on files are written nowhere: another process of the job has the same ones. */
void fresh_files_are_elsewhere(void);

/* Whether the file begins as a trace does. */
bool fresh_file_is_trace(const char *path);
/*
 * `path`, which must outlive it, or "-" for stdout. WM_E_OUTPUT, also for a file that is a
 * trace; WM_E_NOMEM.
 */
int fresh_file_open(struct fresh_file *file, const char *path, struct wm_error *err);
/*
 * Whether it can be written, before work that takes long; leaves nothing behind. The errors of
 * fresh_file_open().
 */
int fresh_file_try(const char *path, struct wm_error *err);
/* Puts it in its place; on failure it is dropped. WM_E_OUTPUT also when any write failed. */
int fresh_file_keep(struct fresh_file *file, struct wm_error *err);
/* Keeps it when `ret`, a result of writing it, is 0; else drops it. Returns the first error. */
int fresh_file_end(struct fresh_file *file, int ret, struct wm_error *err);
/* Removes what was written; an older file stays. */
void fresh_file_drop(struct fresh_file *file);

#endif
