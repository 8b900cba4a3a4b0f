/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs of a managed runtime that ran without the guide, as they were begun by execve(). */
#ifndef ANALYSIS_METHODS_UNGUIDED_H
#define ANALYSIS_METHODS_UNGUIDED_H

#include <stdbool.h>
#include <stddef.h>

#include "waymark.h"

#define UNGUIDED_TEXT 256

/*
 * Writes a sentence that counts the processes which run a program without the guide that others of
 * its name have. Returns false if all have it, or if the trace was recorded without a guide.
 */
bool unguided_tell(const struct wm_trace *trace, char text[static UNGUIDED_TEXT]);

#endif
