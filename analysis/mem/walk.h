/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The accesses of a thread one by one, with the instructions that did them. */
#ifndef ANALYSIS_MEM_WALK_H
#define ANALYSIS_MEM_WALK_H

#include "analysis/mem/pages.h"
#include "trace/excerpts.h"
#include "waymark.h"

struct mem_access {
	unsigned stream;
	uint32_t space; /* index: what the address means */
	uint64_t insn;	/* ordinal of the instruction in the stream */
	uint32_t id;	/* its block */
	uint64_t pc;	/* its address */
	const struct wm_access *access;
};

/* The bytes first <= address <= last; none when `last` is less. */
struct mem_bytes {
	uint64_t first, last;
};

/* Whether an access touches one of them. One that wraps has all addresses from its first up. */
static inline bool mem_bytes_touched(const struct mem_bytes *bytes,
				     const struct wm_access *access)
{
	uint64_t end = mem_last_byte(access);

	return access->address <= bytes->last &&
	       (end >= bytes->first || end < access->address);
}

/* Which of them. */
struct mem_wanted {
	uint64_t from, to; /* instructions, `to` not included */
	/* Those that touch one of these: by space, or, where that is NULL, in all spaces. */
	struct mem_bytes bytes;
	const struct mem_bytes *spaces;
	bool stores_only;
	bool others; /* instead, values that are no accesses: of registers and places */
	/* By stream: only what is in these blocks; NULL: in all. */
	const struct excerpts *excerpts;
};
#define MEM_ALL ((struct mem_wanted){ .to = UINT64_MAX, .bytes = { 0, UINT64_MAX } })

/*
 * Hands them to `take` in order. It returns 0, or what ends the walk and is returned: an
 * error, or WM_END, which is then the walk's, too. Errors are those of cursors.
 */
int mem_walk(const struct wm_trace *trace, unsigned stream,
	     const struct mem_wanted *wanted,
	     int (*take)(void *cookie, const struct mem_access *access,
			 struct wm_error *err),
	     void *cookie, struct wm_error *err);

/*
 * The last of them: *access, whose values are copied to *values. WM_END: there is none.
 * The thread's chunks are searched from the last, so a near one is found soon.
 */
int mem_last(const struct wm_trace *trace, unsigned stream,
	     const struct mem_wanted *wanted, struct mem_access *access,
	     struct wm_access *values, struct wm_error *err);

/* The address of an instruction of a block. */
uint64_t mem_pc(const struct wm_block *block, uint32_t insn);

/* Instructions of a stream, in chunks whose values are missing. */
uint64_t mem_missing(const struct wm_trace *trace, unsigned stream);

#endif
