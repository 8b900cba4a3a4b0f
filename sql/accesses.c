// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The relation "accesses", also called "values": a row for each load, store and register
 * value beside the path. A trace that was recorded without values has no rows.
 *
 * The walk goes from run to run, because the library returns the accesses of a whole run
 * at once, in the order in which they happened. Each access has the index of its block in
 * the run and the index of its instruction in the block. Ordinals follow by counting:
 *
 *	run	ids 7 9 7, of 3, 5 and 3 instructions; the first one has ordinal 100
 *	access	block 2, instruction 1: ordinal 100 + 3 + 5 + 1 = 109
 *
 * A run may contain blocks outside the range; SQLite drops their rows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/relations.h"
#include "sql/walk.h"

enum { NUMBER_BITS = 24 }; /* of a row's number: more accesses than a block makes */

enum { PC = WALK_OWN, KIND, ADDRESS, SIZE, VALUE, FUNCTION, REGISTER, PLACE, BYTECODE };

struct accesses {
	struct rows rows;
	struct walk walk; /* from run to run */
	const struct wm_access *all;
	size_t n, at; /* the current access is all[at] */
	/* Its block's index in the run and its first instruction's ordinal. */
	uint32_t index;
	size_t first;		      /* index in all[] of the block's first access */
	uint64_t first_insn, address; /* `address` is that of the instruction */
};

/* About one instruction in three accesses memory. Only the planner uses the estimate. */
static uint64_t count(const struct subject *subject)
{
	const char *values = wm_trace_meta(subject->trace, "values");

	return values ? subject->summary.insns / 3 : 0;
}

static int open_accesses(struct rows *rows, struct wm_error *err)
{
	return walk_open(&((struct accesses *)rows)->walk, rows->subject, &rows->range,
			 err);
}

static int next_run(struct accesses *accesses, struct wm_error *err)
{
	int ret = walk_run(&accesses->walk, err);

	accesses->n = accesses->at = accesses->first = 0;
	accesses->index = 0;
	accesses->first_insn = accesses->walk.step.insn_ordinal;
	if (ret)
		return ret;
	ret = wm_cursor_accesses(accesses->walk.cursor, &accesses->all, &accesses->n,
				 err);
	/* WM_END: this part of the run has no values. It is not the end of the rows. */
	return ret < 0 ? ret : 0;
}

/*
 * Counts instructions up to the block of the current access. Accesses come in order, so
 * the count only goes forward: one pass for a whole run. Every block that is counted ran
 * as a whole, because a block that was left early is alone in its run.
 */
static void settle(struct accesses *accesses)
{
	const struct subject_block *blocks = accesses->rows.subject->blocks;
	const struct wm_access *access = &accesses->all[accesses->at];
	const uint32_t *ids = accesses->walk.ids;

	while (accesses->index < access->block)
		accesses->first_insn += blocks[ids[accesses->index++]].insns;
}

/* By its block, and by its place among the accesses of that. */
static uint64_t number_of(struct accesses *accesses)
{
	const struct wm_access *all = accesses->all;
	const struct walk *walk = &accesses->walk;
	size_t at = accesses->at;

	if (all[at].block != all[accesses->first].block)
		accesses->first = at;
	return ((walk->before.blocks + walk->block + all[at].block) << NUMBER_BITS) +
	       (at - accesses->first);
}

/* Moves to the next access; runs without accesses are skipped. */
static int next_access(struct rows *rows, struct wm_error *err)
{
	struct accesses *accesses = (struct accesses *)rows;
	const struct wm_access *access;
	struct wm_block block;
	int ret = 0;

	accesses->at++;
	while (!ret && accesses->at >= accesses->n) {
		ret = next_run(accesses, err);
		rows->ended = ret == WM_END;
	}
	if (ret)
		return ret;
	settle(accesses);
	rows->number = number_of(accesses);
	access = &accesses->all[accesses->at];
	ret = wm_trace_block(rows->subject->trace, accesses->walk.ids[access->block],
			     &block);
	accesses->address = block.address;
	for (uint32_t i = 0; !ret && i < access->insn; i++)
		accesses->address += block.sizes[i];
	return ret;
}

/* The same names as in the tables of mem and diff. NULL for a kind of a newer library. */
static const char *kind_name(uint8_t kind)
{
	static const char *const names[] = {
		[WM_ACCESS_LOAD] = "load",	   [WM_ACCESS_STORE] = "store",
		[WM_ACCESS_REGISTER] = "register", [WM_ACCESS_WRITTEN] = "written",
		[WM_ACCESS_MEMORY] = "memory",	   [WM_ACCESS_RETURNED] = "returned",
	};

	return kind < sizeof(names) / sizeof(*names) ? names[kind] : NULL;
}

/* SQL's integers have 8 bytes, so a value of 16 bytes becomes a text in hexadecimal. */
static void put_value(sqlite3_context *context, const struct wm_access *access)
{
	char text[36];

	if (!access->has_data)
		return;
	if (access->size <= 8) {
		put_number(context, access->data[0]);
		return;
	}
	snprintf(text, sizeof(text), "0x%016llx%016llx",
		 (unsigned long long)access->data[1],
		 (unsigned long long)access->data[0]);
	put_text(context, text);
}

/* Whether it is of a register, whose number is its address. */
static bool is_register(const struct wm_access *access)
{
	return access->kind == WM_ACCESS_REGISTER || access->kind == WM_ACCESS_WRITTEN ||
	       access->kind == WM_ACCESS_RETURNED;
}

/* Puts the line of the fact "value_places" that asked for the value; nothing for number 0. */
static void put_place(sqlite3_context *context, const struct wm_trace *trace,
		      unsigned number)
{
	const char *line = number ? wm_trace_meta(trace, "value_places") : NULL;
	char *text;

	for (unsigned i = 1; line && i < number; i++) {
		line = strchr(line, '\n');
		line += line != NULL;
	}
	text = line ? strndup(line, strcspn(line, "\n")) : NULL;
	put_text(context, text);
	free(text);
}

static int put_function(const struct accesses *accesses, sqlite3_context *context,
			struct wm_error *err)
{
	const struct walk *walk = &accesses->walk;
	const struct wm_access *access = &accesses->all[accesses->at];
	struct wm_place place;
	int ret = subject_place(accesses->rows.subject, walk->step.space,
				accesses->address, walk->ids[access->block], &place, err);

	if (!ret)
		put_text(context, place.name);
	return ret;
}

static int put_access(struct rows *rows, sqlite3_context *context, int column,
		      struct wm_error *err)
{
	const struct accesses *accesses = (struct accesses *)rows;
	const struct wm_access *access = &accesses->all[accesses->at];
	const struct wm_trace *trace = rows->subject->trace;
	const struct walk *walk = &accesses->walk;
	/* After the run's first block, the current one, to whose ordinals the walk adds it. */
	uint64_t insn = accesses->first_insn - walk->insn + access->insn;

	if (walk_put(walk, context, column, insn, access->block))
		return 0;
	if (column >= BYTECODE)
		return walk_put_bytecode(walk, context, column - BYTECODE, insn, err);
	switch (column) {
	case PC:
		put_number(context, accesses->address);
		break;
	case KIND:
		put_text(context, kind_name(access->kind));
		break;
	case ADDRESS:
		if (!is_register(access))
			put_number(context, access->address);
		break;
	case SIZE:
		put_number(context, access->size);
		break;
	case VALUE:
		put_value(context, access);
		break;
	case REGISTER:
		if (is_register(access))
			put_text(context, wm_trace_register_name(trace, access->address));
		break;
	case PLACE:
		put_place(context, trace, access->place);
		break;
	default:
		return put_function(accesses, context, err);
	}
	return 0;
}

static void close_accesses(struct rows *rows)
{
	walk_close(&((struct accesses *)rows)->walk);
}

/*
 * The key for addresses is `pc`: a condition on it skips chunks by their histograms. One
 * on `address`, that of the data, cannot skip anything: no index of data exists.
 */
const struct relation relation_accesses = {
	.name = "accesses",
	.columns = WALK_COLUMNS
	"pc ADDRESS INTEGER, kind TEXT, address ADDRESS INTEGER, "
	"size INTEGER, value, function TEXT, register TEXT, place TEXT, " WALK_BYTECODE_COLUMNS,
	.keys = { WALK_KEYS, [RANGE_ADDRESS] = PC + 1 },
	.in_order = true,
	.address_name = "pc",
	.rows_bytes = sizeof(struct accesses),
	.count = count,
	.open = open_accesses,
	.next = next_access,
	.column = put_access,
	.close = close_accesses,
};
