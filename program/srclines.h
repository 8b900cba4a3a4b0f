/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of source for guest addresses, from the files that a trace's processes had
 * mapped.
 */
#ifndef PROGRAM_SRCLINES_H
#define PROGRAM_SRCLINES_H

#include "program/symbols.h"

struct srclines;

/* The most inlined calls around one byte; compilers nest them far less deep. */
enum { SRCFRAMES_MAX = 64 };

struct srcline {
	uint32_t source; /* its number, from 1; srclines_path() has its path */
	uint32_t number; /* from 1 */
};

/*
 * Finds lines where `symbols`, which must outlive it, finds files that are still what
 * ran; they are read at the first lookup. For one thread at a time. WM_E_NOMEM.
 */
int srclines_new(struct srclines **lines, struct symbols *symbols, struct wm_error *err);
void srclines_free(struct srclines *lines);

/* Whether any source file was met yet: if not, no lookup has found a line. */
bool srclines_any(const struct srclines *lines);

/* The line of a byte of a file (see symbols_origin()); false when it is not known. */
bool srclines_at(struct srclines *lines, const struct origin *origin,
		 struct srcline *line);

/* A call that the compiler inlined, or the function around all of them. */
struct srcframe {
	const char *function; /* its symbol, or its name in the source; owned by `lines` */
	struct srcline call;  /* where it was called; .source or .number 0: not known */
	uint32_t discriminator; /* of the call: of several on a line; 0: none */
	uint32_t declared;	/* line of the function's declaration; 0: not known */
	bool around;		/* it is the function around the calls */
};
/*
 * Fills in frames[room] with the inlined calls around a byte of a file, from the innermost;
 * how many there are in all.
 */
size_t srclines_frames(struct srclines *lines, const struct origin *origin,
		       struct srcframe *frames, size_t room);
/* Whether a file has any: false for one without debugging information. */
bool srclines_has_frames(struct srclines *lines, uint32_t file);

/*
 * The same with the function around them, which is the last one, `around`, where the debugging
 * information has it.
 */
size_t srclines_stack(struct srclines *lines, const struct origin *origin,
		      struct srcframe *frames, size_t room);

/*
 * The discriminator of the line of a byte: compilers number the paths of one line with it; 0
 * is the first, or none is known.
 */
uint32_t srclines_discriminator(struct srclines *lines, const struct origin *origin);

/* The number of a source file by its path; 0: no memory. */
uint32_t srclines_source(struct srclines *lines, const char *path);
/* The path of a source file; owned by `lines`, valid until the next lookup of a line. */
const char *srclines_path(const struct srclines *lines, uint32_t source);

/* Code of one line: bytes start <= offset < end of a file. */
struct srcline_range {
	struct srcline line;
	uint64_t start, end;
};

/*
 * Calls `take` for all code of a file that is of a line, until it returns false; then
 * returns false.
 */
bool srclines_each(struct srclines *lines, uint32_t file,
		   bool (*take)(void *cookie, const struct srcline_range *range),
		   void *cookie);

#endif
