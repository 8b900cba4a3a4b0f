// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The relation "insns": a row for each instruction that was executed.
 *
 * A row costs an addition while the walk stays in a block: the address advances by the
 * size of the previous instruction. Everything else (bytes, disassembly, class, names,
 * source lines) is computed in put_insn(), for the columns that a query uses. So "SELECT
 * count(*)" looks nothing up.
 *
 * Example: a block at 0x1000 with instructions of 4, 2 and 4 bytes gives three rows, with
 * addresses 0x1000, 0x1004 and 0x1006. If its second instruction faulted there are two.
 */
#include <stdio.h>
#include <string.h>

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
	MODULE,
	BYTECODE /* and the others of these */
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
 * Moves to the next instruction of the block, or to the first one of the next block that
 * has any: a gap has none. walk->insns is the number that began, so a block that was left
 * early ends there.
 */
static int next_insn(struct rows *rows, struct wm_error *err)
{
	struct insns *insns = (struct insns *)rows;
	struct walk *walk = &insns->walk;
	int ret;

	/* n is 0 before the first block. cursor_next() has counted the row. */
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
	rows->number = walk->before.insns + walk->insn;
	insns->address = rows->subject->blocks[walk->id].address;
	return wm_trace_block(rows->subject->trace, walk->id, &insns->block);
}

/*
 * The bytes in the order of memory, in hexadecimal. A size is a byte, so the buffer has
 * room for any.
 */
static void put_code(sqlite3_context *context, const struct insns *insns)
{
	const uint8_t *code = insns->block.code + (insns->address - insns->block.address);
	char text[2 * UINT8_MAX + 1] = "";

	for (unsigned i = 0; i < insns->block.sizes[insns->index]; i++)
		snprintf(text + 2 * i, 3, "%02x", code[i]);
	put_text(context, text);
}

/*
 * RISC-V in the syntax of the ISA manual, other ISAs as QEMU prints them. Without QEMU's wide
 * columns, as `waymark insns` has it in CSV: single blanks, and two before a comment. That adds
 * at most one blank to a word and the one behind it.
 */
static void put_disassembly(sqlite3_context *context, const struct insns *insns)
{
	char wide[256], text[2 * sizeof(wide)] = "", *rest;
	size_t n = 0;

	wm_trace_disas(insns->rows.subject->trace, insns->walk.id, insns->index, wide,
		       sizeof(wide));
	for (char *word = strtok_r(wide, " \t", &rest); word;
	     word = strtok_r(NULL, " \t", &rest)) {
		const char *blanks = strcmp(word, "#") == 0 ? "  " : " ";

		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s", n ? blanks : "",
				      word);
	}
	put_text(context, text);
}

/* NULL if wm_trace_insn() does not know the instruction. */
static void put_class(sqlite3_context *context, const struct insns *insns)
{
	struct wm_insn insn;

	if (!wm_trace_insn(insns->rows.subject->trace, insns->walk.id, insns->index,
			   &insn))
		put_text(context, wm_insn_class_name(insn.insn_class));
}

/* The function, the offset in it, or the file that is mapped there. */
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

/* The line of the innermost inlined function; NULL if the file has no line tables. */
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
	if (column >= BYTECODE)
		return walk_put_bytecode(&insns->walk, context, column - BYTECODE,
					 insns->index, err);
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

static uint64_t ordinal(const struct rows *rows)
{
	const struct insns *insns = (const struct insns *)rows;

	return insns->walk.insn + insns->index;
}

static void close_insns(struct rows *rows)
{
	walk_close(&((struct insns *)rows)->walk);
}

const struct relation relation_insns = {
	.name = "insns",
	.columns = WALK_COLUMNS
	"address ADDRESS INTEGER, code TEXT, disassembly TEXT, "
	"class TEXT, function TEXT, \"offset\" INTEGER, "
	"source TEXT, line INTEGER, module TEXT, " WALK_BYTECODE_COLUMNS,
	.keys = { WALK_KEYS, [RANGE_ADDRESS] = ADDRESS + 1 },
	.in_order = true,
	.ordinal = ordinal,
	.rows_bytes = sizeof(struct insns),
	.count = count,
	.open = open_insns,
	.next = next_insn,
	.column = put_insn,
	.close = close_insns,
};
