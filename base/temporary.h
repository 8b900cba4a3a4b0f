/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Temporary files without a name: they vanish with the process, however it ends. */
#ifndef BASE_TEMPORARY_H
#define BASE_TEMPORARY_H

#include "waymark.h"

/*
 * Opens an empty one in $TMPDIR, or else in /tmp, to read and write. Returns the descriptor, for
 * the caller to close; or WM_E_OUTPUT.
 */
int temporary_open(struct wm_error *err);

#endif
