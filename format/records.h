/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The small sections: facts about the run, its spaces, streams and modules.
 *
 * Each has a put and a get that mirror each other. Strings that a get returns are
 * malloc()ed and the caller's. A get returns false when the payload is malformed or there
 * is no memory; in the latter case the span has not failed.
 */
#ifndef FORMAT_RECORDS_H
#define FORMAT_RECORDS_H

#include "base/buf.h"
#include "waymark.h"

/* META: one fact about the run. A later one with the same key replaces it. */
struct meta_record {
	char *key, *value;
};
void meta_put(struct buf *buf, const char *key, const char *value);
bool meta_get(struct span *span, struct meta_record *meta);

/*
 * PROC: a space began. A space gives guest addresses their meaning: a process, or the
 * machine. Indexes count up from 0. The record of a process that lies over no other space
 * ends after the path.
 */
#define SPACE_NONE UINT32_MAX
struct space_record {
	uint32_t index, pid, parent;
	uint64_t begin_ns; /* CLOCK_MONOTONIC */
	char *path;
	uint32_t kind; /* enum wm_space_kind */
	uint32_t over; /* index of the space below it, or SPACE_NONE */
};
void space_put(struct buf *buf, const struct space_record *space);
bool space_get(struct span *span, struct space_record *space);
/* Whether the record needs no FILE_SPACES: readers of any version understand it. */
static inline bool space_is_plain(const struct space_record *space)
{
	return !space->kind && space->over == SPACE_NONE;
}

/* PEND: a space ended. */
struct space_end_record {
	uint32_t index;
	int32_t status; /* as waitpid() gives it; -1: not known */
	uint64_t end_ns;
};
void space_end_put(struct buf *buf, const struct space_end_record *end);
bool space_end_get(struct span *span, struct space_end_record *end);

/*
 * STRM: a stream, one guest thread. A later record with the same index replaces it. It
 * ends after the name when no instruction was passed, or none was counted.
 */
struct stream_record {
	uint32_t index;
	uint32_t space; /* where it begins; chunks may have another */
	uint32_t vcpu, generation, tid;
	char *name;
	uint64_t passed; /* instructions executed unrecorded, as far as they were counted */
};
void stream_put(struct buf *buf, const struct stream_record *stream);
bool stream_get(struct span *span, struct stream_record *stream);

/*
 * MODU: a file mapped into a space. With an empty path: from then on, no file is mapped
 * there. Records of the first Waymark end after the path; their other fields are 0 and
 * "".
 */
struct module_record {
	uint32_t space;
	uint64_t start, end, file_off;
	char *path;
	uint32_t known_blocks; /* blocks defined before code was seen in the mapping */
	uint64_t ns;	       /* CLOCK_MONOTONIC at that moment */
	char *build_id;	       /* lower-case hex; "" when it has none, or unknown */
};
void module_put(struct buf *buf, const struct module_record *module);
bool module_get(struct span *span, struct module_record *module);
void module_fini(struct module_record *module);

/* ENDS: the recording ended. `cut`: what is missing and why; empty: nothing. */
void end_put(struct buf *buf, const char *cut);
bool end_get(struct span *span, char **cut);

#endif
