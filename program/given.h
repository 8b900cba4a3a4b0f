/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of names by guest address that the user gave, such as a map of generated code.
 */
#ifndef PROGRAM_GIVEN_H
#define PROGRAM_GIVEN_H

#include "program/extents.h"
#include "program/made/made.h"
#include "program/symbols.h"

struct given {
	char *path;
	struct made made;
	struct extents extents; /* of all spaces it is for; `what` is a piece's number */
};

/*
 * Reads the table for process `pid` of the trace, 0 for the process in the file's name
 * ("perf-PID.map"), else the only one in the trace. WM_E_IO; WM_E_FORMAT: no provider
 * knows its format; WM_E_RANGE: there is no such process, or more than one; WM_E_NOMEM.
 */
int given_open(struct given *given, const struct wm_trace *trace, const char *path,
	       uint32_t pid, struct wm_error *err);
void given_fini(struct given *given);

/* As symbols_find(): the table's entry for an address of a space at a moment. */
bool given_find(const struct given *given, const struct wm_trace *trace, uint32_t space,
		uint64_t address, uint32_t id, struct symbol *out);

#endif
