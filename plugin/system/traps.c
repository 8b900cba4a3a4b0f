// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hart leaves a block before its end in two ways that are seen here:
 *
 * - An instruction raises an exception: QEMU says so, with the instruction's address, or, before
 *   10.2, vectors.c.
 *   Interrupts are taken between two blocks; a page of code that is not there is found
 *   before the block is entered. Its address may be in the block before, all the same: an mret
 *   may go back to where its own block begins, in a mode that may not run it.
 * - An instruction in the middle accesses a device. QEMU goes back to where the block was
 *   before it and runs that instruction alone, in a block of one instruction, whose
 *   accesses have callbacks and whose entry has none.
 *
 * Both, and returns from a trap, are events: with the mode that each of them leads to, the
 * mode of every instruction is known.
 *
 * Invariant: at each callback the lane's last id is the block that was left. An instruction
 * that raises an exception or accesses a device has begun.
 *
 * Example: block 7 is [0x80000100 lw a0,0(a1); sw a0,4(a1); ret], and a1 is a device's.
 * Entered, it leaves 7 in the lane. Then QEMU runs [lw] alone: on_access() finds that the
 * last block has an instruction at 0x100 in its page with another one behind it, so 7 was
 * left at 0x80000100. It enters [sw; ret], id 8, and leaves that at 0x80000104.
 */
#include "plugin/system/traps.h"

#include <stdlib.h>

#include "format/arena.h"
#include "plugin/core/block_ids.h"
#include "plugin/core/callbacks.h"
#include "plugin/core/gaps.h"
#include "plugin/core/link.h"
#include "plugin/core/windows.h"
#include "plugin/core/written.h"
#include "plugin/system/arch/arch.h"
#include "plugin/system/arch/causes.h"
#include "plugin/system/arch/x86_guest.h"
#include "plugin/system/arch/x86_state.h"
#include "plugin/system/debugger.h"
#include "plugin/system/ecalls.h"
#include "plugin/system/harts.h"
#include "plugin/system/parts.h"
#include "plugin/system/tasks.h"
#include "plugin/system/turns.h"
#include "plugin/system/vectors.h"
#include "waymark.h"

bool traps_are_seen(void)
{
	return callbacks_have_discontinuities() || vectors_show_traps();
}

/* The mode of each hart, plus 1; 0: not known. Each writes its own. */
static uint8_t modes[LANES_MAX];

/* The hart turns to a mode. True when that is to be told now: something is recorded. */
static bool turn_to(unsigned hart, uint64_t mode)
{
	uint8_t *told = tasks_told_mode(hart);

	modes[hart] = (uint8_t)(mode + 1);
	if (windows_open() && told)
		*told = modes[hart];
	return windows_open();
}

void traps_resume(unsigned hart)
{
	uint8_t *told = tasks_told_mode(hart);

	if (!told || !modes[hart] || *told == modes[hart])
		return;
	*told = modes[hart];
	if (link_wants(WM_EVENT_MODE))
		link_event(hart, WM_EVENT_MODE, (uint64_t[]){ modes[hart] - 1u }, 1,
			   NULL);
}

void traps_restart(unsigned hart)
{
	modes[hart] = MODE_FIRMWARE + 1;
	if (windows_open())
		traps_resume(hart);
}

static void send_trap(const struct arch_trap *trap)
{
	if (trap->cause == CAUSE_CALL)
		ecalls_trapped(trap->hart, trap->from);
	if (turn_to(trap->hart, trap->after) && link_wants(WM_EVENT_TRAP))
		link_event(trap->hart, WM_EVENT_TRAP,
			   (uint64_t[]){ trap->exception, trap->from, trap->to,
					 trap->cause, trap->value, trap->before,
					 trap->after },
			   7, NULL);
}

/* The code there cannot be fetched, so it has not begun: what ran before has run to its end. */
static bool is_of_fetch(const struct arch_trap *trap)
{
	return trap->exception &&
	       (trap->cause == CAUSE_PAGE_FETCH || trap->cause == CAUSE_ACCESS_FETCH ||
		trap->cause == CAUSE_GUEST_FETCH);
}

/* What ran last may not have been recorded. */
static void left(unsigned hart, uint64_t pc)
{
	debugger_told(hart);
	parts_left(hart, pc);
	if (!gaps_has(harts_last(hart)))
		link_left(hart, pc, false);
}

/*
 * x86: QEMU tells an exception when it is raised, with an address that may be any, and then
 * as an interrupt, with the instruction's. When its handler cannot be reached, another one is
 * raised, with the instruction's address, which may be the last that is told: a third one
 * resets the machine.
 */
static bool is_told_first(unsigned vcpu, enum qemu_plugin_discon_type *type,
			  uint64_t from)
{
	static uint64_t raised[LANES_MAX]; /* at which position, plus 1 */
	uint64_t position = link_position(vcpu) + 1;

	if (!arch->tells_twice || vcpu >= LANES_MAX)
		return false;
	if (*type == QEMU_PLUGIN_DISCON_EXCEPTION) {
		if (raised[vcpu] == position)
			left(vcpu, from);
		raised[vcpu] = position;
		return true;
	}
	if (*type == QEMU_PLUGIN_DISCON_INTERRUPT && raised[vcpu] == position)
		*type = QEMU_PLUGIN_DISCON_EXCEPTION;
	raised[vcpu] = 0;
	return false;
}

static void on_discon(unsigned vcpu, enum qemu_plugin_discon_type type, uint64_t from,
		      uint64_t to)
{
	struct arch_trap trap = {
		.hart = vcpu, .from = from, .to = to, .cause = WM_TRAP_UNKNOWN
	};
	bool is_call = type == QEMU_PLUGIN_DISCON_HOSTCALL, wanted;

	if (is_told_first(vcpu, &type, from))
		return;
	wanted = !is_call &&
		 (link_wants(WM_EVENT_TRAP) || link_wants(WM_EVENT_SYSCALL_RET));
	trap.exception = type == QEMU_PLUGIN_DISCON_EXCEPTION;
	written_trapped(vcpu, from, type == QEMU_PLUGIN_DISCON_EXCEPTION,
			is_call ? NULL : arch->read_before, &trap);
	if (trap.exception || wanted)
		arch->read_trap(&trap);
	if (type != QEMU_PLUGIN_DISCON_INTERRUPT && !is_of_fetch(&trap))
		left(vcpu, from);
	if (wanted)
		send_trap(&trap);
}

/* The same of a trap that is known as a whole; before() is written_trapped()'s. */
static void on_known(const struct arch_trap *trap,
		     unsigned (*before)(const void *trap, unsigned number,
					uint64_t words[2]))
{
	written_trapped(trap->hart, trap->from, trap->exception, before, trap);
	if (trap->exception && !is_of_fetch(trap))
		left(trap->hart, trap->from);
	if (link_wants(WM_EVENT_TRAP) || link_wants(WM_EVENT_SYSCALL_RET))
		send_trap(trap);
}

static void on_trap_below(const struct arch_trap *trap)
{
	on_known(trap, arch->read_before);
}

/* The instruction is about to run: should it trap itself, that is another event. */
static void on_return(unsigned vcpu, void *insn)
{
	unsigned hart = turns_hart(vcpu);
	struct arch_return ret;

	if ((!link_wants(WM_EVENT_TRAP_RETURN) && !link_wants(WM_EVENT_SYSCALL_RET)) ||
	    !arch->read_return((enum arch_insn)(uintptr_t)insn, &ret))
		return;
	if (ret.after == MODE_USER && (uintptr_t)insn != ARCH_RUNS_GUEST &&
	    link_wants(WM_EVENT_SYSCALL_RET))
		ecalls_returns(hart, ret.to);
	if (turn_to(hart, ret.after) && link_wants(WM_EVENT_TRAP_RETURN))
		link_event(hart, WM_EVENT_TRAP_RETURN,
			   (uint64_t[]){ ret.to, ret.before, ret.after }, 3, NULL);
}

static void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address,
		      void *insn)
{
	uint32_t last;
	uint64_t pc;
	bool left;

	(void)info, (void)address;
	vcpu = turns_hart(vcpu);
	last = harts_last(vcpu);
	link_lock();
	left = last && block_ids_inside(last, (uintptr_t)insn, &pc);
	link_unlock();
	debugger_told(vcpu);
	parts_left_in_page(vcpu, (uintptr_t)insn);
	if (left)
		link_left(vcpu, pc, true);
}

/* An instruction that QEMU runs alone, as a block of its own. */
struct step {
	uint64_t address;
	size_t size;
	uint8_t code[INSN_BYTES_MAX];
};

/* The hart left its last block at that instruction, if it is in its middle. */
static void on_step(unsigned vcpu, void *cookie)
{
	const struct step *step = cookie;
	unsigned hart = turns_hart(vcpu);
	uint32_t last = harts_last(hart);
	uint64_t pc;
	bool left;

	link_lock();
	left = last &&
	       block_ids_inside_is(last, step->address, step->code, step->size, &pc);
	link_unlock();
	if (left) {
		debugger_told(hart);
		parts_left(hart, pc);
		link_left(hart, pc, false);
	}
}

static void on_run(unsigned vcpu, void *insn)
{
	x86_guest_on_run(vcpu, insn);
	on_return(vcpu, insn);
}

/* A system call without a trap that QEMU tells of. */
static void on_enter(unsigned vcpu, void *insn)
{
	struct arch_trap trap = {
		.hart = turns_hart(vcpu),
		.exception = true,
		.to = arch->entry((enum arch_insn)(uintptr_t)insn),
		.cause = CAUSE_CALL,
		.before = MODE_USER,
		.after = MODE_KERNEL,
	};

	link_lock();
	trap.from = block_ids_last_insn(harts_last(trap.hart));
	link_unlock();
	send_trap(&trap);
}

static void on_set(unsigned vcpu, void *unused)
{
	(void)vcpu, (void)unused;
	arch->on_set();
}

/* QEMU may exit there. The block is complete, whatever it does. */
static void on_host(unsigned vcpu, void *unused)
{
	(void)unused;
	link_called(turns_hart(vcpu));
}

void traps_init(unsigned harts, bool debugged, void (*retranslate)(void))
{
	if (debugged && traps_are_seen())
		debugger_init(left);
	if (!callbacks_have_discontinuities() && vectors_show_traps())
		vectors_init(harts, on_discon, on_trap_below, retranslate);
	if (arch == &arch_x86_64)
		x86_guest_init(on_known);
}

void traps_register(void)
{
	if (callbacks_have_discontinuities())
		callbacks_on_discontinuity(on_discon);
	vectors_register();
}

/* Rare, but for blocks of one instruction that ends them: it is in the middle of no other. */
static void watch_step(struct qemu_plugin_tb *tb)
{
	struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, 0);
	enum arch_insn kind = arch_insn(insn);
	struct step *step;

	if (!arch->steps || (kind != ARCH_PLAIN && kind != ARCH_ALONE))
		return;
	/* Never freed: translated code holds the pointer. */
	step = calloc(1, sizeof(*step));
	if (!step)
		return;
	step->address = qemu_plugin_tb_vaddr(tb);
	step->size = qemu_plugin_insn_size(insn);
	if (step->size > sizeof(step->code))
		step->size = sizeof(step->code);
	insn_copy(insn, step->code, step->size);
	qemu_plugin_register_vcpu_tb_exec_cb(tb, on_step, QEMU_PLUGIN_CB_NO_REGS, step);
}

void traps_instrument(struct qemu_plugin_tb *tb)
{
	turns_instrument(tb);
	vectors_instrument(tb);
	x86_guest_instrument(tb);
	if (qemu_plugin_tb_n_insns(tb) == 1)
		watch_step(tb);
	debugger_instrument(tb);
}

static qemu_plugin_vcpu_udata_cb_t watcher_of(enum arch_insn insn)
{
	switch (insn) {
	case ARCH_RETURN:
	case ARCH_RETURN_MACHINE:
	case ARCH_RETURN_FAST:
		return on_return;
	case ARCH_ENTER:
	case ARCH_ENTER_OLD:
		return on_enter;
	case ARCH_SET:
		return on_set;
	case ARCH_RUNS_GUEST:
		return on_run;
	case ARCH_VECTORS:
		return x86_state_on_load;
	case ARCH_HOST:
		return on_host;
	default:
		return NULL;
	}
}

/* Behind the callbacks that record the access: what is said of it comes after its values. */
static void watch_access(struct qemu_plugin_tb *tb)
{
	void *address = (void *)(uintptr_t)qemu_plugin_tb_vaddr(tb);

	qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, 0), on_access,
					 QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
					 address);
}

void traps_watch(struct qemu_plugin_tb *tb)
{
	size_t n = qemu_plugin_tb_n_insns(tb);

	if (n == 1)
		watch_access(tb);
	/* Returns without the traps before them would say nothing. */
	for (size_t i = 0; traps_are_seen() && i < n; i++) {
		struct qemu_plugin_insn *insn = qemu_plugin_tb_get_insn(tb, i);
		enum arch_insn kind = arch_insn(insn);
		qemu_plugin_vcpu_udata_cb_t watcher = watcher_of(kind);

		if (watcher)
			qemu_plugin_register_vcpu_insn_exec_cb(insn, watcher,
							       QEMU_PLUGIN_CB_R_REGS,
							       (void *)(uintptr_t)kind);
	}
}
