// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * QEMU translates a physical page of code once, and enters the translation at whatever
 * virtual addresses the page is mapped: a library's code in each process, firmware before
 * and after paging. So the address of a translation is that of its first entry only. Such
 * code is relative to the program counter in QEMU's CPU state, which is therefore right at
 * each entry, and which the callback compares with the address it knows. Where it differs,
 * the block gets another id, for the same code at that address.
 *
 * Translated code keeps a pointer to the CPU state in a fixed host register. The distance
 * from there to the program counter is learnt when the machine starts (counter.c). QEMU's
 * functions for registers are not called: they cost 200 times as much.
 *
 * Invariant: a place never changes once it is made, so a hart may read the address and the
 * id of one while another hart makes the spot point to another place.
 *
 * A block is cut around each atomic operation, when harts run in parallel. Where the host
 * cannot do one (on a device, say), QEMU leaves the block there without a word, perhaps
 * several times, until it has run the instruction while no other hart runs. With pieces,
 * what the lane has is what began. A later piece has its program counter from the piece
 * before it, because the one in the CPU state is right at a block's entry only.
 *
 * The same is done where the last instruction may not be in the block (tb_code.h): of x86 code
 * before 64-bit mode nobody knows how far it reaches.
 *
 * Where AArch64 runs a program of 32 bits, QEMU has the program counter elsewhere, and what is in its
 * place is an address of the kernel. So no such block is where it was last, and all of them take
 * the longer way, on which that is seen.
 *
 * Example: libc's memcpy() is translated when process A, which has it at 0x7f10040, calls
 * it: id 90, spot {0x7f10040, 90}. Process B, at 0x7e80040, enters the same translation:
 * the addresses differ, the code at 0x7e80040 becomes id 91, and the spot's `last` is
 * {0x7e80040, 91} until A runs again.
 */
#include "plugin/system/harts.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/core/block_ids.h"
#include "plugin/core/filters.h"
#include "plugin/core/lane.h"
#include "plugin/core/link.h"
#include "plugin/core/program.h"
#include "plugin/core/state.h"
#include "plugin/core/values.h"
#include "plugin/core/windows.h"
#include "plugin/core/written.h"
#include "plugin/system/arch/arch.h"
#include "plugin/system/counter.h"
#include "plugin/system/parts.h"
#include "plugin/system/turns.h"

/* One for each id. */
struct spot {
	struct place own;
	_Atomic(const struct place *) last; /* where the code was entered last */
};

/* A piece of a block that is not its first one. */
struct tail {
	struct spot *spot;
	uint64_t distance; /* from the start of the piece before it */
};

/* By id, in pages that never move: other harts read them. NULL: none of them is used. */
#define PAGE_SPOTS 4096u
#define IDS_MAX (1u << 29) /* as in format/codec.h */
static struct spot *pages[IDS_MAX / PAGE_SPOTS];
static struct spot nowhere; /* without memory: id 0, which readers refuse */

static bool parallel; /* harts may run at the same time */
static bool still;    /* each translation is entered at its own address only */

/*
 * Offset of the program counter in the CPU state, and, where addresses are sums of it and of
 * a segment's base, of that. 0, a register, until they are known.
 */
static _Atomic size_t pc_off, base_off;
static const uint8_t *first_state; /* of some hart, from then on */

/*
 * In QEMU's state of AArch64: bytes from the program counter back to that of 32 bits, the last of 16
 * registers, and on to what is 1 where the hart runs code of 64 bits; 0: not known.
 */
enum { NARROW_AT = 260 };
static size_t wide_at;

bool harts_are_seen(void)
{
	return HOST_SEES_STATE;
}

/* ---- places ------------------------------------------------------------------------- */

struct spot *harts_spot(uint32_t id, uint64_t address, uint32_t file)
{
	struct spot **page = &pages[id / PAGE_SPOTS], *spot;
	uint64_t until;

	if (!id || id >= IDS_MAX)
		return &nowhere;
	if (!*page)
		*page = calloc(PAGE_SPOTS, sizeof(**page));
	if (!*page)
		return &nowhere;
	spot = &(*page)[id % PAGE_SPOTS];
	if (!spot->own.id) {
		spot->own = (struct place){ address, id, file, true };
		if (filters_any())
			spot->own.recorded = filters_recorded(file, address, &until);
		atomic_init(&spot->last, &spot->own);
	}
	return spot;
}

static bool is_at(const struct place *place, uint64_t address, uint32_t file)
{
	return place->address == address && place->file == file;
}

/* The place of a block's code at `address`, from a file. */
static const struct place *place_at(struct spot *spot, uint64_t address, uint32_t file)
{
	const struct place *place = &spot->own;

	if (place->id && !is_at(place, address, file)) {
		link_lock();
		place = &harts_spot(block_id_moved(spot->own.id, address, file), address,
				    file)
				 ->own;
		link_unlock();
	}
	atomic_store_explicit(&spot->last, place, memory_order_release);
	return place;
}

const struct place *harts_own_place(const struct spot *spot)
{
	return &spot->own;
}

const struct place *harts_place(struct spot *spot, uint64_t address, uint32_t file)
{
	const struct place *place =
		atomic_load_explicit(&spot->last, memory_order_acquire);

	return is_at(place, address, file) ? place : place_at(spot, address, file);
}

/* Where the hart is; with segments addresses have 32 bits. */
static uint64_t address_now(const uint8_t *state)
{
	size_t off = atomic_load(&pc_off);
	uint64_t pc = state_word(state, off), base;
	uint32_t narrow;

	if (wide_at && !state[off + wide_at]) {
		memcpy(&narrow, state + off - NARROW_AT, sizeof(narrow));
		return narrow;
	}
	if (!arch->segments)
		return pc;
	base = state_word(state, atomic_load(&base_off));
	return base ? (pc + base) & UINT32_MAX : pc;
}

bool harts_counter(const uint8_t *state, uint64_t *pc)
{
	*pc = atomic_load(&pc_off) ? address_now(state) : 0;
	return *pc;
}

/* A machine starts with code of 64 bits. The state between the two, 5 then, has 32 bits, or 64. */
static size_t find_wide(const uint8_t *pc)
{
	return pc[12] == 1 ? 12 : pc[16] == 1 ? 16 : 0;
}

uint64_t harts_entered(const struct spot *spot, const uint8_t *state)
{
	struct counter counter;

	if (still)
		return spot->own.address;
	if (atomic_load_explicit(&pc_off, memory_order_relaxed))
		return address_now(state);
	link_lock();
	if (!atomic_load(&pc_off) &&
	    counter_learn(&counter, spot->own.address, state, arch->segments)) {
		first_state = state;
		wide_at = arch->narrows ? find_wide(state + counter.pc_off) : 0;
		atomic_store(&base_off, counter.base_off);
		atomic_store(&pc_off, counter.pc_off);
	}
	link_unlock();
	return spot->own.address;
}

const uint8_t *harts_base(const uint8_t *state)
{
	size_t off = arch->segments ? atomic_load(&base_off) : 0;

	if (!off)
		return NULL;
	return (state ? state : first_state) + off;
}

/* ---- what runs ------------------------------------------------------------------------ */

/* noinline keeps the hot callback a leaf without a stack frame. */
static __attribute__((noinline)) void on_segment_end(unsigned vcpu)
{
	link_segment_end(vcpu);
	if (windows_have_wish())
		parts_want();
}

/* Firings are in the lane, too. */
uint32_t harts_last(unsigned hart)
{
	return values_any() ? value_head(hart)->place : link_last_id(hart);
}

CAN_ASK_FOR_LINES static inline void enter(unsigned vcpu, const struct place *place)
{
	if (lane_store(vcpu, place->id))
		on_segment_end(vcpu);
}

CAN_ASK_FOR_LINES static __attribute__((noinline)) void
enter_moved(unsigned vcpu, struct spot *spot, const uint8_t *state)
{
	enter(vcpu, place_at(spot, harts_entered(spot, state), 0));
}

/* The entry's third argument is QEMU's CPU state. */
void harts_on_block(unsigned vcpu, void *spot);
__attribute__((used, visibility("hidden"))) void
harts_with_state(unsigned vcpu, void *cookie, const uint8_t *state);
WITH_STATE(harts_on_block, harts_with_state);

CAN_ASK_FOR_LINES void harts_with_state(unsigned vcpu, void *cookie, const uint8_t *state)
{
	struct spot *spot = cookie;
	const struct place *place =
		atomic_load_explicit(&spot->last, memory_order_acquire);
	size_t off = atomic_load_explicit(&pc_off, memory_order_relaxed);

	if (__builtin_expect(place->address != state_word(state, off), 0))
		enter_moved(vcpu, spot, state);
	else
		enter(vcpu, place);
}

/* The same where each translation is of one address. */
CAN_ASK_FOR_LINES static void on_still(unsigned vcpu, void *cookie)
{
	const struct spot *spot = cookie;

	enter(vcpu, &spot->own);
}

/* The same where addresses are sums. */
void harts_on_segment(unsigned vcpu, void *spot);
__attribute__((used, visibility("hidden"))) void
harts_segment_with_state(unsigned vcpu, void *cookie, const uint8_t *state);
WITH_STATE(harts_on_segment, harts_segment_with_state);

CAN_ASK_FOR_LINES void harts_segment_with_state(unsigned vcpu, void *cookie,
						const uint8_t *state)
{
	struct spot *spot = cookie;
	const struct place *place =
		atomic_load_explicit(&spot->last, memory_order_acquire);
	size_t pc = atomic_load_explicit(&pc_off, memory_order_relaxed);
	size_t base = atomic_load_explicit(&base_off, memory_order_relaxed);
	uint64_t address = state_word(state, pc) + state_word(state, base);

	if (__builtin_expect(place->address != address, 0))
		enter_moved(vcpu, spot, state);
	else
		enter(vcpu, place);
}

/* The same where harts take turns: `vcpu` may be any of them. */
void harts_on_turn(unsigned vcpu, void *spot);
__attribute__((used, visibility("hidden"))) void
harts_turn_with_state(unsigned vcpu, void *cookie, const uint8_t *state);
WITH_STATE(harts_on_turn, harts_turn_with_state);

void harts_turn_with_state(unsigned vcpu, void *cookie, const uint8_t *state)
{
	(void)vcpu;
	harts_with_state(turns_current, cookie, state);
}

/* Where values are recorded. The argument is the block's spot, and any of the modes above. */
void harts_on_values(unsigned vcpu, void *spot);
__attribute__((used, visibility("hidden"))) void
harts_values_with_state(unsigned vcpu, void *cookie, const uint8_t *state);
WITH_STATE(harts_on_values, harts_values_with_state);

CAN_ASK_FOR_LINES static void enter_with_values(unsigned hart, struct spot *spot,
						uint64_t address)
{
	const struct place *place = harts_place(spot, address, 0);

	values_enter_at(hart, spot->own.id, place->id);
	enter(hart, place);
}

void harts_values_with_state(unsigned vcpu, void *cookie, const uint8_t *state)
{
	struct spot *spot = cookie;

	enter_with_values(turns_hart(vcpu), spot, harts_entered(spot, state));
}

static uint64_t address_of(uint32_t id)
{
	const struct spot *page = pages[id / PAGE_SPOTS];

	/* Without memory for its spot the address is wrong, as its id is. */
	return page ? page[id % PAGE_SPOTS].own.address : 0;
}

CAN_ASK_FOR_LINES static void on_tail(unsigned vcpu, void *cookie)
{
	const struct tail *tail = cookie;
	/* Of the piece before: it was stored a moment ago, by this hart. */
	uint32_t before = lane_last(&lane_heads[vcpu], vcpu);
	uint64_t address = address_of(before) + tail->distance;

	enter(vcpu, harts_place(tail->spot, address, 0));
}

static void on_tail_values(unsigned vcpu, void *cookie)
{
	const struct tail *tail = cookie;
	unsigned hart = turns_hart(vcpu);

	enter_with_values(hart, tail->spot,
			  address_of(harts_last(hart)) + tail->distance);
}

/* ---- translating -------------------------------------------------------------------- */

/*
 * RISC-V's `wfi` halts the hart, which goes on behind it in another block, but QEMU does not
 * end the block there.
 */
uint32_t harts_count_insns(const struct qemu_plugin_tb *tb)
{
	uint32_t n = (uint32_t)qemu_plugin_tb_n_insns(tb);

	for (uint32_t i = 0; i < n; i++)
		if (arch_insn(qemu_plugin_tb_get_insn(tb, i)) == ARCH_HALT)
			return i + 1;
	return n;
}

/* QEMU may leave the block there without a callback. */
bool harts_cut_behind(const struct qemu_plugin_tb *tb, uint32_t i)
{
	return parallel && arch_insn(qemu_plugin_tb_get_insn(tb, i)) == ARCH_ALONE;
}

bool harts_cut_before(const struct qemu_plugin_tb *tb, uint32_t i)
{
	return harts_cut_behind(tb, i) ||
	       (i + 1 == qemu_plugin_tb_n_insns(tb) && tb_may_lack_last(tb));
}

/* Where the piece that begins at `first` ends. */
static uint32_t end_of(const struct qemu_plugin_tb *tb, uint32_t first, uint32_t n)
{
	uint32_t end = first + 1;

	if (harts_cut_behind(tb, first))
		return end;
	/* The usual case: only the last instruction is looked at. */
	if (!parallel)
		return end < n && harts_cut_before(tb, n - 1) ? n - 1 : n;
	while (end < n && !harts_cut_before(tb, end))
		end++;
	return end;
}

static void register_tail(struct qemu_plugin_insn *insn, struct spot *spot,
			  uint64_t distance)
{
	/* Never freed, as the spots: translated code holds the pointer. */
	struct tail *tail = malloc(sizeof(*tail));

	if (!tail)
		return;
	*tail = (struct tail){ spot, distance };
	qemu_plugin_register_vcpu_insn_exec_cb(insn,
					       values_any() ? on_tail_values : on_tail,
					       QEMU_PLUGIN_CB_NO_REGS, tail);
}

void harts_init(bool are_parallel, bool code_moves)
{
	parallel = are_parallel;
	still = !code_moves;
}

struct spot *harts_name(struct qemu_plugin_tb *tb, struct tb_code *piece, bool may_run)
{
	uint32_t id;

	piece->program = values_any() ? program_of(piece) : NULL;
	id = block_id_of(tb, piece);
	/* Without memory for its accesses: readers refuse the id. */
	if (piece->program && may_run && !values_register(tb, piece, id))
		id = 0;
	return harts_spot(id, piece->address, 0);
}

/* What is called where a block is entered. */
static qemu_plugin_vcpu_udata_cb_t entry(void)
{
	if (values_any())
		return harts_on_values;
	if (still)
		return on_still;
	if (arch->segments)
		return harts_on_segment;
	return turns_are_taken ? harts_on_turn : harts_on_block;
}

void harts_settle(struct qemu_plugin_tb *tb, uint32_t first)
{
	if (harts_cut_behind(tb, first))
		written_register_again(tb, first);
	written_register_end(tb, first);
}

void harts_record(struct qemu_plugin_tb *tb, struct code_origin origin)
{
	static struct tb_code tb_code;
	uint32_t n = harts_count_insns(tb);
	uint64_t before = 0;

	tb_code.origin = origin;
	for (uint32_t first = 0, end; first < n; first = end) {
		struct spot *spot;

		end = end_of(tb, first, n);
		tb_code_take(&tb_code, tb, first, end - first);
		spot = harts_name(tb, &tb_code, true);
		if (!first) {
			qemu_plugin_register_vcpu_tb_exec_cb(
				tb, entry(), QEMU_PLUGIN_CB_NO_REGS, spot);
		} else {
			harts_settle(tb, first);
			register_tail(qemu_plugin_tb_get_insn(tb, first), spot,
				      tb_code.address - before);
		}
		if (spot->own.id)
			written_register(tb, &tb_code, spot->own.id);
		before = tb_code.address;
	}
}
