// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The relation "blocks": a row for each block that was executed. A gap has no instructions.
 *
 * Most queries read ordinals, ids and sizes only, which the walk has at hand. Names cost
 * more than all else together, so they are looked up when a query uses the column.
 */
#include "sql/relations.h"
#include "sql/walk.h"

enum { ID = WALK_OWN, ADDRESS, INSNS, BYTES, FUNCTION, MODULE };

struct blocks {
	struct rows rows;
	struct walk walk;
};

static uint64_t count(const struct subject *subject)
{
	return subject->summary.blocks;
}

static int open_blocks(struct rows *rows, struct wm_error *err)
{
	return walk_open(&((struct blocks *)rows)->walk, rows->subject, &rows->range,
			 err);
}

static int next_block(struct rows *rows, struct wm_error *err)
{
	int ret = walk_block(&((struct blocks *)rows)->walk, err);

	rows->ended = ret == WM_END;
	return ret;
}

static int put_block(struct rows *rows, sqlite3_context *context, int column,
		     struct wm_error *err)
{
	const struct walk *walk = &((struct blocks *)rows)->walk;
	const struct subject_block *block = &rows->subject->blocks[walk->id];
	struct wm_place place;
	int ret = 0;

	if (walk_put(walk, context, column, 0, 0))
		return 0;
	switch (column) {
	case ID:
		put_number(context, walk->id);
		break;
	case ADDRESS:
		put_number(context, block->address);
		break;
	case INSNS:
		put_number(context, walk->insns);
		break;
	case BYTES:
		put_number(context, block->bytes);
		break;
	/* Both names come from one lookup; a query seldom wants both. */
	default:
		ret = subject_place(rows->subject, walk->step.space, block->address,
				    walk->id, &place, err);
		if (!ret)
			put_text(context, column == FUNCTION ? place.name : place.module);
	}
	return ret;
}

static void close_blocks(struct rows *rows)
{
	walk_close(&((struct blocks *)rows)->walk);
}

const struct relation relation_blocks = {
	.name = "blocks",
	.columns = WALK_COLUMNS "id INTEGER, address ADDRESS INTEGER, insns INTEGER, "
				"bytes INTEGER, function TEXT, module TEXT",
	.keys = { WALK_KEYS, [RANGE_ADDRESS] = ADDRESS + 1 },
	.rows_bytes = sizeof(struct blocks),
	.count = count,
	.open = open_blocks,
	.next = next_block,
	.column = put_block,
	.close = close_blocks,
};
