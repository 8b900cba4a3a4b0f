// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * In the spool a piece is its size and its bytes. The spool is made for the first piece, so a state
 * that needs none costs nothing.
 */
#include "analysis/pieces.h"

#include "base/error.h"

enum { VARINT_BYTES = 10 };

void pieces_fini(struct pieces *pieces)
{
	spool_free(pieces->spool);
	*pieces = (struct pieces){ .spool = NULL };
}

int pieces_put(struct pieces *pieces, struct span head, struct span rest,
	       struct wm_error *err)
{
	uint8_t size[VARINT_BYTES];
	const uint8_t *end = put_varint(size, span_left(&head) + span_left(&rest));
	int ret;

	if (!pieces->spool)
		pieces->spool = spool_new();
	if (!pieces->spool)
		return wm_fail_nomem(err, "an analysis");
	ret = spool_put(pieces->spool, size, (size_t)(end - size), err);
	if (!ret)
		ret = spool_put(pieces->spool, head.at, span_left(&head), err);
	return ret ? ret : spool_put(pieces->spool, rest.at, span_left(&rest), err);
}

int pieces_end(struct pieces *pieces, struct wm_error *err)
{
	return pieces->spool ? spool_end(pieces->spool, &pieces->left, err) : 0;
}

bool pieces_next(struct pieces *pieces, struct span *piece)
{
	if (!pieces_left(pieces))
		return false;
	spool_give_back(pieces->spool, &pieces->given_back, pieces->left.at);
	*piece = span_sub(&pieces->left, span_varint(&pieces->left));
	return true;
}

void pieces_swap(struct pieces *a, struct pieces *b)
{
	struct pieces one = *a;

	*a = *b;
	*b = one;
}
