/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that guests made at run time, as their JIT compilers list it: jitdumps, which guests
 * map, maps for perf at /tmp/perf-PID.map, and what an agent told (format/note.h). They are
 * read at the end and put into the trace, for the code that ran.
 */
#ifndef COLLECT_GENERATED_H
#define COLLECT_GENERATED_H

#include "collect/definitions.h"
#include "format/note.h"

/* The most lists that are kept open: of programs that make code there are few. */
#define GENERATED_MAX 64

struct generated_list {
	uint32_t space; /* index of the process that wrote it */
	int fd;
};

/* What the agent of a process told, or its vDSO, as made_read_notes() reads it. */
struct generated_notes {
	uint32_t space;
	struct buf text;
};

struct generated {
	bool wanted;
	uint64_t begin_s; /* seconds since 1970: an older map is another process's */
	struct generated_list lists[GENERATED_MAX];
	uint32_t n;
	struct generated_notes *notes; /* [n_notes] */
	struct generated_notes *vdsos; /* [n_vdsos] */
	uint32_t n_notes, n_vdsos;
	uint64_t note_bytes; /* in all of them */
};

/* Zeros are a recording that does not want them. */
void generated_init(struct generated *generated, bool wanted);
void generated_fini(struct generated *generated);

/* Process `pid` has mapped its descriptor `fd`, which it wrote a jitdump to. */
void generated_dump(struct generated *generated, uint32_t space, uint32_t pid, int fd);
/* Code runs in an ELF file that is in memory, at guest address `start`. */
void generated_elf(struct generated *generated, uint32_t space, uint64_t start,
		   struct span file);
/* Process `pid` has ended: looks for its map. */
void generated_map(struct generated *generated, uint32_t space, uint32_t pid);

/* Takes a note that is about code. True: it does not go into the file. */
bool generated_note(struct generated *generated, const struct note *note);

/*
 * Puts what the lists have about the blocks of `defs` into the trace, within a share of its
 * size. Can be called several times.
 */
void generated_put(const struct generated *generated, const struct definitions *defs,
		   struct output *out);

#endif
