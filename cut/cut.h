/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A part of a trace as a trace of its own: instruction for instruction what the part has,
 * with its values, events, files and names. Its ordinals count from 0 again.
 */
#ifndef CUT_CUT_H
#define CUT_CUT_H

#include "waymark.h"

/* Instructions from <= ordinal < to of a stream; `to` may be beyond its end. */
struct cut_part {
	unsigned stream;
	uint64_t from, to;
};

struct cut {
	const struct wm_trace *trace;
	const char *file; /* its path: another one than the new trace's; NULL: in memory */
	const struct cut_part *parts; /* [n] by stream, ascending; one of each at most */
	unsigned n;
	const char *what; /* the part in words, for those who read the new trace */
};

struct cut_sums {
	uint64_t bytes;	 /* of the new file */
	uint64_t chunks; /* in it, */
	uint64_t copied; /* and how many of them were copied as they are */
	unsigned streams;
};

/*
 * Writes the file `path`, which is complete or not there. Streams of which the part has no
 * instruction are left out. WM_E_RANGE: that is all of them; WM_E_DAMAGED, also for a lost
 * chunk of which only some is wanted; WM_E_OUTPUT, WM_E_IO, WM_E_NOMEM.
 */
int cut_write(const struct cut *cut, const char *path, struct cut_sums *sums,
	      struct wm_error *err);

#endif
