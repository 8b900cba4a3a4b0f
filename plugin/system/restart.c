// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * QEMU does not tell plugins of a reset. What a machine starts with is the first block that is
 * translated; when a hart enters it again, at the same place in memory, the machine was reset:
 * what runs then is no part of the thread that the hart was in.
 *
 * A machine that starts from a snapshot starts anywhere. So the first block counts only where
 * QEMU's machines have a reset vector.
 *
 * Harts that others start (x86's, AArch64's) do not come to that block. They are dealt with at
 * their next switch.
 *
 * Invariant: noticed[hart] <= starts, and the first hart of a start counts it.
 *
 * Example: hart 1 asks for a reset, in a thread of systemd's. Harts 0 and 1 come to 0x1000, and
 * go on as swapper/0 and swapper/1, in the mode of firmware.
 */
#include "plugin/system/restart.h"

#include <stdint.h>
#include <string.h>

#include "format/arena.h"
#include "plugin/core/link.h"
#include "plugin/system/arch/arch.h"
#include "plugin/system/tasks.h"
#include "plugin/system/traps.h"
#include "plugin/system/turns.h"

/* Under link_lock(). */
static uint32_t starts;		    /* of the machine */
static uint32_t noticed[LANES_MAX]; /* by the harts */

bool restart_is_new(unsigned hart)
{
	bool is_new = hart < LANES_MAX && noticed[hart] != starts;

	if (is_new)
		noticed[hart] = starts;
	return is_new;
}

static void start_again(unsigned hart)
{
	noticed[hart] = ++starts;
	tasks_forget();
}

void restart_kernel(unsigned hart)
{
	if (hart >= LANES_MAX)
		return;
	start_again(hart);
	tasks_restart(hart);
}

static void on_start(unsigned vcpu, void *unused)
{
	unsigned hart = turns_hart(vcpu);
	bool again;

	(void)unused;
	link_lock();
	if (!restart_is_new(hart) && hart < LANES_MAX)
		start_again(hart);
	again = starts > 1;
	if (again)
		tasks_restart(hart);
	link_unlock();
	if (again)
		traps_restart(hart);
}

static bool is_vector(uint64_t address)
{
	for (unsigned i = 0; i < sizeof(arch->starts) / sizeof(*arch->starts); i++)
		if (arch->starts[i] == address)
			return true;
	return false;
}

void restart_instrument(struct qemu_plugin_tb *tb)
{
	static const void *start; /* the host's address of its first instruction */
	static bool is_known;
	uint64_t address = qemu_plugin_tb_vaddr(tb);
	const void *here;

	if (is_known && !is_vector(address))
		return;
	here = qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, 0));
	if (!is_known && is_vector(address))
		start = here;
	is_known = true;
	if (start && here == start)
		qemu_plugin_register_vcpu_tb_exec_cb(tb, on_start, QEMU_PLUGIN_CB_R_REGS,
						     NULL);
}
