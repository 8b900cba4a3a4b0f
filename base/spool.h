/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes that may be more than memory should hold. What is put there goes to a temporary file once
 * it is a lot; afterwards it is read like memory, of which as much is used as was not given back.
 */
#ifndef BASE_SPOOL_H
#define BASE_SPOOL_H

#include "base/buf.h"
#include "waymark.h"

struct spool {
	struct buf buf; /* all of it, or what is not written yet */
	int fd;		/* the file; -1: all is in memory */
	uint8_t *map;	/* [written] once it has ended; NULL: all is in memory */
	uint64_t written;
	uint64_t given_back; /* bytes of `map`, from its begin on */
};

/* Empty. NULL: no memory. */
struct spool *spool_new(void);
void spool_free(struct spool *spool); /* takes NULL */
/* WM_E_OUTPUT: the temporary file could not be made or written. WM_E_NOMEM. */
int spool_put(struct spool *spool, const void *data, size_t bytes, struct wm_error *err);
/* All bytes are there: *all is them, until spool_free(). Errors as above. */
int spool_end(struct spool *spool, struct span *all, struct wm_error *err);
/*
 * The bytes before `at` are not read again soon, so they need not stay in memory. They may be
 * read all the same.
 */
void spool_give_back(struct spool *spool, const uint8_t *at);

#endif
