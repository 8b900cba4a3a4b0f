/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The variables of a traced program, by number, and where each space has them: globals
 * and statics, from the symbols of the mapped files that are still what ran. The rest of
 * a file, which has no symbol, is one object, "[libc.so.6]".
 */
#ifndef PROGRAM_OBJECTS_H
#define PROGRAM_OBJECTS_H

#include <stdbool.h>

#include "program/suggest.h"

struct object {
	char *symbol;	    /* as in the file, or "[libc.so.6]" */
	char *name;	    /* objects_name()'s, when it was asked for */
	const char *module; /* path of the file */
	uint64_t bytes;	    /* 0: no symbol */
};

struct objects;

/*
 * Reads the files of all modules of `trace`, which must outlive it. Several threads may use
 * it afterwards. WM_E_NOMEM.
 */
int objects_new(struct objects **objects, const struct wm_trace *trace,
		struct symbols *symbols, struct wm_error *err);
void objects_free(struct objects *objects);

/* Addresses start <= address <= last of a space. */
struct object_range {
	uint64_t start, last;
	uint32_t number; /* 0: of no object */
	uint64_t at;	 /* where the object starts; 0 without a symbol */
};
/* The range around an address that is all of one object, or of none. */
void objects_at(const struct objects *objects, uint32_t space, uint64_t address,
		struct object_range *range);

/*
 * Where a space has the variable of a name: all of it, or the last parts of it, as
 * demangle_each() has them. The first of several; false: it has none.
 */
bool objects_find(const struct objects *objects, uint32_t space, const char *name,
		  struct object_range *range);
/*
 * Puts the end of a sentence about an unknown name into text[SUGGEST_TEXT]: what may have been
 * meant, else which file's variables are not known. Returns text.
 */
const char *objects_suggest(char *text, const struct objects *objects, const char *typed);

/*
 * The path of the next file, from number *next on, that is missing or is not what ran, so that
 * its variables are not known; NULL: there is no other. Files that were deleted while the guest
 * ran are left out: nobody can bring them back. *next is 0 at first.
 */
const char *objects_unread(const struct objects *objects, uint32_t *next);

/* The process that a space was forked from, with all that it had in memory; false: none. */
bool objects_parent(const struct wm_trace *trace, uint32_t space, uint32_t *parent);

uint32_t objects_count(const struct objects *objects); /* numbers run from 1 to this */
/* Its name as in the source, which lives as long as `objects`; NULL: no memory. */
const char *objects_name(const struct objects *objects, uint32_t number);
const struct object *objects_get(const struct objects *objects, uint32_t number);

#endif
