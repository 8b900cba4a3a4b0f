/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of code that nest, such as inlined calls, and which of them are around a byte. */
#ifndef PROGRAM_PARTS_H
#define PROGRAM_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct part {
	uint64_t start, end; /* bytes of a file; end is exclusive */
	uint64_t reach;	     /* parts_sort() sets it */
	uint32_t order; /* of the walk: a call comes before those that are inlined into it */
	uint32_t name;			    /* the owner's */
	uint32_t file, line, discriminator; /* of the call; 0: not known */
	uint32_t declared;		    /* line of the function; 0: not known */
	bool function;			    /* not inlined: code of its own */
};

struct parts {
	struct part *all; /* [n], from malloc() */
	size_t n;
};

/* Appends a copy. False: no memory. */
bool parts_add(struct parts *parts, const struct part *part);
/* To be called once after the last parts_add(), before parts_before(). */
void parts_sort(struct parts *parts);
void parts_fini(struct parts *parts);

/*
 * The part over a byte that is the last of the walk before `order` (UINT32_MAX: of all);
 * NULL: none. The part around it is found with its own order.
 */
const struct part *parts_before(const struct parts *parts, uint64_t file_off,
				uint32_t order);

#endif
