// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of user-mode emulation. It adds to the core: where code comes from
 * (modules.c), a callback at the start of signal handlers (signals.c), and system calls
 * (syscalls.c), with which threads get their ids and the process follows fork() and
 * execve().
 */
#include "plugin/user/user.h"

#include <stdio.h>
#include <unistd.h>

#include "format/arena.h"
#include "plugin/core/block_ids.h"
#include "plugin/core/link.h"
#include "plugin/core/pieces.h"
#include "plugin/core/resumed.h"
#include "plugin/core/steps.h"
#include "plugin/user/ending.h"
#include "plugin/user/exec.h"
#include "plugin/user/guest.h"
#include "plugin/user/modules.h"
#include "plugin/user/signals.h"

static bool sees_signals;
static void (*retranslate)(void);

/* A handler was installed: if its block exists already, it must get the callback. */
static void on_new_handler(uint64_t address)
{
	bool translated;

	link_lock();
	/* A linear search over all blocks, once in a run for each handler. */
	translated = sees_signals && block_ids_have(address);
	link_unlock();
	if (translated)
		retranslate();
}

static void init(const char *target, struct arena_header *header, void (*afresh)(void))
{
	const struct abi *abi = abi_find(target);
	const struct qemu_line *line = qemu_line_read(slot_board()->path);

	retranslate = afresh;
	if (abi)
		guest_init(abi->word);
	/* After guest_init(): reading frames needs the width of a word. */
	sees_signals = signals_init(abi);
	resumed_init(target);
	/* Readers then know that any block may have been left early without a report. */
	header->blind = !sees_signals;
	exec_init(abi, line, slot_board()->path);
	ending_init(line);
	if (line)
		snprintf(header->program, sizeof(header->program), "%s", line->program);
	syscalls_init(target, abi, on_new_handler);
}

static struct code_origin find_origin(uint64_t address, const void *host)
{
	/* Before any memory of the guest is read. */
	guest_learn(address, host);
	return modules_find(address, host);
}

static void instrument(struct qemu_plugin_tb *tb)
{
	uint64_t address = qemu_plugin_tb_vaddr(tb);

	if (sees_signals && signals_handled_at(address))
		qemu_plugin_register_vcpu_tb_exec_cb(tb, signals_on_handler,
						     QEMU_PLUGIN_CB_R_REGS,
						     (void *)(uintptr_t)address);
	steps_register(tb);
	if (signals_faults_are_handled())
		resumed_register(tb);
}

/* QEMU 7.2 announces a vCPU on the parent's thread: only the first one's id is known. */
static uint32_t thread_id(unsigned vcpu, char name[VCPU_NAME_BYTES])
{
	(void)name;
	return vcpu ? 0 : (uint32_t)getpid();
}

const struct emulation user_emulation = {
	.init = init,
	.register_callbacks = syscalls_register,
	.find_origin = find_origin,
	.find_file = maps_file,
	.instrument = instrument,
	.record = pieces_register,
	.thread_id = thread_id,
	.thread_ends = syscalls_thread_ends,
	.exits = ending_last,
	.ends = ending_now,
	.copy_data = guest_copy_data,
	.read_data = guest_read,
};
