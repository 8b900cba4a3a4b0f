/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of a traced program, by number. A function is what a symbol names. Code
 * without a symbol belongs to an artificial function of its file, "[libc.so.6]", or for
 * memory without a file, "[anonymous]". The same function of the same file is one,
 * whichever process ran it and wherever it was loaded.
 */
#ifndef PROGRAM_FUNCTIONS_H
#define PROGRAM_FUNCTIONS_H

#include <stdbool.h>

#include "program/srclines.h"

struct function {
	const char *name;   /* demangled */
	const char *symbol; /* as in the file; NULL: artificial, there is no symbol */
	const char *module; /* path of the file; NULL: none */
	uint64_t start;	    /* bytes in the module's file; 0 without a symbol */
	/* Of one that has no code but what was inlined: as debugging information has it; else NULL. */
	const char *inlined;
	/* Of a line, see functions_divide(); .number 0: it is a function. */
	struct srcline line;
	uint32_t line_of; /* of a line: the number of the function around it */
};

struct functions;

/* `symbols` must outlive it. For one thread at a time. WM_E_NOMEM. */
int functions_new(struct functions **functions, struct symbols *symbols,
		  struct wm_error *err);
void functions_free(struct functions *functions);

/*
 * The number of the function that an address of a space belongs to, as part of block
 * `id`. Numbers start at 1, in the order of the first question for each. *offset, when
 * not NULL, is the distance in bytes from the function's start; without a symbol from the
 * file's start, without a file it is the address. 0: no memory.
 */
uint32_t functions_at(struct functions *functions, uint32_t space, uint64_t address,
		      uint32_t id, uint64_t *offset);
/* Whether code at an address, as part of block `id`, was made at run time. */
bool functions_is_made(const struct functions *functions, uint32_t space,
		       uint64_t address, uint32_t id);
/*
 * The number of the function that was inlined innermost at an address; 0: none was, or it is
 * not known. It is that of the function of this name in the file, if it has code of its own
 * there, too; otherwise one without a symbol.
 */
uint32_t functions_inlined_at(struct functions *functions, struct srclines *lines,
			      uint32_t space, uint64_t address, uint32_t id);
/* That, or of the function around it where there is none; see functions_unfold(). 0: no memory. */
uint32_t functions_innermost(struct functions *functions, uint32_t space,
			     uint64_t address, uint32_t id);
/*
 * The number of a function that no file of the guest has, such as one that a runtime
 * interprets: of that name for readers, of that one for patterns and for comparing runs, and
 * of that source. 0: no memory.
 */
uint32_t functions_named(struct functions *functions, const char *name,
			 const char *symbol, const char *source);
/*
 * From now on functions_inlined() and functions_innermost() find inlined functions, with `lines`,
 * which must outlive it; NULL: none any more, as in the beginning.
 */
void functions_unfold(struct functions *functions, struct srclines *lines);

/*
 * From now on functions_inlined() also finds lines: each is like a function that was inlined into
 * the one around it, and has all of that one's code of that line. `lines` must outlive it; NULL: none
 * any more, as in the beginning.
 */
void functions_divide(struct functions *functions, struct srclines *lines);

/*
 * Whether functions_inlined() from now on looks only into code that was made at run time. At first
 * it does not.
 */
void functions_only_made(struct functions *functions, bool only);

/* The most that may be around an address: a line in each function. */
enum { INLINED_MAX = 2 * SRCFRAMES_MAX + 1 };

/* A function that was inlined, and where it was called. */
struct inlined_function {
	uint32_t number;     /* as of functions_inlined_at(); or of a line */
	struct srcline call; /* .source or .number 0: not known; of a line zeros */
};
/*
 * Fills in inlined[INLINED_MAX] with the functions that were inlined around an address, from
 * the innermost; how many there are. WM_E_NOMEM.
 */
int functions_inlined(struct functions *functions, uint32_t space, uint64_t address,
		      uint32_t id, struct inlined_function inlined[INLINED_MAX]);
/* How many there are so far: numbers run from 1 to this. */
uint32_t functions_count(const struct functions *functions);
/* Function `number`; the strings live as long as `functions`. */
const struct function *functions_get(const struct functions *functions, uint32_t number);
/* Whether its name, as demangle_fits() has it, or its symbol fits a pattern. */
bool functions_match(const struct functions *functions, uint32_t number,
		     const char *pattern);

#endif
