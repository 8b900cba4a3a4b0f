// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A trap to machine mode leaves its cause in mcause, its address in mtval, and the mode before
 * in mstatus.MPP; one to supervisor mode in scause, stval and sstatus.SPP. A return goes to
 * the mode that is there, at mepc or sepc. QEMU gives all of them by name, and the mode itself
 * as "priv". Reading one takes 200 ns; there are some 100,000 traps in a boot.
 *
 * Example: a load in user mode faults, the kernel handles it: priv is 1, scause 13, and SPP 0.
 * That is {WM_TRAP_EXCEPTION + 13, stval, user, kernel}.
 */
#include "plugin/system/modes.h"

#include <string.h>

#include "plugin/core/link.h"
#include "plugin/core/registers.h"
#include "waymark.h"

enum { MPP_SHIFT = 11, SPP_SHIFT = 8 };

#define INTERRUPT (UINT64_C(1) << 63) /* of a cause */

/* Those of a mode in which traps are handled. */
struct banked {
	struct qemu_plugin_register *cause, *value, *status, *epc;
};

static struct banked machine, supervisor;
static struct qemu_plugin_register *priv;

static void learn(void)
{
	static const struct {
		const char *name;
		struct qemu_plugin_register **to;
	} names[] = {
		{ "priv", &priv },
		{ "mcause", &machine.cause },
		{ "mtval", &machine.value },
		{ "mstatus", &machine.status },
		{ "mepc", &machine.epc },
		{ "scause", &supervisor.cause },
		{ "stval", &supervisor.value },
		{ "sstatus", &supervisor.status },
		{ "sepc", &supervisor.epc },
	};
	static bool learnt;

	link_lock();
	for (unsigned i = 0; !learnt && i < sizeof(names) / sizeof(*names); i++)
		*names[i].to = registers_find(names[i].name);
	learnt = true;
	link_unlock();
}

static bool read_banked(uint64_t mode, const struct banked **of)
{
	*of = mode == MODE_FIRMWARE ? &machine : &supervisor;
	return mode == MODE_FIRMWARE || mode == MODE_KERNEL;
}

/* The mode that a status register says was before. */
static uint64_t previous(const struct banked *banked, uint64_t status)
{
	return banked == &machine ? status >> MPP_SHIFT & 3 : status >> SPP_SHIFT & 1;
}

/* Interrupts are numbered behind the exceptions. */
static uint64_t cause_of(uint64_t word)
{
	uint64_t code = word & ~INTERRUPT;

	if (code >= WM_TRAP_CODES)
		return WM_TRAP_UNKNOWN;
	return word & INTERRUPT ? WM_TRAP_CODES + code : code;
}

bool modes_read_trap(struct mode_trap *trap)
{
	const struct banked *banked;
	uint64_t cause, status;

	learn();
	if (!registers_read_at(priv, &trap->after) ||
	    !read_banked(trap->after, &banked) ||
	    !registers_read_at(banked->cause, &cause) ||
	    !registers_read_at(banked->value, &trap->value) ||
	    !registers_read_at(banked->status, &status))
		return false;
	trap->cause = cause_of(cause);
	trap->before = previous(banked, status);
	return true;
}

bool modes_read_return(bool is_mret, struct mode_return *ret)
{
	const struct banked *banked = is_mret ? &machine : &supervisor;
	uint64_t status;

	learn();
	if (!registers_read_at(priv, &ret->before) ||
	    !registers_read_at(banked->status, &status) ||
	    !registers_read_at(banked->epc, &ret->to))
		return false;
	ret->after = previous(banked, status);
	return true;
}
