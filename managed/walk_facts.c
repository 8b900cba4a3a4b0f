// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a block is to a walk (managed/walk-data.h): learnt when it runs for the first time, because
 * the same address can have other code, and other methods, later.
 */
#include <string.h>

#include "base/append.h"
#include "base/bisect.h"
#include "isa/flow.h"
#include "managed/walk-data.h"
#include "trace/trace.h"

/* ---- blocks -------------------------------------------------------------- */

static bool ends_in_jump(const struct wm_trace *trace, const struct wm_block *block)
{
	uint32_t size = block->insns ? block->sizes[block->insns - 1] : 0;
	uint32_t word = 0;

	if (!size || size > sizeof(word))
		return false;
	memcpy(&word, block->code + block->bytes - size, size);
	return flow_riscv(word, trace->xlen, block->address).kind == FLOW_INDIRECT;
}

/* False: no memory. */
static bool add_sites(struct walk *walk, struct fact *fact, const struct wm_block *block)
{
	uint64_t address = block->address;

	fact->site = walk->n_sites;
	for (uint32_t i = 0; i < block->insns; address += block->sizes[i++]) {
		if (!units_is_site(walk->units, walk->space, address))
			continue;
		if (!APPEND(walk->sites, walk->n_sites, i))
			return false;
		fact->sites++;
	}
	return true;
}

/* ---- units --------------------------------------------------------------- */

/* How many notes came before that block. Blocks are asked for in ascending order. */
static size_t notes_by(struct walk *walk, uint64_t block)
{
	while (walk->moment < walk->n_moments &&
	       walk->moments[walk->moment].block <= block)
		walk->moment++;
	return walk->moment < walk->n_moments ? walk->moments[walk->moment].note :
						walk->units->notes.n;
}

const struct unit *walk_unit_at(struct walk *walk, uint64_t address, uint64_t block)
{
	size_t notes = notes_by(walk, block);
	uint32_t space = walk->space;
	const struct unit *unit =
		units_find_near(walk->units, space, address, notes, walk->near);
	struct wm_process child, parent;

	while (!unit && !wm_trace_process(walk->trace, space, &child) &&
	       !wm_trace_process(walk->trace, child.parent, &parent) &&
	       parent.pid != child.pid) {
		const struct trace_note *all = walk->units->notes.notes;

		space = child.parent;
		notes = BISECT(walk->units->notes.n, i, all[i].ns < child.begin_ns);
		unit = units_find(walk->units, space, address, notes);
	}
	return walk->near = unit;
}

/* ---- compiled code ------------------------------------------------------- */

/* The row that the code at an address is of. */
static const struct made_line *row_at(const struct made *made,
				      const struct made_piece *piece, uint64_t address)
{
	const struct made_line *rows = made->lines + piece->line;
	size_t i = BISECT(piece->lines, k, rows[k].address <= address);

	return i ? &rows[i - 1] : NULL;
}

/*
 * The method that a piece is of, when it is entered where code of an inlined one is: the outermost
 * call there, which comes first, is in it. NULL: no call is there.
 */
static const struct unit *called_at(struct walk *walk, const struct mark *mark,
				    uint64_t address, uint64_t block)
{
	const struct made_call *calls = mark->space->made.calls + mark->piece->call;

	for (uint32_t i = 0; i < mark->piece->calls; i++)
		if (address >= calls[i].start && address < calls[i].end)
			return calls[i].unit ? walk_unit_at(walk, calls[i].unit, block) :
					       NULL;
	return NULL;
}

/* An instruction, whose code is given, of a block that is of `like`. False: no memory. */
static bool add_mark(struct walk *walk, struct fact *fact, struct mark like,
		     uint64_t address, const uint8_t *code, uint32_t bytes,
		     const struct walk_step *here)
{
	const struct mark *last =
		fact->marks ? &walk->marks[fact->mark + fact->marks - 1] : NULL;

	like.row = row_at(&like.space->made, like.piece, address);
	like.entered = compiled_enters(like.space, like.piece, address, code, bytes);
	if (!like.row || (last && last->row == like.row && !like.entered))
		return true;
	like.begins = like.row->address == address;
	if (like.row->unit)
		like.unit = walk_unit_at(walk, like.row->unit, here->block);
	if (like.unit && like.row->offset >= like.unit->bytes)
		like.unit = NULL;
	if (like.entered)
		like.called = called_at(walk, &like, address, here->block);
	fact->marks++;
	return APPEND(walk->marks, walk->n_marks, like);
}

static bool add_marks(struct walk *walk, struct fact *fact, const struct wm_block *block,
		      uint32_t id, const struct walk_step *here)
{
	struct mark mark = { .unit = NULL };
	uint64_t address = block->address;
	const uint8_t *code = block->code;
	bool good = true;

	fact->mark = walk->n_marks;
	mark.piece = compiled_find(&walk->units->compiled, walk->trace, walk->space,
				   address, id, &mark.space);
	if (!mark.piece)
		return true;
	for (; good && mark.insn < block->insns; mark.insn++) {
		uint32_t bytes = block->sizes[mark.insn];

		good = add_mark(walk, fact, mark, address, code, bytes, here);
		address += bytes;
		code += bytes;
	}
	return good;
}

/* How the interpreter's pieces that are no bytecode's lead to the next one. */
static enum frames_way way_of(const struct piece *piece)
{
	switch (piece->role) {
	case PIECE_BEGINS:
		return FRAMES_CALL;
	case PIECE_RESUMES:
		return FRAMES_RETURN;
	default:
		return FRAMES_ON;
	}
}

/* ---- what is learnt ------------------------------------------------------ */

const struct fact *walk_learn(struct walk *walk, uint32_t id,
			      const struct walk_step *here)
{
	struct fact *fact = &walk->facts[id];
	const struct piece *piece;
	struct wm_block block;

	if (wm_trace_block(walk->trace, id, &block))
		return fact;
	piece = units_piece(walk->units, walk->space, block.address);
	fact->known = true;
	fact->insns = block.insns;
	fact->piece = piece;
	fact->way = piece ? way_of(piece) : FRAMES_ON;
	fact->jumps = piece && ends_in_jump(walk->trace, &block);
	if ((piece || walk->has_all_loads) && !add_sites(walk, fact, &block))
		return NULL;
	if (!piece && !add_marks(walk, fact, &block, id, here))
		return NULL;
	fact->plain = !piece && !fact->marks;
	return fact;
}
