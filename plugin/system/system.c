// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of full-system emulation. It adds to the core: the true addresses of blocks
 * (harts.c), where blocks are left in their middle (traps.c), and, where the machine runs a
 * Linux whose layout the recorder knows, the threads and processes that a hart turns to
 * (tasks.c). Without such a layout there is one space, the machine, and a stream is what
 * one hart executes, whatever runs on it.
 *
 * No file is opened here: code is code at an address. Which ELF file has its names is the
 * reader's business.
 */
#include "plugin/system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format/arena.h"
#include "plugin/core/link.h"
#include "plugin/core/slot.h"
#include "plugin/system/harts.h"
#include "plugin/system/tasks.h"
#include "plugin/system/traps.h"
#include "plugin/system/turns.h"

static unsigned harts;

/* Whether one thread runs all harts. */
static bool take_turns(void)
{
	FILE *file = fopen("/proc/self/cmdline", "re");
	char *word = NULL;
	size_t size = 0;
	bool turns = false;

	while (file && getdelim(&word, &size, 0, file) > 0)
		turns |= !strcmp(word, "-icount") || !strcmp(word, "--icount") ||
			 strstr(word, "thread=single");
	free(word);
	if (file)
		fclose(file);
	return turns;
}

const char *system_refuses(const qemu_info_t *info)
{
	harts = (unsigned)info->system.max_vcpus;
	/* It came with the callback that says where blocks are left. */
	if (!traps_are_seen())
		return "a whole machine is recorded with QEMU 10.2 and later; this one "
		       "does not say where traps interrupt the code";
	if (strcmp(info->target_name, "riscv64") != 0)
		return "of whole machines only riscv64 is recorded";
	if (!harts_are_seen())
		return "a whole machine is recorded on x86-64 and AArch64 hosts only";
	return NULL;
}

static void init(const char *target, struct arena_header *header,
		 void (*retranslate)(void))
{
	(void)target, (void)retranslate;
	snprintf(header->program, sizeof(header->program), "machine");
	if (harts > 1 && take_turns())
		turns_init(harts);
	harts_init(harts > 1 && !turns_are_taken);
	tasks_init(&slot_board()->kernel, harts);
}

static void instrument(struct qemu_plugin_tb *tb)
{
	traps_instrument(tb);
	tasks_instrument(tb);
}

static struct code_origin find_origin(uint64_t address, const void *host)
{
	(void)address, (void)host;
	return (struct code_origin){ .file = 0 };
}

static struct code_file find_file(uint32_t file)
{
	(void)file;
	return (struct code_file){ .dev = 0 };
}

/* Harts are numbered from 0, and the id of a thread from 1. */
static uint32_t thread_id(unsigned vcpu, char name[VCPU_NAME_BYTES])
{
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
	uint32_t lanes = slot_lanes();

	for (unsigned vcpu = 0; gettid() == getpid() && vcpu < lanes; vcpu++)
		link_called(vcpu);
}

/* Never called, as the next one: values are not recorded. */
static void copy_data(uint64_t address, void *to, size_t bytes, bool alone)
{
	(void)address, (void)alone;
	memset(to, 0, bytes);
}

static bool read_data(uint64_t address, void *to, size_t bytes)
{
	(void)address, (void)to, (void)bytes;
	return false;
}

const struct emulation system_emulation = {
	.init = init,
	.register_callbacks = traps_register,
	.find_origin = find_origin,
	.find_file = find_file,
	.instrument = instrument,
	.record = harts_record,
	.thread_id = thread_id,
	.thread_ends = thread_ends,
	.exits = exits,
	.copy_data = copy_data,
	.read_data = read_data,
};
