// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What callbacks read of the guest: registers by their names, and the machine's memory. QEMU
 * passes both in byte arrays of GLib, of which the fake has the few functions that are used.
 */
#include "tests/unit/fake/registers.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/fake/qemu.h"

static bool gives_registers;

void fake_give_registers(bool gives)
{
	gives_registers = gives;
}

#if QEMU_PLUGIN_API >= 2
enum { REGISTERS_MAX = 128 };

/* From QEMU 11 on the first register's handle is NULL. */
#define HANDLES_FROM (QEMU_PLUGIN_API < 7)

static const char *const no_names[1];
static const char *const *register_names = no_names;
static const uint64_t (*register_values)[2];

GArray *qemu_plugin_get_registers(void)
{
	qemu_plugin_reg_descriptor *all = calloc(REGISTERS_MAX, sizeof(*all));
	GArray *list = calloc(1, sizeof(*list));

	assert(all && list);
	for (; register_names[list->len]; list->len++)
		all[list->len] = (qemu_plugin_reg_descriptor){
			.handle = (void *)(uintptr_t)(list->len + HANDLES_FROM),
			.name = register_names[list->len],
		};
	list->data = (char *)all;
	return list;
}

char *g_array_free(GArray *list, int with_data)
{
	if (with_data)
		free(list->data);
	free(list);
	return NULL;
}

qemu_plugin_read_t qemu_plugin_read_register(struct qemu_plugin_register *handle,
					     GByteArray *bytes)
{
	const char *name = register_names[(uintptr_t)handle - HANDLES_FROM];
	unsigned size = *name == 'z' ? 32 : *name == 'v' ? 16 : 8;

	if (!gives_registers)
		return QEMU_PLUGIN_API >= 6 ? 0 : -1;
	memset(bytes->data + bytes->len, 0xff, size);
	memcpy(bytes->data + bytes->len,
	       register_values[(uintptr_t)handle - HANDLES_FROM], size < 16 ? size : 16);
	bytes->len += size;
	return size;
}

GByteArray *g_byte_array_new(void)
{
	GByteArray *bytes = calloc(1, sizeof(*bytes) + 256);

	assert(bytes);
	bytes->data = (uint8_t *)(bytes + 1);
	return bytes;
}

GByteArray *g_byte_array_set_size(GByteArray *bytes, unsigned size)
{
	bytes->len = size;
	return bytes;
}

/* ---- the machine's memory ---------------------------------------------------------------- */

static const uint8_t *memory;
static uint64_t memory_start, memory_bytes;

void fake_memory(uint64_t start, const void *bytes, size_t size)
{
	memory = bytes;
	memory_start = start;
	memory_bytes = size;
}

bool qemu_plugin_read_memory_vaddr(uint64_t address, GByteArray *bytes, size_t size)
{
	assert(size <= 256); /* of g_byte_array_new() */
	if (address < memory_start || address - memory_start > memory_bytes - size)
		return false;
	g_byte_array_set_size(bytes, (unsigned)size);
	memcpy(bytes->data, memory + (address - memory_start), size);
	return true;
}

void fake_set_registers(const char *const *names, const uint64_t (*values)[2])
{
	register_names = names;
	register_values = values;
}
#endif
