/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What guests tell about their code: sections NOTE. */
#ifndef COLLECT_NOTES_H
#define COLLECT_NOTES_H

#include "collect/newest.h"
#include "collect/output.h"
#include "format/note.h"

struct notes {
	const struct newest *newest; /* the caller's: what the file has lost */
	struct buf batch;  /* of notes that are not in the file; places are the run's */
	uint64_t last_ns;  /* of the last of them */
	uint64_t since_ns; /* when the first of them came */
	uint64_t payload;  /* of all sections that were put */
	bool full;	   /* no more may be */
};

/* A note of an image that is not complete, or the room for the next one. */
struct note_parts {
	struct buf places; /* of struct note_place */
	struct buf data;
	bool any; /* the image has sent some */
};

void notes_fini(struct notes *notes);
void note_parts_fini(struct note_parts *parts);
/*
 * Takes a piece of the data, which `left` bytes are to follow; false: that is more than a
 * note may have, or there is no memory.
 */
bool note_parts_add(struct note_parts *parts, const uint8_t *data, size_t bytes,
		    uint32_t left);
/* Adds a place to the next note. */
void note_parts_place(struct note_parts *parts, const struct note_place *place);
/* Adds a note. */
void notes_add(struct notes *notes, const struct note *note, struct output *out);
/* Puts what waits into the file. */
void notes_put(struct notes *notes, struct output *out);
/* The same, if it has waited for long. */
void notes_tick(struct notes *notes, struct output *out);

#endif
