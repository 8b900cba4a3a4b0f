/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code as users name it, and where that is in an ELF file.
 *
 * A name is that of a symbol in the file, or its C++ name, with or without its
 * parameters, or the last parts of that ("Book::match"). A function is the code of its
 * symbol and, for windows and filters, wherever the compiler inlined it: there it begins at
 * the entry of the inlined call. A line has code where a range of it begins that does not
 * continue another.
 */
#ifndef PROGRAM_LANDMARKS_H
#define PROGRAM_LANDMARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/orders.h"
#include "format/symtab.h"
#include "program/elf/loads.h"

enum landmark_kind {
	LANDMARK_SYMBOL,  /* the instruction `value` bytes after symbol `name` */
	LANDMARK_LINE,	  /* line `value` of a source file whose path ends with `name` */
	LANDMARK_ADDRESS, /* guest addresses from `value` on, up to `end`, exclusive */
	LANDMARK_FUNCTIONS, /* those whose names fit pattern `name` */
	LANDMARK_MODULE,    /* all of a file */
};

struct landmark {
	enum landmark_kind kind;
	const char *module; /* a pattern for the file's name, or its path; NULL: any */
	const char *name;
	uint64_t value, end;
	enum order_sense sense; /* what for */
	uint32_t window;
	bool no_inline;	  /* of a function only the code of its symbol is meant */
	const char *text; /* as the user wrote it */
};

/* What was found of one, in one file or several. */
struct landmark_find {
	uint64_t places;       /* how many */
	uint64_t choosers;     /* of these: symbols that are IFUNCs */
	bool module;	       /* a file was seen that it can be in */
	bool source;	       /* of a line: so was its source file */
	uint32_t below, above; /* of a line without code: the next that have some; or 0 */
	unsigned near_edits; /* of a line: to its source, from a file whose name is near */
	char near[64];	     /* that one; "": none is near */
	uint64_t bytes;	     /* of a symbol that ends before `value`; or 0 */
};

/*
 * Looks for landmarks[n] in the file open at `fd` (-1: it cannot be read), which stays
 * the caller's, and adds to finds[n]. The places, in bytes of the file, without dev and
 * ino, and those of a sense and window sorted and apart from each other, are
 * *places[*n_places], the caller's to free. False without memory for them.
 */
bool landmarks_find(const struct landmark *landmarks, size_t n, int fd, const char *path,
		    const char *build_id, struct landmark_find *finds,
		    struct order_place **places, size_t *n_places);

/*
 * The same of names that are in no file, as of a module of a machine's kernel, which is known
 * by `path`. Places are in bytes of what *names is of.
 */
bool landmarks_find_names(const struct landmark *landmarks, size_t n,
			  const struct symtab *names, const char *path,
			  struct landmark_find *finds, struct order_place **places,
			  size_t *n_places);

struct packed;
struct interner;
/*
 * The same of lines that were packed into a trace, with their paths, for a file that is not
 * there: of other kinds nothing is found.
 */
bool landmarks_find_lines(const struct landmark *landmarks, size_t n,
			  const struct packed *packed, const struct interner *sources,
			  const char *path, struct landmark_find *finds,
			  struct order_place **places, size_t *n_places);

/*
 * Makes of a place in a file what of it is in one part, at the addresses that the part has;
 * false: nothing is.
 */
bool landmarks_load(struct order_place *place, const struct elf_load *part);

/*
 * Whether a pattern fits the path of a file, or without a slash in it the path's end. What is no
 * file has a name in brackets, which a pattern may lack: "dummy" fits [dummy].
 */
bool landmarks_fit_file(const char *pattern, const char *path);

#endif
