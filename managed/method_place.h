/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A position of a managed program as words name it: where a method is called, a bytecode at an
 * offset in it, or a line of source.
 */
#ifndef MANAGED_METHOD_PLACE_H
#define MANAGED_METHOD_PLACE_H

#include "managed/walk.h"

struct method_place {
	/* The caller's to set. */
	bool is_line;	  /* of a file; else of a method */
	const char *name; /* a pattern: of files, or of methods */
	const char *
		module; /* of a method: a pattern of the files that it may be in; NULL: any */
	uint64_t number; /* a line; or an offset of bytecode, 0: where the method is called */

	bool *wanted; /* [units->n]; method_place_fini() frees it */
	const struct units *units;
};

/*
 * Finds the methods that the place may be in; `units` must outlive it. WM_END: there are none.
 * WM_E_NOMEM.
 */
int method_place_find(struct method_place *place, const struct units *units,
		      struct wm_error *err);
void method_place_fini(struct method_place *place);

/*
 * Whether a thread reaches the place with a step. A method is reached when it is called, interpreted
 * or compiled, also where it was inlined; a line where a bytecode is executed with which the method's
 * table of lines comes to it.
 */
bool method_place_is(const struct method_place *place, const struct walk_step *step);

#endif
