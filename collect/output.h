/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The file a collector writes, and what goes wrong with it: the first failure to write,
 * and the first reason for which something is missing. Neither stops the collecting, for
 * the guest must not wait.
 */
#ifndef COLLECT_OUTPUT_H
#define COLLECT_OUTPUT_H

#include "base/buf.h"
#include "format/writer.h"

struct output {
	struct writer *writer; /* NULL once it is sealed */
	bool sealed; /* the file is complete: what is put from now on is dropped */
	struct wm_error fault; /* code 0 as long as all could be written */
	char cut[200];	       /* empty as long as nothing is missing */
	uint64_t cut_ns;       /* since then something is */
};

/* Why something is missing when what the guest left in memory makes no sense. */
extern const char output_scribbled[];
/* ... and when there is no memory for it. */
extern const char output_no_memory[];

/* Puts a section, compressed at zstd `level`, and empties its payload. */
void output_put(struct output *out, uint32_t type, struct buf *payload, int level);
/* A fact about the run (META); none when it is NULL, or the number is 0. */
void output_fact(struct output *out, const char *key, const char *value);
void output_number(struct output *out, const char *key, uint32_t number);
/* Something is missing from now on. */
void output_cut(struct output *out, const char *why);
/* Keeps the first failure. */
void output_failed(struct output *out, const struct wm_error *err);

#endif
