/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sections of blocks that leave code where it is: in the program's own files, known by their
 * build-ids. What is read from these is checked, so the code is what ran, or it is missing.
 */
#ifndef FORMAT_CODE_FILES_H
#define FORMAT_CODE_FILES_H

#include "format/blocks.h"

/* Where a reader gets these files. */
struct code_source {
	/*
	 * Opens the file of that build; `path` is where it was. A descriptor that stays the
	 * source's, or a WM_E_ code.
	 */
	int (*open)(void *cookie, const char *path, const char *build_id,
		    struct wm_error *err);
	void *cookie;
};

/* Whether a BLKS has code in files. */
bool code_files_in(struct span payload);
/*
 * Makes the payload of a section that has all its code itself; *whole is reused. WM_E_DAMAGED
 * also when a file has other code than what ran; WM_E_IO when one is not there.
 */
int code_files_resolve(struct buf *whole, struct span payload,
		       const struct code_source *source, struct wm_error *err);

#endif
