/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The calls that the compiler inlined around a byte of an ELF file, and the function that
 * they are in, by its DWARF. They are read unit by unit, when a byte of one is first
 * looked up.
 */
#ifndef PROGRAM_ELF_FRAMES_H
#define PROGRAM_ELF_FRAMES_H

#include <stdbool.h>

#include "program/elf/lines.h"
#include "program/parts.h"

/* One inlined call, or the function around all of them. */
struct elf_frame {
	bool function;	  /* no call: it is last, and has no place of a call */
	const char *name; /* of the function, as its symbol would be or as in the source */
	uint32_t file;	  /* of the call, an id as in struct elf_line; 0: not known */
	uint32_t line;	  /* of the call; 0: not known */
	uint32_t discriminator; /* of the call: of several on a line; 0: none */
	uint32_t declared;	/* line of the function's declaration; 0: not known */
};

struct elf_frames;

/*
 * Reads what `lines` reads, which must outlive it, as must `files`, where the paths of
 * sources are put. NULL: no memory.
 */
struct elf_frames *elf_frames_new(const struct elf_lines *lines, struct interner *files);
void elf_frames_free(struct elf_frames *frames);

/*
 * Fills in out[room] with the calls around a byte of the file, from the innermost, then
 * the function, if the DWARF has it; returns how many there are in all. Names are owned
 * by `frames`.
 */
size_t elf_frames_at(struct elf_frames *frames, uint64_t file_off, struct elf_frame *out,
		     size_t room);
/*
 * Calls `take` for the inlined calls of the units that have bytes from <= offset < to, in
 * the order of the walk and once for each unit, over all calls of this function, until it
 * returns false. Not to be mixed with elf_frames_at().
 */
void elf_frames_over(struct elf_frames *frames, uint64_t from, uint64_t to,
		     bool (*take)(void *cookie, const char *name,
				  const struct part *part),
		     void *cookie);

#endif
