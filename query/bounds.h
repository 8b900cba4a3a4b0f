/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of a side that is compared: --from and --to of diff. */
#ifndef QUERY_BOUNDS_H
#define QUERY_BOUNDS_H

#include "query/landing.h"

struct bounds {
	/* As they were given; POSITION_NONE: an ordinal, or not at all. */
	struct position from, to;
	const char *from_text, *to_text;
	struct landing *landing; /* NULL: no place has to be found */
};

/* What is to be bounded: all of a sequence. */
struct bounded {
	struct diff_source *source;
	bool is_log;	    /* else it is of the trace */
	uint32_t log_space; /* of the trace, where a log's addresses have their names */
};

/* Finds what the places are in a trace, which must outlive them. Errors of landing_new(). */
int bounds_open(struct bounds *bounds, const struct source *source, struct wm_error *err);
void bounds_fini(struct bounds *bounds);

/*
 * Finds the selected part of a sequence, part->from and part->to, unless they are
 * ordinals that were given. When the sequence does not reach a position, *reached is
 * false and *err names it. Errors are those of the source.
 */
int bounds_find(const struct bounds *bounds, const struct bounded *bounded,
		struct diff_part *part, bool *reached, struct wm_error *err);

#endif
