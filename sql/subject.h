/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trace that SQL asks about, with what all relations need of it: names, and the sizes
 * and addresses of blocks in arrays, because a call of the library for every executed block
 * would cost more than the block. Both are made when they are first needed.
 */
#ifndef SQL_SUBJECT_H
#define SQL_SUBJECT_H

#include "waymark.h"

/* A block by its id, which is its index. */
struct subject_block {
	uint64_t address;
	uint32_t insns, bytes;
};

struct subject {
	unsigned users; /* tables and who made it; the last one frees it */
	struct wm_trace *trace;
	struct wm_summary summary;
	struct wm_names *names;	      /* NULL: not asked for yet */
	struct subject_block *blocks; /* [known_blocks + 1]; NULL: the same */
};

/* Takes an open trace, which is closed with the subject. NULL: no memory. One user. */
struct subject *subject_new(struct wm_trace *trace);
/* One user less. A subject belongs to one database, so to one thread at a time. */
void subject_drop(struct subject *subject);

/* Both WM_E_NOMEM, or errors of reading. */
int subject_need_blocks(struct subject *subject, struct wm_error *err);
/* The function of an address. */
int subject_place(struct subject *subject, uint32_t space, uint64_t address, uint32_t id,
		  struct wm_place *place, struct wm_error *err);
/* The innermost source line of an address. */
int subject_frame(struct subject *subject, uint32_t space, uint64_t address, uint32_t id,
		  struct wm_frame *frame, struct wm_error *err);

#endif
