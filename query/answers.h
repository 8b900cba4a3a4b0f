/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers about several traces as the bytes of a shard (query/share.h): each is computed by one
 * part, whole. An answer that cannot be cut is about the only one of one trace.
 */
#ifndef QUERY_ANSWERS_H
#define QUERY_ANSWERS_H

#include "query/answer.h"

/* One of them, as bytes. */
struct answers_entry {
	uint64_t number;   /* of the trace among all */
	uint64_t identity; /* of the trace: state_identity() */
	struct span bytes; /* for answer_get() */
};

/* Appends an answer, behind those of lower numbers. Reports no memory by out->failed. */
void answers_add(struct buf *out, uint64_t number, uint64_t identity,
		 const struct answer *answer);
/* The first of the answers that are left. WM_END: none is; WM_E_FORMAT. */
int answers_next(struct span *in, struct answers_entry *entry, struct wm_error *err);
/* Whether `file` still is the trace that the answer is about: WM_E_RANGE if not. */
int answers_check_trace(const struct answers_entry *entry, const char *file,
			struct wm_error *err);
/* Appends those of both, in the order of numbers, of which none is in both. */
int answers_merge(struct span a, struct span b, struct buf *out, struct wm_error *err);

#endif
