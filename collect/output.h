/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file that a collector writes, the first failure to write it, and the first reason
 * for which something is missing in it. Neither stops the collecting: the guest must not
 * wait.
 */
#ifndef COLLECT_OUTPUT_H
#define COLLECT_OUTPUT_H

#include "base/buf.h"
#include "format/symtab.h"
#include "format/writer.h"

struct output {
	struct writer *writer; /* NULL once it is sealed */
	bool sealed;	       /* the file is complete: later sections are dropped */
	struct wm_error fault; /* code 0 as long as all could be written */
	char cut[200];	       /* empty as long as nothing is missing */
	uint64_t cut_ns;       /* when `cut` was set */
};

/* Reasons for output_cut(): the shared memory makes no sense. */
extern const char output_scribbled[];
/* There is no memory. */
extern const char output_no_memory[];

/* Puts a section, compressed at zstd `level`, and empties its payload. */
void output_put(struct output *out, uint32_t type, struct buf *payload, int level);
/* Puts the names of a file's code (SYMS); nothing when there are too many, or no memory. */
void output_names(struct output *out, const char *build_id, const char *path,
		  const struct symtab *names);
/* Puts a fact about the run (META); nothing when it is NULL, or the number is 0. */
void output_fact(struct output *out, const char *key, const char *value);
void output_number(struct output *out, const char *key, uint32_t number);
/* Notes that something is missing from now on; the first reason stays. */
void output_cut(struct output *out, const char *why);
/* Keeps the first failure. */
void output_failed(struct output *out, const struct wm_error *err);

#endif
