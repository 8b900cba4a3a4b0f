// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Gives each translation block a dense id when QEMU translates it; what runs then stores
 * that id into the vCPU's lane (plugin/core/pieces.c). Everything here happens once per
 * block of code, per thread, or when a window opens or closes, so it may lock and call
 * through the table of the emulation.
 *
 * resets_ask() has QEMU throw all translated code away, perhaps with every callback, and then call
 * begin_code(). That is how code becomes of another kind (enum code_kind): pieces are registered
 * anew when QEMU translates them again.
 */
#include "plugin/core/tracer.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "format/arena.h"
#include "format/values.h"
#include "plugin/core/callbacks.h"
#include "plugin/core/filters.h"
#include "plugin/core/hold.h"
#include "plugin/core/leftovers.h"
#include "plugin/core/link.h"
#include "plugin/core/pieces.h"
#include "plugin/core/places.h"
#include "plugin/core/registers.h"
#include "plugin/core/resets.h"
#include "plugin/core/tb_code.h"
#include "plugin/core/texts.h"
#include "plugin/core/values.h"
#include "plugin/core/windows.h"
#include "plugin/core/written.h"

static const struct emulation *guest;

/*
 * Without a thread: translation is an event of the process, and QEMU does not pass for
 * which vCPU it happens.
 */
static void tell_translation(const struct qemu_plugin_tb *tb)
{
	uint64_t fields[] = { qemu_plugin_tb_vaddr(tb), tb_insns(tb) };

	link_event_locked(LANE_NONE, WM_EVENT_TB_TRANSLATE, fields, 2, NULL);
}

static void on_translation(struct qemu_plugin_tb *tb)
{
	uint64_t address = qemu_plugin_tb_vaddr(tb);
	void *host = qemu_plugin_insn_haddr(qemu_plugin_tb_get_insn(tb, 0));
	struct code_origin origin;

	link_lock();
	link_begin(); /* not earlier: QEMU loads plugins even if it has no guest to run */
	/* Sends the module's message, if there is one, before any block of it. */
	origin = guest->find_origin(address, host);
	if (link_wants(WM_EVENT_TB_TRANSLATE) && windows_open())
		tell_translation(tb);
	/*
	 * Callbacks run in the order of their registration: what is reported of the block
	 * before must carry the position before this one.
	 */
	guest->instrument(tb);
	guest->record(tb, origin);
	link_unlock();
}

static void on_vcpu_init(unsigned vcpu)
{
	struct message_thread thread = { .ns = clock_ns(), .vcpu = vcpu, .thread = vcpu };
	char name[VCPU_NAME_BYTES] = "";

	thread.tid = guest->thread_id(vcpu, name);
	probes_fire(WM_EVENT_VCPU_INIT, (uint64_t[]){ vcpu, thread.tid }, 2, NULL);
	leftovers_vcpu(vcpu);
	/* Outside the lock: only this vCPU writes to its lane. */
	link_attach(vcpu);
	values_thread_begins();
	windows_thread_begins(vcpu);
	if (vcpu >= LANES_MAX)
		return;
	thread.position = link_position(vcpu);
	link_lock();
	link_send(MESSAGE_THREAD,
		  (struct message_part[]){ { &thread, sizeof(thread) },
					   { name, strlen(name) } },
		  2);
	link_unlock();
}

static void on_vcpu_exit(unsigned vcpu)
{
	guest->thread_ends(vcpu);
	values_thread_ends();
}

static void on_exit_in_order(void)
{
	bool waits;

	guest->exits();
	/* Before link_exit(), after which the collector may clear the arena. */
	waits = hold_waits();
	link_exit();
	if (waits)
		hold_wait();
}

static void register_callbacks(void)
{
	callbacks_on_vcpu(on_vcpu_init, on_vcpu_exit);
	/*
	 * Without this callback QEMU translates as if there were no plugin: the rest of
	 * the run costs nothing.
	 */
	if (windows_code_kind() != CODE_BARE)
		callbacks_on_translation(on_translation);
	else
		callbacks_off_translation();
	if (leftovers_possible())
		callbacks_on_flush(leftovers_forget);
	callbacks_on_exit(on_exit_in_order);
	guest->register_callbacks();
}

/* No thread runs code now. */
static void begin_code(void)
{
	windows_code_begins();
	register_callbacks();
}

static void retranslate(void)
{
	windows_code_goes();
	resets_ask(begin_code);
}

static void retranslate_for_windows(void)
{
	resets_ask(begin_code);
}

static void end(void)
{
	guest->ends();
}

static void describe(const char *target)
{
	static const struct windows_guest windows_guest = {
		.retranslate = retranslate_for_windows,
		.hasten = resets_hasten,
		.resume = resets_possible,
		.end = end,
	};
	struct arena_header *header = &slot_arena()->header;
	const struct board *board = slot_board();
	bool is_riscv = !strncmp(target, "riscv", 5);

	snprintf(header->isa, sizeof(header->isa), "%s", target);
	/* RISC-V's sizes follow from the code, so they are not stored. */
	header->sizes_rule = is_riscv ? SIZES_RISCV : SIZES_LISTED;
	guest->init(target, header, retranslate);
	/* Where faults are not seen, nobody knows which accesses of a block happened. */
	if (header->blind)
		header->values = 0;
	if (header->values)
		values_init(header->values, target, guest);
	registers_init(target);
	if (header->values & VALUES_WRITTEN)
		written_init(target, guest);
	if (header->values & VALUES_PLACES)
		places_init(&board->orders, target, guest);
	tb_code_init(target, guest->is_machine);
	texts_init(target, board->qemu_version);
	pieces_init(target, board->precise);
	filters_init(&board->orders, header->program, guest->find_file);
	windows_init(&board->orders, &windows_guest);
}

void tracer_start(qemu_plugin_id_t id, const struct emulation *emulation,
		  const char *target)
{
	callbacks_begin(id);
	guest = emulation;
	describe(target);
	/*
	 * Before the callbacks, so that the process is held before any guest code runs.
	 */
	hold_ask(guest->is_machine);
	register_callbacks();
}
