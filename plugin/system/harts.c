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
 * from there to the program counter is learnt when the machine starts: paging is off, so
 * addresses are true, and of the words of the state only one is each block's address at
 * its entry. QEMU's functions for registers are not called: they cost 200 times as much.
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
#include "plugin/core/lane.h"
#include "plugin/core/link.h"
#include "plugin/core/state.h"
#include "plugin/system/turns.h"

#define WFI 0x10500073u
#define STATE_WORDS 1024 /* of the CPU state, among which the program counter is */
#define ENTRIES_ENOUGH 6 /* of different blocks, to be sure which word it is */

/* A block's address and its id. */
struct place {
	uint64_t address;
	uint32_t id;
};

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

/* Offset of the program counter in the CPU state. 0, register x0, until it is known. */
static _Atomic size_t pc_off;

/* Under link_lock(). */
static struct {
	bool out[STATE_WORDS]; /* this word was not the address of a block */
	uint64_t address;      /* of the block entered last */
	unsigned entries;
} learning;

bool harts_are_seen(void)
{
	return HOST_SEES_STATE;
}

static uint64_t state_word(const uint8_t *state, size_t off)
{
	uint64_t word;

	memcpy(&word, state + off, sizeof(word));
	return word;
}

/* ---- places ------------------------------------------------------------------------- */

/* The spot of `id`, whose block is at `address`. Under link_lock(). */
static struct spot *spot_of(uint32_t id, uint64_t address)
{
	struct spot **page = &pages[id / PAGE_SPOTS], *spot;

	if (!id || id >= IDS_MAX)
		return &nowhere;
	if (!*page)
		*page = calloc(PAGE_SPOTS, sizeof(**page));
	if (!*page)
		return &nowhere;
	spot = &(*page)[id % PAGE_SPOTS];
	if (!spot->own.id) {
		spot->own = (struct place){ address, id };
		atomic_init(&spot->last, &spot->own);
	}
	return spot;
}

/*
 * A block at `address` is entered: no word that differs is the program counter. Begins
 * anew where none is left, because a machine that was loaded from a snapshot may enter a
 * block at another address.
 */
static void learn(uint64_t address, const uint8_t *state)
{
	unsigned left = 0;
	size_t at = 0;

	learning.entries += address != learning.address;
	learning.address = address;
	for (size_t i = 0; i < STATE_WORDS; i++) {
		learning.out[i] |= state_word(state, i * sizeof(uint64_t)) != address;
		if (!learning.out[i]) {
			left++;
			at = i;
		}
	}
	if (!left)
		memset(&learning, 0, sizeof(learning));
	else if (left == 1 && learning.entries >= ENTRIES_ENOUGH)
		atomic_store(&pc_off, at * sizeof(uint64_t));
}

/* The place of a block's code at `address`. */
static const struct place *place_at(struct spot *spot, uint64_t address)
{
	const struct place *place = &spot->own;

	if (place->id && place->address != address) {
		link_lock();
		place = &spot_of(block_id_moved(spot->own.id, address), address)->own;
		link_unlock();
	}
	atomic_store_explicit(&spot->last, place, memory_order_release);
	return place;
}

/* The place of a block that the hart enters where it was not entered last. */
static const struct place *place_now(struct spot *spot, const uint8_t *state)
{
	size_t off = atomic_load(&pc_off);

	if (off)
		return place_at(spot, state_word(state, off));
	link_lock();
	if (!atomic_load(&pc_off))
		learn(spot->own.address, state);
	link_unlock();
	return &spot->own;
}

/* ---- what runs ------------------------------------------------------------------------ */

CAN_ASK_FOR_LINES static inline void enter(unsigned vcpu, const struct place *place)
{
	if (lane_store(vcpu, place->id))
		link_segment_end(vcpu);
}

/* noinline keeps the hot callback a leaf without a stack frame. */
CAN_ASK_FOR_LINES static __attribute__((noinline)) void
enter_moved(unsigned vcpu, struct spot *spot, const uint8_t *state)
{
	enter(vcpu, place_now(spot, state));
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
	const struct place *place =
		atomic_load_explicit(&tail->spot->last, memory_order_acquire);

	if (__builtin_expect(place->address != address, 0))
		place = place_at(tail->spot, address);
	enter(vcpu, place);
}

/* ---- translating -------------------------------------------------------------------- */

static uint32_t word_of(const struct qemu_plugin_insn *insn)
{
	uint32_t word = 0;

	insn_copy_riscv(insn, (uint8_t *)&word);
	return word;
}

static bool is_atomic(const struct qemu_plugin_insn *insn)
{
	return (word_of(insn) & 0x7f) == 0x2f; /* AMO */
}

/*
 * How many instructions of a block can run. `wfi` halts the hart, which goes on behind it
 * in another block, but QEMU does not end the block there.
 */
static uint32_t count_insns(const struct qemu_plugin_tb *tb)
{
	uint32_t n = tb_insns(tb);

	for (uint32_t i = 0; i < n; i++)
		if (word_of(qemu_plugin_tb_get_insn(tb, i)) == WFI)
			return i + 1;
	return n;
}

/* Where the piece that begins at `first` ends. */
static uint32_t end_of(const struct qemu_plugin_tb *tb, uint32_t first, uint32_t n)
{
	uint32_t end = first + 1;

	if (!parallel)
		return n;
	if (is_atomic(qemu_plugin_tb_get_insn(tb, first)))
		return end;
	while (end < n && !is_atomic(qemu_plugin_tb_get_insn(tb, end)))
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
	qemu_plugin_register_vcpu_insn_exec_cb(insn, on_tail, QEMU_PLUGIN_CB_NO_REGS,
					       tail);
}

void harts_init(bool are_parallel)
{
	parallel = are_parallel;
}

void harts_record(struct qemu_plugin_tb *tb, struct code_origin origin)
{
	static struct tb_code tb_code;
	uint32_t n = count_insns(tb);
	uint64_t before = 0;

	tb_code.origin = origin;
	tb_code.program = NULL;
	for (uint32_t first = 0, end; first < n; first = end) {
		struct spot *spot;

		end = end_of(tb, first, n);
		tb_code_take(&tb_code, tb, first, end - first);
		spot = spot_of(block_id_of(tb, &tb_code), tb_code.address);
		if (!first)
			qemu_plugin_register_vcpu_tb_exec_cb(
				tb, turns_are_taken ? harts_on_turn : harts_on_block,
				QEMU_PLUGIN_CB_NO_REGS, spot);
		else
			register_tail(qemu_plugin_tb_get_insn(tb, first), spot,
				      tb_code.address - before);
		before = tb_code.address;
	}
}
