/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file that generated code is seen as (format/made.h): its pieces one after the other,
 * with their names and lines.
 */
#ifndef COLLECT_GENERATED_FILE_H
#define COLLECT_GENERATED_FILE_H

#include "base/intern.h"
#include "collect/output.h"
#include "format/codemap.h"
#include "format/made.h"
#include "program/made/made.h"

struct generated_file {
	const char *path;
	bool one; /* all processes have the same code: a name and size has its bytes once */
	struct made_range *ranges; /* [n] */
	uint32_t n;
	uint32_t names;	    /* of pieces that have bytes of their own */
	uint64_t bytes;	    /* of all pieces so far */
	uint32_t shared;    /* see struct made */
	struct codemap map; /* its text_off is made at the end */
	struct interner texts;
};

#define GENERATED_FILE_INIT(path_, one_) \
	((struct generated_file){ .path = (path_), .one = (one_) })

void generated_file_fini(struct generated_file *file);
/* Adds the pieces that ran, of a process. False: no memory. */
bool generated_file_add(struct generated_file *file, const struct made *made,
			uint32_t space);
/* Puts the file, unless it is empty: as much of it as the trace's size allows. */
void generated_file_put(struct generated_file *file, struct output *out);

#endif
