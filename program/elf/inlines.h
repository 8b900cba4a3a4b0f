/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where an ELF file has code of functions that the compiler inlined, by its DWARF (DWARF
 * 5, 3.3.8). Which instructions belong to an inlined call is the compiler's record: it
 * mixes them with those around. A damaged file gives none and no error.
 */
#ifndef PROGRAM_ELF_INLINES_H
#define PROGRAM_ELF_INLINES_H

#include <stdbool.h>
#include <stdint.h>

#include "program/elf/dwarf.h"

/*
 * A part of the code of one inlined call, or of a function itself. Strings are valid during
 * the call of take().
 */
struct elf_inline {
	bool function;		/* no call: the code is where the function is */
	const char *name;	/* of the function, in the source */
	const char *linkage;	/* as its symbol would be; NULL: as `name` */
	const char *into;	/* the function in whose code it lies; NULL: not known */
	const char *source;	/* file of the call; NULL: not known */
	uint32_t line;		/* of the call; 0: not known */
	uint32_t discriminator; /* of the call: of several on a line; 0: none */
	uint32_t declared;	/* line of the function's declaration; 0: not known */
	uint64_t call;		/* parts of the same call have the same number */
	uint64_t entry;	     /* the byte where the call begins; UINT64_MAX: not known */
	uint64_t start, end; /* bytes of the ELF file */
};

struct elf_inlines_asker {
	/* Whether calls of the function are wanted; `linkage` may be NULL. */
	bool (*wants)(void *cookie, const char *name, const char *linkage);
	/* Takes a part; no more come after one that is not taken. */
	bool (*take)(void *cookie, const struct elf_inline *part);
	void *cookie;
	bool functions; /* take() also gets functions, before the calls in them */
};

/* Reads the file open at `fd`, which is taken over, or its debug file. */
void elf_inlines_each(int fd, const char *path, const char *build_id,
		      const struct elf_inlines_asker *asker);
/*
 * The same for one unit. Parts of a call come before those of the calls that are inlined
 * into it. False: a part was not taken, or the unit has too many.
 */
bool elf_inlines_of_unit(const struct dwarf *dwarf, const Dwarf_Die *unit,
			 const struct elf_inlines_asker *asker);

#endif
