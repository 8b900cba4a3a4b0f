/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the files in which a trace has left code. The first that is of the build counts:
 *
 *  - what the recorder kept: waymark/code/xx/yyyy in the user's cache;
 *  - below the folder of --symfs, as program/elf/search.h looks there;
 *  - the path that the file had;
 *  - the copies by build-id in usr/lib/debug of its folders, and in the cache.
 */
#ifndef TRACE_CODE_SOURCE_H
#define TRACE_CODE_SOURCE_H

#include <stddef.h>

#include "base/error.h"

/* For the whole process: a folder that must outlive all searches, or NULL. */
void code_source_below(const char *symfs);

/* Files that stay open until they are not needed; all zeros: none. */
struct code_opened {
	struct code_opened_file *files; /* [n] */
	size_t n;
};

/* Opens a file, or has it open: its descriptor; WM_E_IO when it is nowhere; WM_E_NOMEM. */
int code_opened_find(struct code_opened *opened, const char *path, const char *build_id,
		     struct wm_error *err);
void code_opened_fini(struct code_opened *opened);

#endif
