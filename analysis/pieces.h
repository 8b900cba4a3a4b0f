/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a state of an analysis has that is `streamed`, in pieces that put() gives one by one: all of
 * it may be more than memory should hold.
 */
#ifndef ANALYSIS_PIECES_H
#define ANALYSIS_PIECES_H

#include "base/buf.h"
#include "base/spool.h"

/* Bytes of a piece, about. */
enum { PIECE_BYTES = 1 << 18 };

/* No pieces when all its bytes are zeros. */
struct pieces {
	struct spool *spool; /* each with its size before it; NULL: none */
	struct span left;    /* that were not read, once all are there */
	uint64_t given_back;
};

void pieces_fini(struct pieces *pieces);
/* One piece: `head`, and behind it `rest`. WM_E_OUTPUT, WM_E_NOMEM. */
int pieces_put(struct pieces *pieces, struct span head, struct span rest,
	       struct wm_error *err);
/* All are there. */
int pieces_end(struct pieces *pieces, struct wm_error *err);
/*
 * Reads the next piece, which is valid until the next call, and gives the memory of those before it
 * back. Returns false when there is none.
 */
bool pieces_next(struct pieces *pieces, struct span *piece);
/* Whether there is one. */
static inline bool pieces_left(const struct pieces *pieces)
{
	return span_left(&pieces->left);
}
/* They change places. */
void pieces_swap(struct pieces *a, struct pieces *b);

#endif
