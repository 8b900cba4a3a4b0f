// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * At a watchpoint of a debugger's QEMU leaves the block in its middle and stops the machine, without
 * a callback. When it goes on, it begins another block at that instruction. Of a block that is
 * entered nobody could say whether a jump leads there or such a stop was before it, so, where QEMU
 * serves a debugger, each block has one callback more, at its last instruction.
 *
 * Invariant: a block that was entered, and neither reached its last instruction nor was said to be
 * left, was left at the instruction where the next one begins. (A debugger may set the program
 * counter meanwhile: then that block has all its instructions in the trace.)
 *
 * Example: [0x80000184 amoadd; 0x80000188 amoor; ...; bnez] and a watchpoint on what amoadd changes.
 * The next block begins at 0x80000184, where the debugger makes a single step.
 */
#include "plugin/system/debugger.h"

#include <stdbool.h>

#include "format/arena.h"
#include "plugin/core/block_ids.h"
#include "plugin/core/link.h"
#include "plugin/core/state.h"
#include "plugin/core/written.h"
#include "plugin/system/harts.h"
#include "plugin/system/turns.h"

static void (*tell)(unsigned hart, uint64_t pc);
static bool halfway[LANES_MAX]; /* by hart: it is in a block whose end it has not reached */

void debugger_on_block(unsigned vcpu, void *unused);
__attribute__((used, visibility("hidden"))) void
debugger_with_state(unsigned vcpu, void *unused, const uint8_t *state);
WITH_STATE(debugger_on_block, debugger_with_state);

static bool is_inside(unsigned hart, uint64_t pc)
{
	uint32_t last = harts_last(hart);
	bool is;

	link_lock();
	is = last && block_ids_behind(last, pc);
	link_unlock();
	return is;
}

void debugger_with_state(unsigned vcpu, void *unused, const uint8_t *state)
{
	unsigned hart = turns_hart(vcpu);
	uint64_t pc;

	(void)unused;
	if (hart >= LANES_MAX)
		return;
	if (halfway[hart] && harts_counter(state, &pc) && is_inside(hart, pc)) {
		/* It has written nothing. */
		written_called(hart);
		tell(hart, pc);
	}
	halfway[hart] = true;
}

static void on_last(unsigned vcpu, void *unused)
{
	(void)unused;
	debugger_told(turns_hart(vcpu));
}

void debugger_told(unsigned hart)
{
	if (hart < LANES_MAX)
		halfway[hart] = false;
}

void debugger_init(void (*left)(unsigned hart, uint64_t pc))
{
	tell = left;
}

void debugger_instrument(struct qemu_plugin_tb *tb)
{
	if (!tell)
		return;
	qemu_plugin_register_vcpu_tb_exec_cb(tb, debugger_on_block,
					     QEMU_PLUGIN_CB_NO_REGS, NULL);
	qemu_plugin_register_vcpu_insn_exec_cb(
		qemu_plugin_tb_get_insn(tb, harts_count_insns(tb) - 1), on_last,
		QEMU_PLUGIN_CB_NO_REGS, NULL);
}
