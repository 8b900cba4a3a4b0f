/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a damaged file still has, and what is lost of it.
 *
 * Everything that is kept is exact. Sections behind a damaged one count as far as they say
 * for themselves where they belong: a chunk tells its stream and ordinals, so it stays where
 * it ran, and what is missing before it becomes a lost chunk (FORMAT.md, 6.1). A chunk is
 * kept only with its path, with the definitions of all blocks that ran in it, and after it
 * was retraced and held against its own counts.
 */
#ifndef TRACE_SALVAGE_H
#define TRACE_SALVAGE_H

#include "format/survey.h"
#include "format/writer.h"
#include "waymark.h"

/* A place of the file that is of no use. */
struct salvage_place {
	struct section section; /* as far as it is known; type 0: not known what it was */
	uint64_t bytes;		/* of the file */
	size_t ordinal;		/* among its sections, from 1 */
	const char *why;	/* a clause */
};

/* Whether there is more in it than the section at its beginning. */
static inline bool salvage_has_more(const struct salvage_place *place)
{
	return section_end(&place->section) < place->section.off + place->bytes;
}

/* Definitions of blocks that are lost. */
struct salvage_ids {
	uint32_t first, last;
	uint64_t place_off; /* of the place to blame */
};

/* A part of a stream that is lost. */
struct salvage_loss {
	uint32_t stream;
	uint32_t chunk; /* of the stream, from 0: the first that is lost */
	uint64_t first_block, blocks, first_insn, insns;
	uint64_t place_off; /* of the place to blame */
};

struct salvage {
	const char *header; /* what is wrong with the file's header, as a clause, or NULL */
	const char *end;    /* what is wrong with its end, or NULL */
	uint32_t features;	      /* incompatible ones of the file */
	struct salvage_place *places; /* by their offsets */
	size_t place_count;
	struct salvage_ids *ids;
	size_t ids_count;
	struct salvage_loss *losses;
	size_t loss_count;
	struct wm_check kept; /* what was retraced and found sound */
	bool ended;	      /* the recorder said how the recording ended ... */
	const char *cut; /* ... and why it has less than what ran; NULL: it has all */
	uint64_t prefix_bytes; /* the file's beginning, when all that is lost was behind it;
				  else 0 */
	struct salvage_work *work;
};

/*
 * Reads the whole of an open file, which is taken, and retraces all that is there of it.
 * WM_E_FORMAT or WM_E_DAMAGED when it is no trace, or nothing in it can be kept. The path
 * is for errors.
 */
int salvage_open(struct salvage **salvage, int fd, const char *path,
		 struct wm_error *err);
int salvage_open_memory(struct salvage **salvage, const void *data, size_t bytes,
			struct wm_error *err);
void salvage_close(struct salvage *salvage);

/* Whether nothing is wrong with the file. The recording may have been cut all the same. */
bool salvage_is_whole(const struct salvage *salvage);

/* One line on a place, an index; on what is lost: text[size], cut to fit. */
void salvage_describe_place(const struct salvage *salvage, size_t place, char *text,
			    size_t size);
void salvage_describe_ids(const struct salvage_ids *ids, char *text, size_t size);
void salvage_describe_loss(const struct salvage_loss *loss, char *text, size_t size);

/*
 * Puts what is kept into the writer's new file, and at its end what was lost. When the
 * writer was resumed on the old file (prefix_bytes must not be 0), only what is new.
 */
int salvage_write(struct salvage *salvage, struct writer *writer, bool resumed,
		  struct wm_error *err);

#endif
