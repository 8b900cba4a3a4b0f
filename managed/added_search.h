/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The search for what a compiler added to one method, for the files that do it. */
#ifndef MANAGED_ADDED_SEARCH_H
#define MANAGED_ADDED_SEARCH_H

#include "managed/added.h"
#include "managed/javacode.h"

/* Steps for one method, after which the rest counts as written. */
enum { WORK_MOST = 1 << 24 };

struct added_search {
	struct added *added; /* as[] leads to what stands for it, in any number of steps */
	const struct classes *classes;
	const struct class *class;
	const struct class_method *method;
	const struct unit *unit;
	uint8_t *marks; /* [unit->bytes] MARK_ bits */
	uint32_t work;
	bool failed; /* no memory */
};

enum {
	MARK_LEFT_OUT = 1,
	MARK_HANDLER = 2, /* the copies of what begins there were looked for */
	MARK_INSIDE = 4,  /* the handler that is looked at catches what is thrown there */
};

static inline struct javacode added_code(const struct added_search *search, uint32_t at)
{
	return javacode_at(search->classes, search->unit, at);
}

/* Nobody wrote what is from an offset to another. */
static inline void added_leave_out(struct added_search *search, uint32_t from,
				   uint32_t to)
{
	for (uint32_t at = from; at < to; at++)
		search->marks[at] |= MARK_LEFT_OUT;
}

/* What stands for the bytecode at an offset. */
static inline uint32_t added_root(const struct added_search *search, uint32_t at)
{
	uint32_t *as = search->added->as;

	while (as[at] != at) {
		/* Later ones come there in fewer steps. */
		as[at] = as[as[at]];
		at = as[at];
	}
	return at;
}

/* Copies of a finally, and what catches only to clean up. */
void added_find_handlers(struct added_search *search);
/* What switches over strings and over all values of an enum have. */
void added_find_switches(struct added_search *search);

#endif
