// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The relation "insns": a row for each instruction that was executed. What an instruction
 * is, and its names, are found only for the columns that a query uses.
 */
#include <stdio.h>

#include "sql/relations.h"
#include "sql/walk.h"

enum {
	ADDRESS = WALK_OWN,
	CODE,
	DISASSEMBLY,
	CLASS,
	FUNCTION,
	OFFSET,
	SOURCE,
	LINE,
	MODULE
};

struct insns {
	struct rows rows;
	struct walk walk;
	uint32_t index;	  /* in the block */
	uint64_t address; /* of the instruction */
	struct wm_block block;
};

static uint64_t count(const struct subject *subject)
{
	return subject->summary.insns;
}

static int open_insns(struct rows *rows, struct wm_error *err)
{
	return walk_open(&((struct insns *)rows)->walk, rows->subject, &rows->range, err);
}

/*
 * The next instruction of the block, or the first one of the next block. Gaps have none and
 * are passed over. A block that was left early has fewer than its code.
 */
static int next_insn(struct rows *rows, struct wm_error *err)
{
	struct insns *insns = (struct insns *)rows;
	struct walk *walk = &insns->walk;
	int ret;

	if (walk->n && insns->index + 1 < walk->insns) {
		insns->address += insns->block.sizes[insns->index++];
		return 0;
	}
	do
		ret = walk_block(walk, err);
	while (!ret && !walk->insns);
	rows->ended = ret == WM_END;
	if (ret)
		return ret;
	insns->index = 0;
	insns->address = rows->subject->blocks[walk->id].address;
	return wm_trace_block(rows->subject->trace, walk->id, &insns->block);
}

/* The bytes as they lie in memory, in hexadecimal. */
static void put_code(sqlite3_context *context, const struct insns *insns)
{
	const uint8_t *code = insns->block.code + (insns->address - insns->block.address);
	char text[2 * UINT8_MAX + 1] = "";

	for (unsigned i = 0; i < insns->block.sizes[insns->index]; i++)
		snprintf(text + 2 * i, 3, "%02x", code[i]);
	put_text(context, text);
}

/* As the ISA's manual writes it on RISC-V, elsewhere as QEMU does: wm_trace_disas(). */
static void put_disassembly(sqlite3_context *context, const struct insns *insns)
{
	char text[256];

	wm_trace_disas(insns->rows.subject->trace, insns->walk.id, insns->index, text,
		       sizeof(text));
	put_text(context, text);
}

/* NULL where nobody knows the guest's instructions. */
static void put_class(sqlite3_context *context, const struct insns *insns)
{
	struct wm_insn insn;

	if (!wm_trace_insn(insns->rows.subject->trace, insns->walk.id, insns->index,
			   &insn))
		put_text(context, wm_insn_class_name(insn.insn_class));
}

/* The function, the offset in it, and the file. */
static int put_place(sqlite3_context *context, int column, const struct insns *insns,
		     struct wm_error *err)
{
	struct wm_place place;
	int ret = subject_place(insns->rows.subject, insns->walk.step.space,
				insns->address, insns->walk.id, &place, err);

	if (!ret && column == OFFSET)
		put_number(context, place.offset);
	else if (!ret)
		put_text(context, column == FUNCTION ? place.name : place.module);
	return ret;
}

/* The innermost inlined function's line; NULL where a file has no line tables. */
static int put_line(sqlite3_context *context, int column, const struct insns *insns,
		    struct wm_error *err)
{
	struct wm_frame frame;
	int ret = subject_frame(insns->rows.subject, insns->walk.step.space,
				insns->address, insns->walk.id, &frame, err);

	if (!ret && column == SOURCE)
		put_text(context, frame.source);
	else if (!ret && frame.line)
		put_number(context, frame.line);
	return ret;
}

static int put_insn(struct rows *rows, sqlite3_context *context, int column,
		    struct wm_error *err)
{
	const struct insns *insns = (struct insns *)rows;

	if (walk_put(&insns->walk, context, column, insns->index, 0))
		return 0;
	switch (column) {
	case ADDRESS:
		put_number(context, insns->address);
		return 0;
	case CODE:
		put_code(context, insns);
		return 0;
	case DISASSEMBLY:
		put_disassembly(context, insns);
		return 0;
	case CLASS:
		put_class(context, insns);
		return 0;
	case SOURCE:
	case LINE:
		return put_line(context, column, insns, err);
	default:
		return put_place(context, column, insns, err);
	}
}

static void close_insns(struct rows *rows)
{
	walk_close(&((struct insns *)rows)->walk);
}

const struct relation relation_insns = {
	.name = "insns",
	.columns = WALK_COLUMNS "address ADDRESS INTEGER, code TEXT, disassembly TEXT, "
				"class TEXT, function TEXT, \"offset\" INTEGER, "
				"source TEXT, line INTEGER, module TEXT",
	.keys = { WALK_KEYS, [RANGE_ADDRESS] = ADDRESS + 1 },
	.rows_bytes = sizeof(struct insns),
	.count = count,
	.open = open_insns,
	.next = next_insn,
	.column = put_insn,
	.close = close_insns,
};
