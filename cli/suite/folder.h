/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The folder in which a case runs, beside the one that it will have: OUT/.NAME.HOST.PID, which is
 * renamed when it is complete. A run that was killed outright leaves it behind; the next run of
 * the case removes it.
 */
#ifndef CLI_SUITE_FOLDER_H
#define CLI_SUITE_FOLDER_H

#include <limits.h>

#include "waymark.h"

struct case_folder {
	const char *out, *name; /* the caller's */
	char path[PATH_MAX];
	int lock; /* a descriptor; held as long as the process lives */
};

/* Makes it, and removes those that nobody uses. WM_E_OUTPUT: then there is none to close. */
int case_folder_make(struct case_folder *folder, const char *out, const char *name,
		     struct wm_error *err);
/* An older folder OUT/NAME gives way to the new one; nothing is ever half of both. */
int case_folder_keep(const struct case_folder *folder, struct wm_error *err);
/* Removes what was not kept. */
void case_folder_close(struct case_folder *folder);

#endif
