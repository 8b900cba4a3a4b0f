/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Single instructions of a sequence, by ordinal: where they are, and their text. */
#ifndef QUERY_SPOT_H
#define QUERY_SPOT_H

#include "query/source.h"

struct spot {
	uint64_t address;
	struct code_name place;
	char disas[160]; /* "" when not known */
	/* Owned by the source's lines; NULL: not known, or source_find_lines() was not called. */
	const char *path;
	uint32_t line;
};

/* Streams of one process, as one sequence. */
struct spots {
	const struct source *source;
	const unsigned *streams; /* [n], the caller's */
	unsigned n;
	struct wm_cursor *cursor; /* in streams[stream], which begins at `first` */
	unsigned stream;
	uint64_t first;
	uint64_t next; /* the ordinal that the cursor gives next; UINT64_MAX: not known */
};

void spots_init(struct spots *spots, const struct source *source, const unsigned *streams,
		unsigned n);
void spots_fini(struct spots *spots);
/* Goes to an ordinal of the sequence; WM_END at its end. */
int spots_seek(struct spots *spots, uint64_t ordinal, struct wm_error *err);
/* The next instruction. WM_END. */
int spots_next(struct spots *spots, struct spot *spot, struct wm_error *err);
/* The name of the code at an address, which a log gives. */
void spots_find(const struct spots *spots, uint64_t address, struct spot *spot);

#endif
