/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was computed of a question, as a file: the question as a command line, the trace it
 * was put to, and shards (analysis/shard.h) of the question's analyses.
 */
#ifndef QUERY_STATE_FILE_H
#define QUERY_STATE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/spool.h"
#include "waymark.h"

enum {
	STATE_PARTS_MAX = 1 << 16, /* parts that a question can be cut into */
	STATE_ROUNDS_MAX = 1 << 8, /* analyses of one question */
	STATE_WORDS_MAX = 1 << 10, /* words of a command line */
};

/* A shard, and which parts of the work it is the result of. */
struct state_piece {
	uint32_t round;	   /* which of the question's analyses, in their order; from 0 */
	uint32_t parts;	   /* into how many parts its work was cut */
	uint32_t *numbers; /* [n] of those parts that are in it, from 1, ascending */
	uint32_t n;
	struct span shard;
	struct spool *spool; /* that the shard is in */
};

/* A trace that the question is about. */
struct state_trace {
	char *name;  /* as it was named */
	char *place; /* its absolute path then */
};

struct state_file {
	char **words; /* [n_words] command and options; a NULL follows */
	uint32_t n_words;
	struct state_trace *traces; /* [n_traces], at least one */
	size_t n_traces;
	uint64_t identity; /* of the trace: state_identity(); of several, their number */
	struct state_piece *pieces;
	size_t n_pieces;
	struct spool *spool; /* the file's bytes, which shards are in */
};

/* A number that differs between traces with different code, chunks or checksums. */
uint64_t state_identity(const struct wm_trace *trace);
/* The same of the trace at `path`, which is opened for it. Errors of wm_trace_open(). */
int state_identity_of(const char *path, uint64_t *identity, struct wm_error *err);

/*
 * Reads the file `path`, whose bytes may be hostile: it uses memory of at most some times the
 * file's size, and of its shards some megabytes. WM_E_FORMAT: it is no such file, or damaged.
 * WM_E_IO, WM_E_OUTPUT, WM_E_NOMEM. On failure there is nothing to free.
 */
int state_file_read(struct state_file *file, const char *path, struct wm_error *err);
void state_file_fini(struct state_file *file);

/* Writes the file's bytes; what could not be written is for ferror(). WM_E_NOMEM. */
int state_file_write(const struct state_file *file, FILE *out, struct wm_error *err);

#endif
