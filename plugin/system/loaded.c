// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A module has its own table of symbols in the kernel's memory, already relocated, so its
 * functions have names without its file, which may be anywhere and compressed. The table is
 * complete at this moment only: when the module has been initialized, the kernel drops what
 * ran once, code and names.
 *
 * Data are gathered in a buffer, which is sent whenever it is full, so a function is never
 * cut in two. Example: dummy, with two functions: one message of 32 bytes, "dummy", and two
 * times two words and a name.
 */
#include "plugin/system/loaded.h"

#include <stdbool.h>
#include <string.h>

#include "base/clock.h"
#include "plugin/core/link.h"
#include "plugin/system/linux.h"
#include "plugin/system/mappings.h"
#include "plugin/system/memory.h"

enum { BUFFER_BYTES = 32768, MACHINE = 0 /* the space of the kernel */ };

/* Under link_lock(). */
static uint8_t buffer[BUFFER_BYTES];
static size_t filled;

static void send(bool more, uint32_t file)
{
	struct message_loaded message = { .ns = clock_ns(), .more = more, .file = file };

	link_send(MESSAGE_LOADED,
		  (struct message_part[]){ { &message, sizeof(message) },
					   { buffer, filled } },
		  2);
	filled = 0;
}

/* Two words and a name, which is shorter than the buffer, with its NUL. */
static void put(uint64_t first, uint64_t second, const char *name)
{
	uint64_t words[] = { first, second };
	size_t bytes = strlen(name) + 1;

	if (filled + sizeof(words) + bytes > sizeof(buffer))
		send(true, 0);
	memcpy(buffer + filled, words, sizeof(words));
	memcpy(buffer + filled + sizeof(words), name, bytes);
	filled += sizeof(words) + bytes;
}

/* What runs once is where functions are that are not in the module's other code. */
static void add_once(const struct linux_module *module,
		     const struct linux_function *function, uint64_t *start,
		     uint64_t *end)
{
	if (function->start >= module->start && function->start < module->end)
		return;
	if (function->start < *start)
		*start = function->start;
	if (function->start + function->bytes > *end)
		*end = function->start + function->bytes;
}

/* All of it is sent, and the code at start..end is that of the file. */
static void finish(uint32_t file, uint64_t start, uint64_t end)
{
	send(false, file);
	if (file)
		link_settle();
	mappings_add(MACHINE, start, end, 0, file);
}

/* Orders of a module are at the addresses that it has. */
void loaded_on_init(unsigned vcpu, void *unused)
{
	static struct linux_function function; /* under the lock */
	struct linux_module module;
	uint64_t once_start = UINT64_MAX, once_end = 0;
	uint32_t file;

	(void)vcpu, (void)unused;
	link_lock();
	file = mappings_module_number();
	linux_read_module(memory_argument(0), &module);
	put(module.start, module.end, module.name);
	for (uint32_t i = 0; i < module.n; i++) {
		if (!linux_read_function(&module, i, &function))
			continue;
		put(function.start, function.bytes, function.name);
		add_once(&module, &function, &once_start, &once_end);
	}
	finish(file, module.start, module.end);
	mappings_add(MACHINE, once_start, once_end, 0, file);
	link_unlock();
}

/* Each is a module of one function, and all have the name that /proc/kallsyms shows. */
void loaded_on_bpf(unsigned vcpu, void *unused)
{
	static struct linux_function function; /* under the lock */

	(void)vcpu, (void)unused;
	link_lock();
	if (linux_read_bpf(memory_argument(0), &function)) {
		uint64_t end = function.start + function.bytes;

		put(function.start, end, "bpf");
		put(function.start, function.bytes, function.name);
		finish(mappings_module_number(), function.start, end);
	}
	link_unlock();
}
