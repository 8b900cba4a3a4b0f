// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Before 10.2 QEMU does not tell plugins of traps. A trap leads to the address that a register
 * has, the vector, so a callback at the entry of the block there sees it, with the trap's cause
 * and the address that it has left in other registers. What is known then is what a callback of
 * QEMU 10.2 tells, and nothing has run in between.
 *
 * Translations have that callback where a vector is at their place in its page: a page may be
 * mapped at several addresses, and the true one is compared when the block is entered. A vector
 * is known before the instruction that sets it: when its place in the page is a new one, all code
 * is translated again.
 *
 * A machine may begin with vectors that no instruction has set (-loadvm), so each hart's are read
 * before its first instruction.
 *
 * A trap is told when its vector is entered. Before the first instruction there, an interrupt of a
 * higher mode may come, or the machine may stop. Then the trap is told at that point, and not a
 * second time when its vector is entered.
 *
 * What can be wrong: a jump to a vector is taken for another trap like the one before. Only where
 * the address that that one has left is in the block that jumps, something of the path would be.
 *
 * Example: csrw stvec, t0 with t0 = 0xffffffff80a79e40. Blocks at 0xe40 in their page have the
 * callback from now on. A load at 0x10204 in user mode faults: the block at 0xffffffff80a79e40 is
 * entered, with scause 13 and sepc 0x10204.
 */
#include "plugin/system/vectors.h"

#include <stdatomic.h>
#include <stddef.h>

#include "format/arena.h"
#include "plugin/core/callbacks.h"
#include "plugin/core/link.h"
#include "plugin/core/registers.h"
#include "plugin/core/state.h"
#include "plugin/system/arch/arch.h"
#include "plugin/system/harts.h"
#include "plugin/system/turns.h"

enum { PAGE_BYTES = 4096, KNOWN_MAX = 64 };

static void (*tell)(unsigned vcpu, enum qemu_plugin_discon_type type, uint64_t from,
		    uint64_t to);
static void (*tell_below)(const struct arch_trap *trap);
static void (*translate_again)(void);
static bool places[PAGE_BYTES]; /* in a page, of vectors; under link_lock() */
/* All that were ever set. Others than the one that adds one read them. */
static struct arch_vectors known[KNOWN_MAX];
static _Atomic unsigned n_known; /* above KNOWN_MAX: not all are there */
static bool begun[LANES_MAX];	 /* each hart its own: its vectors were read */
static _Atomic unsigned waiting; /* harts whose were not */

/* A trap that was told before its vector was entered, which it will be. Each hart its own. */
static struct {
	bool is;
	uint64_t from, to;
} told[LANES_MAX];

bool vectors_show_traps(void)
{
	return REGISTERS_ANYWHERE && arch && arch->read_vectors;
}

void vectors_init(unsigned harts,
		  void (*trapped)(unsigned vcpu, enum qemu_plugin_discon_type type,
				  uint64_t from, uint64_t to),
		  void (*trapped_below)(const struct arch_trap *trap),
		  void (*retranslate)(void))
{
	waiting = harts;
	tell = trapped;
	tell_below = trapped_below;
	translate_again = retranslate;
}

static bool is_vector(uint64_t address)
{
	unsigned n = atomic_load_explicit(&n_known, memory_order_acquire);

	for (unsigned i = 0; i < n && i < KNOWN_MAX; i++)
		if (arch_is_vector(&known[i], address))
			return true;
	return n > KNOWN_MAX;
}

static void note(struct arch_vectors vectors)
{
	unsigned n = atomic_load(&n_known);

	for (unsigned i = 0; i < n && i < KNOWN_MAX; i++)
		if (known[i].first == vectors.first && known[i].n == vectors.n)
			return;
	if (n < KNOWN_MAX)
		known[n] = vectors;
	if (n <= KNOWN_MAX)
		atomic_store_explicit(&n_known, n + 1, memory_order_release);
}

/* Vectors are set; whether one is at a place in its page where none was. Under link_lock(). */
static bool add(struct arch_vectors vectors)
{
	bool is_new = false;

	if (!vectors.n)
		return false;
	note(vectors);
	for (unsigned i = 0; i < vectors.n; i++) {
		bool *place = &places[(vectors.first + i * vectors.step) % PAGE_BYTES];

		is_new |= !*place;
		*place = true;
	}
	return is_new;
}

/* Whether it is the trap that was told already. */
static bool was_told(const struct arch_trap *trap)
{
	return trap->hart < LANES_MAX && told[trap->hart].is &&
	       told[trap->hart].from == trap->from && told[trap->hart].to == trap->to;
}

static void note_told(const struct arch_trap *trap)
{
	if (trap->hart >= LANES_MAX)
		return;
	told[trap->hart].is = true;
	told[trap->hart].from = trap->from;
	told[trap->hart].to = trap->to;
}

/* An interrupt may have come between another trap and the first instruction at its vector. */
static void look_below(const struct arch_trap *trap)
{
	struct arch_trap below = { .hart = trap->hart };

	if (trap->exception || !arch->read_below || !is_vector(trap->from) ||
	    !arch->read_below(trap, &below) || was_told(&below))
		return;
	tell_below(&below);
	note_told(&below);
}

static void take(const struct arch_trap *trap)
{
	look_below(trap);
	tell(trap->hart,
	     trap->exception ? QEMU_PLUGIN_DISCON_EXCEPTION :
			       QEMU_PLUGIN_DISCON_INTERRUPT,
	     trap->from, trap->to);
}

/*
 * The block at a place of a vector is about to be entered. Mostly it is at another address:
 * QEMU's function for registers, which takes 200 ns, is not called then.
 */
void vectors_on_place(unsigned vcpu, void *unused);
__attribute__((used, visibility("hidden"))) void
vectors_with_state(unsigned vcpu, void *unused, const uint8_t *state);
WITH_STATE(vectors_on_place, vectors_with_state);

void vectors_with_state(unsigned vcpu, void *unused, const uint8_t *state)
{
	unsigned hart = turns_hart(vcpu);
	struct arch_trap trap = { .hart = hart };
	uint64_t pc;

	(void)unused;
	if (harts_counter(state, &pc) && !is_vector(pc))
		return;
	if (!arch->read_entry(&trap))
		return;
	if (was_told(&trap))
		told[hart].is = false;
	else
		take(&trap);
}

/* The hart stops: perhaps for good, or to go on with a snapshot, before it enters a vector. */
static void on_idle(unsigned hart)
{
	struct arch_trap trap = { .hart = hart };

	if (hart >= LANES_MAX || !begun[hart] || !arch->read_entry(&trap) ||
	    was_told(&trap))
		return;
	take(&trap);
	note_told(&trap);
}

void vectors_register(void)
{
	if (tell && !turns_are_taken)
		callbacks_on_idle(on_idle);
}

/* An instruction is about to set a vector. */
static void on_set(unsigned vcpu, void *code)
{
	bool is_new;

	(void)vcpu;
	link_lock();
	registers_learn();
	is_new = add(arch->read_vectors((uint32_t)(uintptr_t)code));
	link_unlock();
	if (is_new)
		translate_again();
}

/* The hart may be about to run its first block. */
static void on_begin(unsigned vcpu, void *unused)
{
	unsigned hart = turns_hart(vcpu);
	bool is_new = false;

	(void)unused;
	if (hart >= LANES_MAX || begun[hart])
		return;
	begun[hart] = true;
	waiting--;
	link_lock();
	for (unsigned i = 0; i < ARCH_VECTORS_MAX; i++)
		is_new |= add(arch->vectors_now(i));
	link_unlock();
	if (is_new)
		translate_again();
}

void vectors_instrument(struct qemu_plugin_tb *tb)
{
	struct qemu_plugin_insn *last =
		qemu_plugin_tb_get_insn(tb, qemu_plugin_tb_n_insns(tb) - 1);
	uint32_t code = 0;

	if (!tell)
		return;
	if (waiting)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_begin, QEMU_PLUGIN_CB_R_REGS,
						     NULL);
	if (places[qemu_plugin_tb_vaddr(tb) % PAGE_BYTES])
		qemu_plugin_register_vcpu_tb_exec_cb(tb, vectors_on_place,
						     QEMU_PLUGIN_CB_R_REGS, NULL);
	/* It ends the block, as every write of such a register. */
	if (arch_insn(last) != ARCH_SETS_VECTOR)
		return;
	insn_copy(last, (uint8_t *)&code, sizeof(code));
	qemu_plugin_register_vcpu_insn_exec_cb(last, on_set, QEMU_PLUGIN_CB_R_REGS,
					       (void *)(uintptr_t)code);
}
