// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of full-system emulation. It adds to the core: the true addresses of blocks
 * (harts.c), where blocks are left in their middle (traps.c), and, where the machine runs a
 * Linux whose layout the recorder knows, the threads and processes that a hart turns to
 * (tasks.c). Without such a layout a stream is what one hart executes under one page table,
 * and each table is a space over the machine's (tables.c).
 *
 * No file is opened here: code is code at an address. Which ELF file has its names is the
 * reader's business.
 */
#include "plugin/system/system.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/option.h"
#include "format/arena.h"
#include "plugin/core/link.h"
#include "plugin/core/notice.h"
#include "plugin/core/registers.h"
#include "plugin/core/slot.h"
#include "plugin/system/arch/arch.h"
#include "plugin/system/ecalls.h"
#include "plugin/system/harts.h"
#include "plugin/system/mappings.h"
#include "plugin/system/memory.h"
#include "plugin/system/parts.h"
#include "plugin/system/restart.h"
#include "plugin/system/tables.h"
#include "plugin/system/tasks.h"
#include "plugin/system/traps.h"
#include "plugin/system/turns.h"

enum { STATUS_REFUSED = 2 }; /* as of `waymark record` */

static unsigned harts;

/* What QEMU's command line says of how harts run. */
static struct {
	bool counted;  /* -icount: by a number of instructions */
	bool turns;    /* one thread runs all harts */
	bool debugged; /* -gdb, -s: QEMU serves a debugger */
} options;

static void read_options(void)
{
	FILE *file = fopen("/proc/self/cmdline", "re");
	char *word = NULL;
	size_t size = 0;

	while (file && getdelim(&word, &size, 0, file) > 0) {
		options.counted |= option_is(word, "icount");
		options.debugged |= option_is(word, "gdb") || option_is(word, "s");
		options.turns |= options.counted || strstr(word, "thread=single");
	}
	free(word);
	if (file)
		fclose(file);
}

const char *system_refuses(const qemu_info_t *info)
{
	harts = (unsigned)info->system.max_vcpus;
	if (!arch_init(info->target_name))
		return "of whole machines only riscv64, aarch64 and x86_64 are recorded";
	/* QEMU says it from 10.2 on. With 7.2 the command has asked for --inexact. */
	if (!traps_are_seen() && (REGISTERS_ANYWHERE || arch != &arch_riscv64))
		return "of a QEMU before 10.2 machines of riscv64 and aarch64 only are "
		       "recorded: it does not say where traps interrupt the code";
	read_options();
	if (options.counted && arch->steps)
		return "x86 machines are not recorded with -icount: a block that QEMU cuts "
		       "short for its count looks like an instruction that changes the "
		       "block it is in";
	if (harts > 1 && !traps_are_seen() && options.turns)
		return "harts that take turns in one thread (-icount, thread=single) are "
		       "not recorded of this QEMU: it does not tell which of them runs";
	if (harts > 1 && !arch->hart && options.turns)
		return "harts that take turns in one thread (-icount, thread=single) are "
		       "recorded of riscv64 only: QEMU does not tell which of them runs";
	if (!harts_are_seen())
		return "a whole machine is recorded on x86-64 and AArch64 hosts only";
	return NULL;
}

static int exit_status = -1; /* not known */

#ifdef __GLIBC__
/* Where it is known, another one can take its place: nothing was recorded (plugin/core/hold.c). */
static void note_status(int status, void *unused)
{
	(void)unused;
	exit_status = status & 0xff;
}
#endif

static void init(const char *target, struct arena_header *header,
		 void (*retranslate)(void))
{
	arch_init(target);
	/* Readers then know that any block may have been left early without a report. */
	header->blind = !traps_are_seen();
	snprintf(header->program, sizeof(header->program), "machine");
	if (harts > 1 && options.turns)
		turns_init(harts);
	/* Before 8.1 riscv64's translations were of one virtual address each. */
	harts_init(harts > 1 && !turns_are_taken, traps_are_seen());
	tasks_init(&slot_board()->kernel, harts);
	ecalls_init(target);
	parts_init(target, retranslate);
	traps_init(harts, options.debugged, retranslate);
#ifdef __GLIBC__
	on_exit(note_status, NULL);
#endif
}

static void instrument(struct qemu_plugin_tb *tb)
{
	traps_instrument(tb);
	/* What the last instruction wrote is of the thread that the hart is about to leave. */
	harts_settle(tb, 0);
	restart_instrument(tb);
	tasks_instrument(tb);
}

/* What an instruction does comes after the piece of the block that it begins. */
static void record(struct qemu_plugin_tb *tb, struct code_origin origin)
{
	if (parts_are_needed(tb))
		parts_record(tb, origin);
	else
		harts_record(tb, origin);
	/* A QEMU that does not show traps does not show registers either. */
	if (traps_are_seen()) {
		tables_instrument(tb);
		ecalls_instrument(tb);
	}
	traps_watch(tb);
}

static struct code_origin find_origin(uint64_t address, const void *host)
{
	(void)address, (void)host;
	return (struct code_origin){ .file = 0 };
}

/*
 * Machines of 64 bits may have harts of 32 (-cpu rv32, cortex-a15), whose code has other sizes, and
 * whose addresses QEMU tells otherwise. Which they are is known when they begin.
 */
static void refuse_narrow(unsigned hart)
{
	const struct named_register *counter = registers_find("pc");
	uint64_t pc;

	if (registers_read_at(counter, &pc) != sizeof(uint32_t))
		return;
	notice("hart %u has 32 bits: of whole machines only harts of 64 bits are "
	       "recorded",
	       hart);
	exit(STATUS_REFUSED);
}

/* Harts are numbered from 0, and the id of a thread from 1. */
static uint32_t thread_id(unsigned vcpu, char name[VCPU_NAME_BYTES])
{
	link_lock();
	registers_hart_begins(vcpu);
	if (!arch->segments)
		refuse_narrow(vcpu);
	link_unlock();
	snprintf(name, VCPU_NAME_BYTES, "hart %u", vcpu);
	return vcpu + 1;
}

/* Only a hart that is unplugged ends before the machine does. */
static void thread_ends(unsigned vcpu)
{
	(void)vcpu;
}

/*
 * A machine that is powered off, or whose QEMU is asked to quit, is paused before QEMU's first
 * thread exits: then every hart is between two blocks. Any other thread exits in the middle of
 * something.
 */
static void exits(void)
{
	struct arena_header *header = &slot_arena()->header;
	uint32_t lanes = slot_lanes();

	/* After the status: the collector reads `exits` first. */
	if (gettid() == getpid() && exit_status >= 0) {
		atomic_store(&header->exit_status, (uint32_t)exit_status);
		atomic_store(&header->exits, 1);
	}
	for (unsigned vcpu = 0; gettid() == getpid() && vcpu < lanes; vcpu++)
		link_called(vcpu);
}

/* In order, as when somebody stops it: disks are written back. */
static void ends(void)
{
	kill(getpid(), SIGTERM);
}

/* Never called: QEMU gives the data of accesses. */
static void copy_data(uint64_t address, void *to, size_t bytes, bool alone)
{
	(void)address, (void)alone;
	memset(to, 0, bytes);
}

static const unsigned *turn(void)
{
	return turns_are_taken ? &turns_current : NULL;
}

const struct emulation system_emulation = {
	.init = init,
	.register_callbacks = traps_register,
	.find_origin = find_origin,
	.find_file = mappings_file,
	.instrument = instrument,
	.record = record,
	.thread_id = thread_id,
	.thread_ends = thread_ends,
	.exits = exits,
	.ends = ends,
	.copy_data = copy_data,
	.read_data = memory_read,
	.is_machine = true,
	.turn = turn,
	.calls = tasks_calls,
};
