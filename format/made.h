/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * MADE: where code that was made at run time lay. All such code of a trace is seen as one
 * file, in which each piece has bytes of its own; a CODE section of the same build-id has
 * its names and lines. A range is what a MODU is for a mapped file.
 *
 *	MADE:   build-id:string path:string packed(table)
 *	table:  ranges:varint spaces* starts* bytes* offsets* known*
 */
#ifndef FORMAT_MADE_H
#define FORMAT_MADE_H

#include "format/symtab.h"

#define MADE_RANGES_MAX (1u << 20)
#define MADE_RAW_MAX (64u << 20)

struct made_range {
	uint64_t start, end; /* guest addresses */
	uint64_t file_off;   /* of `start` */
	uint32_t space;	     /* index */
	uint32_t known;	     /* it is there for blocks with greater ids */
};

/* Appends a payload. False: too many ranges, or no memory. */
bool made_put(struct buf *payload, const struct symtab_head *head,
	      const struct made_range *ranges, uint32_t n);
/*
 * Reads what follows the head of a payload (symtab_get_head()): *ranges is the caller's to
 * free(). False when it is malformed, or without memory: then the span has not failed.
 */
bool made_get(struct span *span, struct made_range **ranges, uint32_t *n);

#endif
