// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A piece becomes a callback of one of these kinds, the cheapest that is right for it:
 *	on_block    stores an id; all that runs when nothing but recording is asked for
 *	on_values   the same, and lets the block's accesses store values
 *	on_waiting  counts instructions, while nothing is recorded
 *	on_piece    counts, looks whether a window is open, then stores an id or a gap
 *	on_special  handles a marker or a window's point, then does what on_piece does
 * on_piece and on_special have values, too, where they are wanted.
 *
 * A block is cut around each atomic operation that QEMU may have to run alone (isa/alone.h).
 * It leaves the block there without a callback, runs the instruction in a block of its own,
 * or gives that up, because a signal came or another thread asked for the same, and goes on
 * as if nothing had been. What the thread enters then could as well follow the whole block:
 * a loop back to its middle. With pieces, what the lane has is what began.
 *
 * What a callback needs is packed into its argument, or is in the lane's own cache line.
 *
 * Invariant: the instructions of a block's pieces are the block's instructions, each once
 * and in order, so the ids in a lane say exactly what ran.
 *
 * Example: a block of five instructions at 0x1000, whose third is a marker, while a
 * filter leaves out the last: pieces [0x1000, 2 insns, on_block], [0x1008, 2, on_special]
 * and [0x1010, 1, on_piece]. The lane gets the first two ids, then a gap.
 */
#include "plugin/core/pieces.h"

#include "isa/alone.h"
#include "isa/marker.h"
#include "plugin/core/block_ids.h"
#include "plugin/core/by_id.h"
#include "plugin/core/filters.h"
#include "plugin/core/gaps.h"
#include "plugin/core/lane.h"
#include "plugin/core/link.h"
#include "plugin/core/places.h"
#include "plugin/core/program.h"
#include "plugin/core/values.h"
#include "plugin/core/windows.h"
#include "plugin/core/written.h"
#include "waymark.h"

/*
 * A piece as a callback's argument: its id, its number of instructions, a flag. Packing
 * it into the pointer saves the callback a load from a struct.
 *
 *	 63       54 53    49    48     47   29 28          0
 *	+-----------+--------+----------+-------+-------------+
 *	|   insns   | unused | recorded |unused |     id      |
 *	+-----------+--------+----------+-------+-------------+
 */
#define PIECE_ID 0x1fffffffull	    /* mask: 29 bits */
#define PIECE_INSNS_SHIFT 54	    /* the rest upwards */
#define PIECE_RECORDED (1ull << 48) /* no filter leaves it out */
_Static_assert(sizeof(void *) >= sizeof(uint64_t), "an argument holds a piece");

/* A piece that begins with a marker, or at a window's point. */
struct special {
	uint64_t piece, address;
	uint32_t file;
	bool has_point, has_marker;
	struct marker marker;
};

/* What decides whether a block is cut before an instruction, or behind it too (alone). */
struct insn {
	uint64_t address;
	bool recorded, has_point, has_marker, alone;
	struct marker marker;
};

static enum marker_isa isa;
static enum alone_isa alone;
static bool precise;
static struct by_id specials; /* of those pieces */

void pieces_init(const char *target_name, bool each)
{
	isa = marker_isa(target_name);
	alone = alone_isa(target_name);
	precise = each;
}

/* ---- what runs ----------------------------------------------------------------------- */

/* noinline keeps the hot callback a leaf without a stack frame. */
static __attribute__((noinline)) void on_segment_end(unsigned vcpu)
{
	link_segment_end(vcpu);
	windows_look_in_block(vcpu);
}

CAN_ASK_FOR_LINES static void on_block(unsigned vcpu, void *id)
{
	if (lane_store(vcpu, (uint32_t)(uintptr_t)id))
		on_segment_end(vcpu);
}

/*
 * `last` lets pieces_left() take back what a block that was left early did not execute.
 */
static inline void count(struct lane_head *lane, uint64_t piece)
{
	lane->executed += piece >> PIECE_INSNS_SHIFT;
	lane->last = piece;
}

/* Code that records does not count: a block that it leaves out is counted here. */
static void count_passed(unsigned vcpu, uint32_t id)
{
	uint64_t insns;

	if (!id)
		return;
	/* The table of blocks may grow while another thread translates. */
	link_lock();
	insns = block_ids_insns(id);
	link_unlock();
	count(&lane_heads[vcpu], id | insns << PIECE_INSNS_SHIFT);
}

/* Whether recording goes on; otherwise the thread is in a gap. */
static __attribute__((noinline)) bool look_between(unsigned vcpu)
{
	windows_look(vcpu);
	if (windows_record(vcpu))
		return true;
	gaps_enter(vcpu);
	return false;
}

/*
 * Orders are looked for before a segment's first and last block, not after the last one: a gap
 * would end that block before its accesses are done. Both, because either may be one of on_block()
 * or no block's id each time.
 */
static __attribute__((noinline)) void on_values_at_edge(unsigned vcpu, uint32_t id)
{
	if (!look_between(vcpu)) {
		count_passed(vcpu, id);
		return;
	}
	values_enter(vcpu, id);
	if (lane_store(vcpu, id))
		link_segment_end(vcpu);
}

/* A leaf without a stack frame, but for a segment's first and last block. */
CAN_ASK_FOR_LINES static void on_values(unsigned vcpu, void *id)
{
	if (__builtin_expect((lane_in_segment(vcpu) + 1) % LANE_SEGMENT <= 1, 0)) {
		on_values_at_edge(vcpu, (uint32_t)(uintptr_t)id);
		return;
	}
	values_enter(vcpu, (uint32_t)(uintptr_t)id);
	lane_store(vcpu, (uint32_t)(uintptr_t)id);
}

/* Whether the thread has executed enough to check for bounds, orders and the clock. */
static inline bool must_look(const struct lane_head *lane)
{
	/*
	 * `next` is the first count at which anything can happen, so one comparison
	 * replaces checks of bounds, orders and clock.
	 */
	return __builtin_expect(lane->executed >= lane->next, 0);
}

static __attribute__((noinline)) void look_waiting(unsigned vcpu, uint64_t piece)
{
	windows_wait(vcpu);
	count(&lane_heads[vcpu], piece);
}

/* Nothing is recorded now: ten instructions. windows_wait() has stored the gap. */
static void on_waiting(unsigned vcpu, void *piece)
{
	struct lane_head *lane = &lane_heads[vcpu];

	if (must_look(lane))
		look_waiting(vcpu, (uintptr_t)piece);
	else
		count(lane, (uintptr_t)piece);
}

static inline void run_piece(unsigned vcpu, uint64_t piece, bool has_values)
{
	struct lane_head *lane = &lane_heads[vcpu];

	if (must_look(lane))
		windows_reach_count(vcpu);
	count(lane, piece);
	/*
	 * Another thread may have closed the window, so each thread stores its own gap
	 * when it gets here.
	 */
	if (!(piece & PIECE_RECORDED) || !windows_record(vcpu)) {
		gaps_enter(vcpu);
		return;
	}
	lane->recorded += piece >> PIECE_INSNS_SHIFT;
	if (has_values)
		values_enter(vcpu, (uint32_t)(piece & PIECE_ID));
	if (lane_store(vcpu, (uint32_t)(piece & PIECE_ID)))
		link_segment_end(vcpu);
}

static void on_piece(unsigned vcpu, void *piece)
{
	run_piece(vcpu, (uintptr_t)piece, false);
}

static void on_piece_values(unsigned vcpu, void *piece)
{
	run_piece(vcpu, (uintptr_t)piece, true);
}

static void on_special(unsigned vcpu, void *cookie)
{
	const struct special *special = cookie;

	/*
	 * The marker and the point come before on_piece(): a window that opens at this
	 * instruction records it.
	 */
	if (special->has_marker)
		windows_pass_marker(vcpu, &special->marker,
				    special->piece & PIECE_RECORDED);
	if (special->has_point)
		windows_reach_point(vcpu, special->file, special->address);
	run_piece(vcpu, special->piece, values_any());
}

void pieces_left(unsigned vcpu, uint64_t pc)
{
	struct lane_head *lane = &lane_heads[vcpu];
	uint32_t id = lane->last & PIECE_ID, missing;
	uint32_t entered = link_last_id(vcpu);
	bool passed = gaps_has(entered);

	written_left(pc);
	/*
	 * The piece was counted when it was entered, for all of its instructions. `last`
	 * is of the block that was left only if the lane's last id is the same, or a gap.
	 * on_block() does not count, so with CODE_RECORDED there is nothing to take back.
	 */
	if (!id || (!passed && (entered != id || windows_code_kind() == CODE_RECORDED)))
		return;
	/* The table of blocks may grow while another thread translates. */
	link_lock();
	missing = block_ids_behind(id, pc);
	link_unlock();
	lane->executed -= missing;
	if (!passed)
		lane->recorded -= missing;
}

/* ---- cutting ------------------------------------------------------------------------- */

/* Fills in insns[tb_code->insns]; false when nothing requires a cut. */
static bool look_at(const struct tb_code *tb_code, struct insn *insns)
{
	bool by_place = filters_any(), points = windows_have_points(), any = by_place;
	uint64_t address = tb_code->address, until = address;
	const uint8_t *code = tb_code->code;
	bool recorded = true;

	for (uint32_t i = 0; i < tb_code->insns; i++) {
		struct insn *insn = &insns[i];
		size_t n = 0;

		/*
		 * filters_recorded() answers for all addresses below `until`, so it is
		 * asked once per range.
		 */
		if (by_place && address >= until)
			recorded =
				filters_recorded(tb_code->origin.file, address, &until);
		if (by_place && points)
			filters_points(tb_code->origin.file, address, address + 1, &n);
		insn->address = address;
		insn->recorded = recorded;
		insn->has_point = n;
		insn->has_marker =
			marker_find(isa, code, tb_code->sizes[i], &insn->marker);
		insn->alone = alone_may_run(alone, code, tb_code->sizes[i]);
		any |= insn->has_marker || insn->alone;
		address += tb_code->sizes[i];
		code += tb_code->sizes[i];
	}
	return any;
}

/* Whether an instruction, and another one, are in the block that QEMU may run alone. */
static bool has_alone(const struct tb_code *tb_code)
{
	const uint8_t *code = tb_code->code;

	for (uint32_t i = 0; tb_code->insns > 1 && i < tb_code->insns; i++) {
		if (alone_may_run(alone, code, tb_code->sizes[i]))
			return true;
		code += tb_code->sizes[i];
	}
	return false;
}

/* Whether the block is cut; then insns[tb_code->insns] says where. */
static bool is_cut(const struct tb_code *tb_code, struct insn *insns, bool each)
{
	/*
	 * The usual case must be cheap: a scan of the bytes for a marker's pattern, which
	 * may find one across two instructions; look_at() then decides.
	 */
	if (!each && !filters_any() &&
	    !marker_suspected(isa, tb_code->code, tb_code->bytes) && !has_alone(tb_code))
		return false;
	return look_at(tb_code, insns) || each;
}

/* Where the piece that begins at `first` ends. */
static uint32_t end_of(const struct insn *insns, uint32_t first, uint32_t n)
{
	uint32_t end = first + 1;

	/*
	 * A special instruction begins a piece but does not end it: its callback runs
	 * before it.
	 */
	while (end < n && !insns[end].has_point && !insns[end].has_marker &&
	       !insns[end].alone && !insns[end - 1].alone &&
	       insns[end].recorded == insns[first].recorded)
		end++;
	return end;
}

/* ---- registering --------------------------------------------------------------------- */

static void register_at(struct qemu_plugin_tb *tb, uint32_t first, bool each,
			qemu_plugin_vcpu_udata_cb_t call, void *cookie)
{
	/*
	 * The block's callback serves the piece at its start; a later piece needs the
	 * callback of its first instruction.
	 */
	if (!first && !each)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, call, QEMU_PLUGIN_CB_NO_REGS,
						     cookie);
	else
		qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(tb, first),
						       call, QEMU_PLUGIN_CB_NO_REGS,
						       cookie);
}

static bool is_special(const struct insn *insn)
{
	return insn->has_point || insn->has_marker;
}

/*
 * Chooses the callback of the piece that begins with `insn`. Without memory for a
 * special, the piece is recorded but its marker or point is not seen.
 */
static void register_piece(struct qemu_plugin_tb *tb, const struct tb_code *tb_code,
			   const struct insn *insn, uint32_t id, bool each,
			   enum code_kind code)
{
	uint64_t piece = id | (uint64_t)tb_code->insns << PIECE_INSNS_SHIFT |
			 (insn->recorded ? PIECE_RECORDED : 0);
	struct special *special =
		is_special(insn) ? by_id_made(&specials, id, sizeof(*special)) : NULL;

	if (special) {
		*special = (struct special){
			.piece = piece,
			.address = insn->address,
			.file = tb_code->origin.file,
			.has_point = insn->has_point,
			.has_marker = insn->has_marker,
			.marker = insn->marker,
		};
		register_at(tb, tb_code->first, each, on_special, special);
	} else if (code == CODE_WAITING) {
		register_at(tb, tb_code->first, each, on_waiting,
			    (void *)(uintptr_t)piece);
	} else if (code != CODE_RECORDED || !insn->recorded) {
		register_at(tb, tb_code->first, each,
			    values_any() ? on_piece_values : on_piece,
			    (void *)(uintptr_t)piece);
	} else {
		register_at(tb, tb_code->first, each,
			    values_need_entry(tb_code) ? on_values : on_block,
			    (void *)(uintptr_t)id);
	}
}

/*
 * The id of a piece, whose accesses get callbacks if the piece may be recorded. 0 without
 * memory: readers refuse that id, so no access is missed without a word.
 */
static uint32_t prepare(struct qemu_plugin_tb *tb, struct tb_code *tb_code, bool may_run)
{
	uint32_t id;

	tb_code->program = values_any() ? program_of(tb_code) : NULL;
	id = block_id_of(tb, tb_code);
	if (!tb_code->program || !may_run || values_register(tb, tb_code, id))
		return id;
	return 0;
}

/* A piece with all that is recorded of it. */
static void add_piece(struct qemu_plugin_tb *tb, struct tb_code *tb_code,
		      const struct insn *insn, bool each, enum code_kind code)
{
	bool may_run = insn->recorded && (code != CODE_WAITING || is_special(insn));
	uint32_t id = prepare(tb, tb_code, may_run);

	/* In this order, because callbacks run in the order of their registration. */
	written_register_end(tb, tb_code->first);
	register_piece(tb, tb_code, insn, id, each, code);
	if (id && may_run)
		written_register(tb, tb_code, id);
	if (id)
		places_register(tb, tb_code, id, may_run);
}

/* Cuts the block. After something special a window may be open or closed. */
static void register_cut(struct qemu_plugin_tb *tb, struct tb_code *tb_code,
			 const struct insn *insns, uint32_t n, bool each,
			 enum code_kind code)
{
	for (uint32_t first = 0, end; first < n; first = end) {
		end = each ? first + 1 : end_of(insns, first, n);
		/*
		 * Each piece is interned as a block of its own, so readers need not know
		 * that QEMU had one block.
		 */
		tb_code_take(tb_code, tb, first, end - first);
		add_piece(tb, tb_code, &insns[first], each, code);
		if (is_special(&insns[first]))
			code = CODE_WATCHED;
	}
}

void pieces_register(struct qemu_plugin_tb *tb, struct code_origin origin)
{
	/* Static, under the lock: too large for a guest thread's stack. */
	static struct insn insns[BLOCK_INSNS_MAX];
	static struct tb_code tb_code;
	static const struct insn whole = { .recorded = true };
	enum code_kind code = windows_code_kind();
	bool each = precise || code == CODE_SINGLE;

	tb_code.origin = origin;
	tb_code_take(&tb_code, tb, 0, tb_insns(tb));
	/*
	 * Before any code is registered that may store the gap's id; see
	 * plugin/core/gaps.c.
	 */
	if (code != CODE_RECORDED || filters_any())
		gaps_prepare();
	if (is_cut(&tb_code, insns, each))
		register_cut(tb, &tb_code, insns, tb_code.insns, each, code);
	else
		add_piece(tb, &tb_code, &whole, false, code);
}
