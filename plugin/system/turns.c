// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hart's state in QEMU stays where it is in memory, and translated code has a pointer to it:
 * a callback at the entry of each block looks which hart's that is. Of a state that is new,
 * QEMU's function for registers gives mhartid, which is the number of the hart. That needs a
 * callback with registers, so blocks have one until all harts are known.
 *
 * Invariant: what a hart runs first was translated when it was not known: by itself, or by
 * another hart before. So its first block has the callback with registers.
 *
 * Example: hart 0 runs its turn, then hart 1 enters the block at the reset vector, which hart
 * 0 translated. The state is new, mhartid is 1: from now on that state means hart 1.
 */
#include "plugin/system/turns.h"

#include <stdint.h>

#include "format/arena.h"
#include "plugin/core/link.h"
#include "plugin/core/registers.h"
#include "plugin/core/state.h"
#include "plugin/system/arch/arch.h"

/* One thread runs all harts: none of this is shared. */
bool turns_are_taken;
unsigned turns_current;

static unsigned harts, known;
static const uint8_t *states[LANES_MAX]; /* by hart; NULL: not known */

/* The entry's third argument is QEMU's CPU state. */
void turns_on_block(unsigned vcpu, void *unused);
__attribute__((used, visibility("hidden"))) void
turns_with_state(unsigned vcpu, void *unused, const uint8_t *state);
WITH_STATE(turns_on_block, turns_with_state);

/* A hart beyond those that can be recorded, or that QEMU does not tell, is taken for `vcpu`. */
static unsigned learn(unsigned vcpu, const uint8_t *state)
{
	static const struct named_register *number;
	uint64_t hart;

	link_lock();
	if (!number)
		number = registers_find(arch->hart);
	registers_look();
	link_unlock();
	if (!registers_read_at(number, &hart) || hart >= harts || states[hart])
		return vcpu;
	states[hart] = state;
	known++;
	return (unsigned)hart;
}

static unsigned hart_of(unsigned vcpu, const uint8_t *state)
{
	for (unsigned hart = 0; hart < harts; hart++)
		if (states[hart] == state)
			return hart;
	return learn(vcpu, state);
}

void turns_with_state(unsigned vcpu, void *unused, const uint8_t *state)
{
	(void)unused;
	if (states[turns_current] == state)
		return;
	turns_current = hart_of(vcpu, state);
	registers_turn_to(turns_current);
}

void turns_init(unsigned n)
{
	harts = n < LANES_MAX ? n : LANES_MAX;
	turns_are_taken = true;
}

void turns_instrument(struct qemu_plugin_tb *tb)
{
	if (turns_are_taken)
		qemu_plugin_register_vcpu_tb_exec_cb(
			tb, turns_on_block,
			known < harts ? QEMU_PLUGIN_CB_R_REGS : QEMU_PLUGIN_CB_NO_REGS,
			NULL);
}
