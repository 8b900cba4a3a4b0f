// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * QEMU translates the address as the hart would in its present mode, without any effect
 * that the guest could notice: what is not mapped is not read, and nothing is faulted in.
 */
#include "plugin/system/memory.h"

#include <string.h>

#include "plugin/core/registers.h"
#include "plugin/qemu_api.h"
#include "plugin/system/arch/arch.h"

enum { PIECE = 16 };

#if QEMU_PLUGIN_API >= 4
static __thread __attribute__((tls_model("initial-exec"))) GByteArray *array;

static GByteArray *own_array(void)
{
	if (!array)
		array = g_byte_array_new();
	return array;
}

/* What was read is copied; zeros otherwise. */
static bool give(bool is_read, void *to, size_t bytes)
{
	if (is_read)
		memcpy(to, array->data, bytes);
	else
		memset(to, 0, bytes);
	return is_read;
}

bool memory_read(uint64_t address, void *to, size_t bytes)
{
	return give(qemu_plugin_read_memory_vaddr(address, own_array(), bytes), to,
		    bytes);
}

bool memory_read_physical(uint64_t address, void *to, size_t bytes)
{
	return give(qemu_plugin_read_memory_hwaddr &&
			    !qemu_plugin_read_memory_hwaddr(address, own_array(), bytes),
		    to, bytes);
}
#else
/* Never called: such a QEMU's machines are not recorded. */
bool memory_read(uint64_t address, void *to, size_t bytes)
{
	(void)address;
	memset(to, 0, bytes);
	return false;
}

bool memory_read_physical(uint64_t address, void *to, size_t bytes)
{
	return memory_read(address, to, bytes);
}
#endif

uint64_t memory_word(uint64_t address)
{
	uint64_t word = 0;

	if (address)
		memory_read(address, &word, sizeof(word));
	return word;
}

uint32_t memory_half(uint64_t address)
{
	uint32_t half = 0;

	if (address)
		memory_read(address, &half, sizeof(half));
	return half;
}

void memory_string(uint64_t address, char *text, size_t size)
{
	size_t n = 0;

	while (address && n + 1 < size) {
		/* Up to a boundary of a piece, which no page's end is inside of. */
		size_t some = PIECE - (address + n) % PIECE;

		if (some > size - 1 - n)
			some = size - 1 - n;
		if (!memory_read(address + n, text + n, some) ||
		    memchr(text + n, 0, some))
			return;
		n += some;
	}
	text[n] = 0;
}

uint64_t memory_register(unsigned number)
{
	uint64_t words[2] = { 0 };

	registers_learn();
	registers_read(NULL, number, words);
	return words[0];
}

uint64_t memory_argument(unsigned number)
{
	return memory_register(arch->arguments[number]);
}
