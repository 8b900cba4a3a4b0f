/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The search for landmarks in one file: landmarks.c has all of it, landmark_lines.c the lines. */
#ifndef PROGRAM_LANDMARKS_DATA_H
#define PROGRAM_LANDMARKS_DATA_H

#include "base/intern.h"
#include "program/elf/lines.h"
#include "program/landmarks.h"
#include "trace/u64map.h"

/* A range of code of a wanted line. */
struct range {
	uint64_t start, end;
	size_t landmark;
};

/*
 * The search in one file. `ranges` collects the lines' ranges of all landmarks; they
 * become places at the end, when it is known which of them continue another.
 */
struct looking {
	const struct landmark *landmarks;
	size_t n;
	const char *path;
	int fd;
	struct landmark_find *finds;
	struct order_place *places;
	size_t n_places;
	const struct interner *sources; /* paths of lines */
	uint32_t last_source;		/* source whose path was compared last, */
	bool *is_source;		/* [n] and whether it is that of each landmark */
	struct range *ranges;
	size_t n_ranges;
	struct u64map verdicts; /* on names of inlined functions, by their addresses */
	uint64_t last_call;	/* whose part was taken last */
	bool failed;		/* no memory */
};

/* Whether a landmark may be in the file that is searched. */
bool landmarks_is_here(const struct looking *looking, const struct landmark *landmark);
/* False only without memory. finds[] counts the places of all files that are searched. */
bool landmarks_add(struct looking *looking, size_t index, uint64_t start, uint64_t end);

/* Looks through the lines of the file open at `fd`, which stays open. */
void landmarks_look_for_lines(struct looking *looking, int fd, const char *build_id);
/*
 * The same for lines that come from elsewhere: each goes to landmarks_take_line(), with
 * `looking`, between these two. False: no memory, and nothing is to end.
 */
bool landmarks_begin_lines(struct looking *looking, const struct interner *sources);
bool landmarks_take_line(void *cookie, const struct elf_line *line);
void landmarks_end_lines(struct looking *looking);

#endif
