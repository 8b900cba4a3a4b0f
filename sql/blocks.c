// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The relation "blocks": a row for each block that was executed. A gap is a row without an
 * address and instructions, because it has an ordinal; so the ordinals of a thread have no
 * holes. Its address is NULL, as no condition on addresses selects it.
 *
 * SQLite asks for columns one by one, and only for those that the query uses. Ordinals,
 * ids and sizes come from the walk and the array of blocks. Looking up a name costs more
 * than all other columns together, so put_block() does it only when a query asks for one.
 */
#include "sql/relations.h"
#include "sql/walk.h"

enum { ID = WALK_OWN, ADDRESS, INSNS, BYTES, FUNCTION, MODULE, BYTECODE };

struct blocks {
	struct rows rows;
	struct walk walk;
};

/* Exact, gaps included. */
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
	const struct walk *walk = &((struct blocks *)rows)->walk;
	int ret = walk_block(&((struct blocks *)rows)->walk, err);

	rows->ended = ret == WM_END;
	rows->number = walk->before.blocks + walk->block;
	return ret;
}

/* Of this execution, as `waymark blocks` has it: fewer if the block was left early. */
static uint64_t bytes_of(const struct rows *rows, const struct walk *walk)
{
	const struct subject_block *whole = &rows->subject->blocks[walk->id];
	struct wm_block block;
	uint64_t bytes = 0;

	if (walk->insns >= whole->insns ||
	    wm_trace_block(rows->subject->trace, walk->id, &block))
		return whole->bytes;
	for (uint32_t i = 0; i < walk->insns; i++)
		bytes += block.sizes[i];
	return bytes;
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
	/* A gap has none: the label would be that of the code behind it. */
	if (column >= BYTECODE)
		return walk->insns ? walk_put_bytecode(walk, context, column - BYTECODE,
						       0, err) :
				     0;
	switch (column) {
	case ID:
		put_number(context, walk->id);
		break;
	case ADDRESS:
		if (block->bytes)
			put_number(context, block->address);
		break;
	case INSNS:
		/* Of this execution: fewer than the block has if it was left early. */
		put_number(context, walk->insns);
		break;
	case BYTES:
		put_number(context, bytes_of(rows, walk));
		break;
	/*
	 * One lookup finds both names. It is not kept for the other column, because a
	 * query seldom uses both.
	 */
	default:
		if (!block->bytes)
			break;
		ret = subject_place(rows->subject, walk->step.space, block->address,
				    walk->id, &place, err);
		if (!ret)
			put_text(context, column == FUNCTION ? place.name : place.module);
	}
	return ret;
}

static uint64_t ordinal(const struct rows *rows)
{
	return ((const struct blocks *)rows)->walk.insn;
}

static void close_blocks(struct rows *rows)
{
	walk_close(&((struct blocks *)rows)->walk);
}

const struct relation relation_blocks = {
	.name = "blocks",
	.columns = WALK_COLUMNS
	"id INTEGER, address ADDRESS INTEGER, insns INTEGER, "
	"bytes INTEGER, function TEXT, module TEXT, " WALK_BYTECODE_COLUMNS,
	.keys = { WALK_KEYS, [RANGE_ADDRESS] = ADDRESS + 1 },
	.in_order = true,
	.ordinal = ordinal,
	.rows_bytes = sizeof(struct blocks),
	.count = count,
	.open = open_blocks,
	.next = next_block,
	.column = put_block,
	.close = close_blocks,
};
