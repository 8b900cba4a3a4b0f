/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runtimes whose release their guide does not know: such a one tells its name, and no methods. */
#ifndef MANAGED_STRANGERS_H
#define MANAGED_STRANGERS_H

#include <stdbool.h>
#include <stddef.h>

#include "trace/notes.h"

/* Whether the note at that index, of a runtime, is all that its guest told of its program. */
bool stranger_is(const struct notes_trace *notes, size_t index);
/*
 * The name and version of the first such runtime in a trace, as "CPython 3.16.0", from malloc(). Only
 * the first 64 notes of runtimes are looked at. NULL if none of them is such a runtime, or if the
 * notes cannot be read.
 */
char *stranger_find(const struct wm_trace *trace);

#endif
