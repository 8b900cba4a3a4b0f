// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * As plugin/core/pieces.c does for a program, but a piece has a true address, which is known
 * when it runs (harts.c). So it is looked up then what of filters and points applies, and
 * blocks are cut wherever something could begin or end at any address that the code may have:
 * mappings move code by whole pages, so that is known of the place in the page.
 *
 * Only a block's entry has its address in QEMU's CPU state. By how much it differs from the
 * one that QEMU translated it at is kept for the other pieces of the block.
 *
 * Traps have no events while nothing is recorded, so an event has the thread's mode where recording
 * goes on, if that differs from the mode of the last event (tasks_told_mode()).
 *
 * Invariant: a gap is stored when a hart enters a piece that is not recorded, never before:
 * what it left of the block before is about that one.
 *
 * Example: --only of [0xc0001008, 0xc0001010), and a block of five instructions of 4 bytes
 * at 0x80001000. It is cut at 8 and 16: pieces of 2, 2 and 1. Entered at 0x80001000 they are
 * a gap; entered at 0xc0001000 the lane gets a gap, [0xc0001008, 2 insns], and a gap.
 */
#include "plugin/system/parts.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "isa/marker.h"
#include "plugin/core/block_ids.h"
#include "plugin/core/filters.h"
#include "plugin/core/gaps.h"
#include "plugin/core/lane.h"
#include "plugin/core/link.h"
#include "plugin/core/places.h"
#include "plugin/core/registers.h"
#include "plugin/core/state.h"
#include "plugin/core/values.h"
#include "plugin/core/windows.h"
#include "plugin/core/written.h"
#include "plugin/system/arch/arch.h"
#include "plugin/system/harts.h"
#include "plugin/system/mappings.h"
#include "plugin/system/tasks.h"
#include "plugin/system/traps.h"
#include "plugin/system/turns.h"

enum { PAGE_BYTES = 4096 };

/* A piece of a block. */
struct part {
	struct spot *spot;
	uint64_t address; /* where QEMU translated it */
	uint32_t insns;
	bool waits; /* nothing is recorded before a point is reached */
	bool has_point, has_marker;
	bool has_values; /* perhaps: at one of its addresses */
	bool arrives;	 /* functions may return to it, and what they return is wanted */
	struct marker marker;
};

/* What a hart is in. Each writes its own. */
static struct {
	uint64_t moved;		 /* by how much it is above where it was translated */
	const struct part *last; /* NULL: none that is known to have been counted */
	bool passes;		 /* that one is not recorded */
	bool resumes;		 /* the mode must be told when something is */
} harts[LANES_MAX];

static enum marker_isa isa;
static _Atomic bool wanted;
static void (*retranslate)(void);

void parts_init(const char *target, void (*translate_again)(void))
{
	isa = marker_isa(target);
	retranslate = translate_again;
}

/* ---- what runs ----------------------------------------------------------------------- */

static void pass(unsigned hart)
{
	harts[hart].passes = harts[hart].resumes = true;
}

CAN_ASK_FOR_LINES static void store(unsigned hart, const struct part *part,
				    const struct place *place)
{
	if (harts[hart].resumes)
		traps_resume(hart);
	harts[hart].passes = harts[hart].resumes = false;
	if (values_any())
		values_enter_at(hart, harts_own_place(part->spot)->id, place->id);
	if (lane_store(hart, place->id))
		link_segment_end(hart);
}

/* A window's points and bounds come before the piece: one that opens here records it. */
static void look(unsigned hart, const struct part *part, const struct place *place)
{
	const struct lane_head *lane = &lane_heads[hart];

	if (part->has_marker)
		windows_pass_marker(hart, &part->marker, place->recorded);
	if (part->has_point)
		windows_reach_point(hart, place->file, place->address);
	if (lane->executed >= lane->next)
		windows_reach_count(hart);
}

static void count(unsigned hart, const struct part *part)
{
	lane_heads[hart].executed += part->insns;
	harts[hart].last = part;
}

/* The place that is recorded; NULL: none is. */
static const struct place *run(unsigned hart, const struct part *part, uint64_t address)
{
	uint32_t file = mappings_at(hart, tasks_space(hart), address);
	const struct place *place = harts_place(part->spot, address, file);

	look(hart, part, place);
	count(hart, part);
	if (!place->recorded || !windows_record(hart)) {
		pass(hart);
		gaps_enter(hart);
		return NULL;
	}
	lane_heads[hart].recorded += part->insns;
	store(hart, part, place);
	return place;
}

/* Nothing is recorded now. windows_wait() stores the gap, and each hart's first. */
static void wait(unsigned hart, const struct part *part)
{
	const struct lane_head *lane = &lane_heads[hart];

	if (lane->executed >= lane->next)
		windows_wait(hart);
	count(hart, part);
	pass(hart);
}

static void enter(unsigned hart, const struct part *part)
{
	uint64_t address = part->address + harts[hart].moved;
	const struct place *place = NULL;

	if (part->waits)
		wait(hart, part);
	else
		place = run(hart, part, address);
	if (part->arrives)
		places_arrive(hart, place ? place->id : 0, address);
	if (place && part->has_values)
		places_reach(hart, place->id, place->address, place->file);
}

/* The entry's third argument is QEMU's CPU state. */
void parts_on_block(unsigned vcpu, void *part);
__attribute__((used, visibility("hidden"))) void
parts_with_state(unsigned vcpu, void *cookie, const uint8_t *state);
WITH_STATE(parts_on_block, parts_with_state);

void parts_with_state(unsigned vcpu, void *cookie, const uint8_t *state)
{
	const struct part *part = cookie;
	unsigned hart = turns_hart(vcpu);

	harts[hart].moved = harts_entered(part->spot, state) - part->address;
	enter(hart, part);
}

static void on_tail(unsigned vcpu, void *part)
{
	enter(turns_hart(vcpu), part);
}

/* `pc` is not inside the block that was entered last when a fetch has faulted. */
void parts_left(unsigned hart, uint64_t pc)
{
	const struct part *last = harts[hart].last;
	const struct place *own;
	uint32_t missing;

	if (!last)
		return;
	own = harts_own_place(last->spot);
	link_lock();
	missing = block_ids_behind(own->id,
				   pc - harts[hart].moved - last->address + own->address);
	link_unlock();
	if (!missing)
		return;
	lane_heads[hart].executed -= missing;
	if (!harts[hart].passes)
		lane_heads[hart].recorded -= missing;
	harts[hart].last = NULL;
}

void parts_left_in_page(unsigned hart, uint64_t address)
{
	const struct part *last = harts[hart].last;

	if (last)
		parts_left(hart, last->address + harts[hart].moved -
					 last->address % PAGE_BYTES +
					 address % PAGE_BYTES);
}

void parts_switched(unsigned hart)
{
	harts[hart].resumes = true;
}

/* ---- translating -------------------------------------------------------------------- */

void parts_want(void)
{
	if (!atomic_exchange(&wanted, true))
		retranslate();
}

static bool find_marker(const struct qemu_plugin_insn *insn, struct marker *marker)
{
	uint8_t code[INSN_BYTES_MAX] = { 0 };
	size_t size = arch_copy(insn, code);

	return size && marker_find(isa, code, (unsigned)size, marker);
}

bool parts_are_needed(const struct qemu_plugin_tb *tb)
{
	struct marker marker;
	uint32_t n = tb_insns(tb);

	if (atomic_load(&wanted) || windows_code_kind() != CODE_RECORDED ||
	    windows_have_points() || filters_any()) {
		atomic_store(&wanted, true);
		return true;
	}
	for (uint32_t i = 0; i < n; i++)
		if (find_marker(qemu_plugin_tb_get_insn(tb, i), &marker))
			return true;
	return false;
}

/* Not the first one of a block. */
static bool is_cut_before(const struct qemu_plugin_tb *tb, uint32_t i)
{
	struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
	struct marker marker;

	return filters_cut(qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, i - 1)),
			   qemu_plugin_insn_vaddr(insn)) ||
	       harts_cut_before(tb, i) || find_marker(insn, &marker);
}

/* Where the part that begins at `first` ends. */
static uint32_t end_of(const struct qemu_plugin_tb *tb, uint32_t first, uint32_t n)
{
	uint32_t end = first + 1;

	if (windows_code_kind() == CODE_SINGLE || harts_cut_behind(tb, first))
		return end;
	while (end < n && !is_cut_before(tb, end))
		end++;
	return end;
}

/* Without memory it has no id that readers take, as in harts.c. */
static struct part *make(struct qemu_plugin_tb *tb, struct tb_code *tb_code,
			 const struct qemu_plugin_insn *first, bool waits)
{
	struct part *part = calloc(1, sizeof(*part));
	bool begins;

	if (!part)
		return NULL;
	part->address = tb_code->address;
	part->insns = tb_code->insns;
	begins = filters_cut(tb_code->address - 1, tb_code->address);
	part->has_point = begins && windows_have_points();
	part->has_values = begins && places_any();
	part->arrives = !tb_code->first && places_await_returns();
	if (part->has_values || part->arrives)
		registers_learn();
	part->has_marker = find_marker(first, &part->marker);
	part->waits = waits && !part->has_point && !part->has_marker;
	part->spot = harts_name(tb, tb_code, !part->waits);
	return part;
}

/* After a point or a marker a window may be open, and code that waits would not notice. */
void parts_record(struct qemu_plugin_tb *tb, struct code_origin origin)
{
	static struct tb_code tb_code; /* under the lock */
	bool waits = windows_code_kind() == CODE_WAITING;
	uint32_t n = harts_count_insns(tb);

	gaps_prepare();
	tb_code.origin = origin;
	for (uint32_t first = 0, end; first < n; first = end) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, first);
		enum qemu_plugin_cb_flags flags;
		const struct place *own;
		struct part *part;

		end = end_of(tb, first, n);
		tb_code_take(&tb_code, tb, first, end - first);
		if (first)
			harts_settle(tb, first);
		part = make(tb, &tb_code, insn, waits);
		if (!part)
			continue;
		waits = part->waits;
		flags = part->has_values || part->arrives ? QEMU_PLUGIN_CB_R_REGS :
							    QEMU_PLUGIN_CB_NO_REGS;
		if (!first)
			qemu_plugin_register_vcpu_tb_exec_cb(tb, parts_on_block, flags,
							     part);
		else
			qemu_plugin_register_vcpu_insn_exec_cb(insn, on_tail, flags,
							       part);
		own = harts_own_place(part->spot);
		if (own->id && !part->waits)
			written_register(tb, &tb_code, own->id);
	}
}
