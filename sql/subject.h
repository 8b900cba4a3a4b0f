/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trace that SQL asks about, and what all relations need from it: names, and an array
 * of the addresses and sizes of blocks. The array exists because a call of the library
 * for every executed block would cost more than the walk to that block. Both are made on
 * first use.
 */
#ifndef SQL_SUBJECT_H
#define SQL_SUBJECT_H

#include <stdbool.h>

#include "waymark.h"

/* A block by its id, which is its index. */
struct subject_block {
	uint64_t address;
	uint32_t insns, bytes;
};

/* The `bytes` of a block that cannot be read: its code is in no file that is there. */
#define SUBJECT_UNREADABLE UINT32_MAX

struct subject {
	unsigned users; /* struct attached, and open cursors; the last one frees */
	struct wm_trace *trace;
	struct wm_summary summary;
	uint64_t begin_ns;		/* of the recording; 0: not known */
	struct wm_names *names;		/* NULL: not needed yet */
	struct wm_bytecodes *bytecodes; /* NULL: not needed yet, or there are none */
	bool no_bytecodes;
	struct subject_block *blocks; /* [known_blocks + 1]; NULL: not needed yet */
};

/*
 * Takes an open trace, which is closed with the subject. The caller is its one user.
 * NULL: no memory; the trace stays the caller's.
 */
struct subject *subject_new(struct wm_trace *trace);
/* Removes a user. A subject belongs to one database, so one thread at a time uses it. */
void subject_drop(struct subject *subject);

/*
 * The subject that the tables of a database have now. It is shared, so that another trace
 * reaches statements which were prepared before it was opened, too.
 */
struct attached {
	unsigned users; /* tables, and whoever made it until its drop; the last one frees */
	struct subject *subject; /* NULL: none yet */
	bool has_tables;	 /* all of them are registered */
};

/* The caller is its one user. NULL: no memory. */
struct attached *attached_new(void);
/* Removes a user. */
void attached_drop(struct attached *attached);

/* What the threads before one have together, which begins as zeros. */
struct subject_before {
	unsigned threads;
	uint64_t blocks, insns;
};
/* Goes on to `thread`, which is not less than before->threads. */
int subject_add_before(const struct subject *subject, unsigned thread,
		       struct subject_before *before);

/* The rest fail with WM_E_NOMEM, or with errors of reading. */
int subject_need_blocks(struct subject *subject, struct wm_error *err);
/* The function of an address. */
int subject_place(struct subject *subject, uint32_t space, uint64_t address, uint32_t id,
		  struct wm_place *place, struct wm_error *err);
/* The innermost source line of an address. */
int subject_frame(struct subject *subject, uint32_t space, uint64_t address, uint32_t id,
		  struct wm_frame *frame, struct wm_error *err);
/* The bytecode of an instruction; WM_END: none, also in a trace that has none at all. */
int subject_bytecode(struct subject *subject, unsigned thread, uint64_t insn,
		     struct wm_bytecode *bytecode, struct wm_error *err);

#endif
