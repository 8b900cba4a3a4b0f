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

bool memory_read(uint64_t address, void *to, size_t bytes)
{
	if (!array)
		array = g_byte_array_new();
	if (qemu_plugin_read_memory_vaddr(address, array, bytes)) {
		memcpy(to, array->data, bytes);
		return true;
	}
	memset(to, 0, bytes);
	return false;
}
#else
/* Never called: such a QEMU's machines are not recorded. */
bool memory_read(uint64_t address, void *to, size_t bytes)
{
	(void)address;
	memset(to, 0, bytes);
	return false;
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
