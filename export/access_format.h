/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses of memory in the lines of instructions. */
#ifndef EXPORT_ACCESS_FORMAT_H
#define EXPORT_ACCESS_FORMAT_H

#include <stddef.h>

#include "waymark.h"

/*
 * How a listing shows the accesses of an instruction, and other values, at the end of its
 * line. Each function is as snprintf(); `isa` is the guest's.
 */
struct line_accesses {
	const char *
		columns; /* for the header of a listing, with a comma before them; or NULL */
	const char *begin, *between, *end; /* begin and end around the accesses */
	bool always;			   /* begin and end also without any */
	int (*put)(char *text, size_t size, const struct wm_access *access,
		   const char *isa);
};

extern const struct line_accesses accesses_text, accesses_csv, accesses_jsonl;

#endif
