// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows of sums in an array, found by group and kind through a hash map of 64-bit keys:
 * the group in the upper half, the kind in the lower one. The map holds the row's index
 * plus 1, because the value of a key that was never added is 0.
 *
 * Errors are collected: the first failure sets `failed` and later additions are ignored.
 * So the many callers of tally_add() need no check of their own, only one at the end.
 *
 * Example: adding (group 3, kind 7), (3, 9) and (3, 7) again makes two rows; row 0 has
 * the sum of the first and the third addition.
 */
#include "analysis/mix/tally.h"

#include <stdlib.h>

void tally_init(struct tally *tally)
{
	*tally = (struct tally){ .rows = NULL };
	tally->failed = u64map_init(&tally->places) != 0;
}

void tally_fini(struct tally *tally)
{
	free(tally->rows);
	u64map_fini(&tally->places);
}

static bool make_room(struct tally *tally)
{
	size_t room = tally->room * 2 + 256;
	struct mix_row *grown;

	if (tally->n < tally->room)
		return true;
	/* The map's values are 32 bits wide. */
	grown = room < UINT32_MAX ? reallocarray(tally->rows, room, sizeof(*grown)) :
				    NULL;
	if (!grown)
		return false;
	tally->rows = grown;
	tally->room = room;
	return true;
}

/* The row to add to; NULL: no memory. */
static struct mix_row *row_of(struct tally *tally, uint32_t group, uint32_t kind)
{
	/*
	 * Room comes first: a key in the map without a row would be taken for a row that
	 * exists.
	 */
	uint32_t *place = make_room(tally) ? u64map_at(&tally->places,
						       (uint64_t)group << 32 | kind) :
					     NULL;

	if (!place)
		return NULL;
	if (!*place) {
		tally->rows[tally->n++] =
			(struct mix_row){ .group = group, .kind = kind };
		*place = (uint32_t)tally->n;
	}
	return &tally->rows[*place - 1];
}

void tally_add(struct tally *tally, const struct mix_row *row)
{
	struct mix_row *to = tally->failed ? NULL : row_of(tally, row->group, row->kind);

	if (!to) {
		tally->failed = true;
		return;
	}
	mix_add(&to->sums, &row->sums);
}
