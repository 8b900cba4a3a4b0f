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
	size_t least; /* bytes that need no file, and those that a reader may keep at least */
};

/* Empty. NULL: no memory. */
struct spool *spool_new(void);
/* The same with another number of bytes that stay in memory, without a file: whole pages. */
struct spool *spool_new_of(size_t least);
void spool_free(struct spool *spool); /* takes NULL */
/* WM_E_OUTPUT: the temporary file could not be made or written. WM_E_NOMEM. */
int spool_put(struct spool *spool, const void *data, size_t bytes, struct wm_error *err);
/* All bytes are there: *all is them, until spool_free(). Errors as above. */
int spool_end(struct spool *spool, struct span *all, struct wm_error *err);
/*
 * A reader needs the bytes before `at` no more, so they need not stay in memory; whoever reads them
 * all the same gets them. *given_back is the reader's: how many bytes it has given back, 0 at first.
 */
void spool_give_back(const struct spool *spool, uint64_t *given_back, const uint8_t *at);

#endif
