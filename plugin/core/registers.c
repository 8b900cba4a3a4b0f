// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * From version 2 of the plugin API on QEMU gives registers by name; a handle for each of
 * ours is looked up once. Before that they are read from QEMU's CPU state, which begins
 * with RISC-V's: 32 integer registers, 32 words that only RV128 uses, 32 FP registers of 8
 * bytes. That is how it is in 7.2; `waymark record` refuses other versions, and guests of
 * other ISAs.
 *
 * Example, 7.2: riscv64's fa0 is number 42, so at 2 * 32 * 8 + 10 * 8 of the state. 10.2:
 * QEMU calls x8 "fp", and AArch64's v3 "z3" if the CPU has SVE, of which it is the low 16
 * bytes. What has several numbers, one for each 16 bytes, is read from QEMU once.
 */
#include "plugin/core/registers.h"

#include <stdio.h>
#include <string.h>

#include "isa/registers.h"

static char target[32];

void registers_init(const char *target_name)
{
	snprintf(target, sizeof(target), "%s", target_name);
}

#if REGISTERS_ANYWHERE
static struct qemu_plugin_register *handles[REGISTERS_FIRST_PART];
static GArray *list; /* QEMU's own copy of the names; kept for them */
static __thread __attribute__((tls_model("initial-exec"))) GByteArray *bytes;
/* Whose value is in `bytes`; NULL: it may have changed since. */
static __thread
	__attribute__((tls_model("initial-exec"))) struct qemu_plugin_register *fetched;

static const qemu_plugin_reg_descriptor *descriptor(unsigned index)
{
	if (!list)
		list = qemu_plugin_get_registers();
	return list && index < list->len ?
		       (const qemu_plugin_reg_descriptor *)list->data + index :
		       NULL;
}

/* Whether a register of QEMU's is number `number`, below REGISTERS_FIRST_PART. */
static bool is_number(const char *name, unsigned number)
{
	char longer[8];

	if (register_number(target, name) == (int)number)
		return true;
	if (strcmp(target, "aarch64") != 0)
		return false;
	if (number == REGISTER_NZCV)
		return !strcmp(name, "cpsr");
	/* What SVE makes longer. */
	snprintf(longer, sizeof(longer), "z%u", number - REGISTERS_FIRST_FP);
	return number >= REGISTERS_FIRST_FP && !strcmp(name, longer);
}

void registers_learn(void)
{
	const qemu_plugin_reg_descriptor *it;
	static bool learnt;

	if (learnt)
		return;
	learnt = true;
	for (unsigned i = 0; (it = descriptor(i)); i++)
		for (unsigned number = 0; number < REGISTERS_FIRST_PART; number++)
			if (!handles[number] && is_number(it->name, number))
				handles[number] = it->handle;
}

struct qemu_plugin_register *registers_find(const char *name)
{
	const qemu_plugin_reg_descriptor *it;

	for (unsigned i = 0; (it = descriptor(i)); i++)
		if (!strcmp(it->name, name))
			return it->handle;
	return NULL;
}

/* The register's bytes are in `bytes` then. */
static bool fetch(struct qemu_plugin_register *handle)
{
	if (!bytes)
		bytes = g_byte_array_new();
	g_byte_array_set_size(bytes, 0);
	fetched = handle && qemu_plugin_read_register(handle, bytes) > 0 ? handle : NULL;
	return fetched;
}

void registers_changed(void)
{
	fetched = NULL;
}

bool registers_read_at(struct qemu_plugin_register *handle, uint64_t *value)
{
	*value = 0;
	if (!fetch(handle))
		return false;
	memcpy(value, bytes->data,
	       bytes->len < sizeof(*value) ? bytes->len : sizeof(*value));
	return true;
}

unsigned registers_read(const void *state, unsigned number, uint64_t words[2])
{
	size_t most = 2 * sizeof(*words), left, from;
	struct qemu_plugin_register *handle;
	unsigned part;

	(void)state;
	handle = handles[register_whole(target, number, &part)];
	from = part * most;
	if (!(part && handle && handle == fetched) && !fetch(handle))
		return 0;
	if (bytes->len <= from)
		return 0;
	words[0] = words[1] = 0;
	left = bytes->len - from;
	memcpy(words, bytes->data + from, left < most ? left : most);
	/* The mode and the masks of interrupts are not of user mode. */
	if (number == REGISTER_NZCV && !strcmp(target, "aarch64"))
		words[0] &= 0xf0000000;
	return register_words(target, number);
}
#else
void registers_learn(void)
{
}

void registers_changed(void)
{
}

struct qemu_plugin_register *registers_find(const char *name)
{
	(void)name;
	return NULL;
}

bool registers_read_at(struct qemu_plugin_register *handle, uint64_t *value)
{
	(void)handle;
	*value = 0;
	return false;
}

unsigned registers_read(const void *state, unsigned number, uint64_t words[2])
{
	size_t width = strcmp(target, "riscv32") ? 8 : 4;
	size_t fp = number - REGISTERS_FIRST_FP;
	const char *from = state;

	words[0] = words[1] = 0;
	if (number >= REGISTERS_FIRST_CSR)
		return 0;
	if (number < REGISTERS_FIRST_FP)
		memcpy(words, from + number * width, width);
	else
		memcpy(words, from + 2 * REGISTERS_FIRST_FP * width + fp * 8, 8);
	return 1;
}
#endif
