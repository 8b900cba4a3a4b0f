/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places identify instructions across runs: two instructions are the same when their
 * places have the same number. Numbers start at 1.
 */
#ifndef ANALYSIS_DIFF_PLACES_H
#define ANALYSIS_DIFF_PLACES_H

#include "base/intern.h"

struct diff_places {
	struct interner keys; /* by id: the places */
	struct interner names;
};

#define DIFF_PLACES_INIT \
	((struct diff_places){ .keys = INTERNER_INIT, .names = INTERNER_INIT })

void diff_places_fini(struct diff_places *places);

/* The number, from 1, of whatever these bytes name. 0: no memory. */
uint32_t diff_places_name(struct diff_places *places, const void *name, uint32_t bytes);

/*
 * The place `offset` bytes from what a name of diff_places_name() stands for, and with what
 * it must look like: bytes of it, and its class. 0: no memory.
 */
struct diff_place {
	uint32_t name; /* 0: none, the offset is an address */
	uint16_t bytes, class;
};
uint32_t diff_places_at(struct diff_places *places, uint64_t offset,
			const struct diff_place *place);
/* The offset that a place was made of. */
uint64_t diff_places_offset(const struct diff_places *places, uint32_t place);

#endif
