/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of the code that a JIT compiler made. To add a form, write program/made/NAME.c with
 * a struct made_form, declare it here, and give it a row in made_forms[] of list.c; it gets
 * tests in tests/unit/test_given.c and a fuzz target.
 */
#ifndef PROGRAM_MADE_LIST_H
#define PROGRAM_MADE_LIST_H

#include "base/error.h"
#include "program/made/made.h"

struct made_form {
	const char *name; /* one word */
	const char *what; /* what it looks like, a few words */
	/*
	 * Adds what text[bytes] lists to *made, which is empty. WM_END: the text is in
	 * another form. WM_E_FORMAT: it is in this one, but of a kind that is not read.
	 * WM_E_NOMEM.
	 */
	int (*read)(struct made *made, const char *text, size_t bytes,
		    struct wm_error *err);
};

extern const struct made_form made_perf_map, made_jitdump;

/* All of them, ending with NULL. */
extern const struct made_form *const made_forms[];

/*
 * Reads what is left of an open file, at most `bytes` of it, into *text; the first form that
 * knows it fills in *made, which the caller ends by made_fini(). Errors are those of read().
 */
int made_read(struct made *made, struct buf *text, int fd, size_t bytes,
	      struct wm_error *err);

#endif
