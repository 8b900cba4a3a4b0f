/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of code as they are gathered from an ELF file, in any order, and put in order. */
#ifndef PROGRAM_ELF_NAMES_H
#define PROGRAM_ELF_NAMES_H

#include "format/symtab.h"

/*
 * The worths of names that no table of symbols has: a symbol at the same address wins, whose worth
 * is less (program/elf/symbols.c).
 */
enum {
	NAME_OF_CODE = UINT8_MAX - 2, /* Go's own table has it, or the code tells it */
	NAME_OF_UNWIND = UINT8_MAX - 1,
	NAME_OF_GUESS = UINT8_MAX,
};

struct name {
	uint64_t start, end; /* virtual addresses; not more than start: it has no size */
	uint64_t limit;	     /* where it must end */
	uint32_t text;	     /* where it is in names.texts */
	uint8_t worth;	     /* of several at one address; less is better */
	bool label;	     /* not a function */
	bool chooser;	     /* an IFUNC: it chooses the function of this name */
	bool guess;	     /* it counts only where no name with a size reaches */
};

struct names {
	struct name *all;
	uint32_t n, room;
	struct buf texts;
};

void names_fini(struct names *names);
/* Whether the text is no name for code. */
bool names_nothing(const char *text);
/* Adds a name and a suffix; name->text is set here. False without memory for it. */
bool names_add(struct names *names, const struct name *name, const char *text,
	       const char *suffix);
/* Sorts them by start, functions before labels, and gives those a size that have none. */
void names_put_in_order(struct names *names);
/*
 * Hands the names over, sorted, one for each address: *names is empty then. One without a
 * size runs to the next, and a label inside a function is dropped. False without memory.
 */
bool names_finish(struct names *names, struct symtab *symtab);

#endif
