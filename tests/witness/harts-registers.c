// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Registers, for the witness of whole machines (harts.c). At places: before the instruction at an
 * address registers, by QEMU's own names of them, and memory. And which integer registers (of
 * RISC-V also FP registers) have another value than before the last instruction: it decodes none.
 *
 * Example: at=0x80000100@a0.sp-8:4 is a0, and the 4 bytes below sp by 8; cpsr&0xf0000000 is
 * AArch64's flags.
 *
 * And what functions return, where they are back: a register before the instruction that the
 * function was to return to when it was entered, with the stack pointer of then. On RISC-V, tp
 * tells threads apart: Linux and its programs each have another value in it for each thread. satp
 * tells processes apart. No list of threads is kept.
 */
#include "harts-registers.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 8, ITEMS = 8 };

static struct place {
	uint64_t address;
	unsigned n;
	struct item {
		char name[16];
		const qemu_plugin_reg_descriptor *of;
		int64_t offset;
		uint64_t mask; /* of the register's low word; 0: all of it */
		size_t bytes;  /* of memory; 0: the register */
	} items[ITEMS];
} places[PLACES];
static unsigned n_places;

static void read_item(struct item *item, const char *text)
{
	size_t n = strcspn(text, "+-:.&");
	char *end;

	memcpy(item->name, text, n < sizeof(item->name) ? n : sizeof(item->name) - 1);
	if (text[n] == '&') {
		item->mask = strtoull(text + n + 1, NULL, 0);
		return;
	}
	item->offset = strtoll(text + n, &end, 0);
	if (*end == ':')
		item->bytes = strtoull(end + 1, NULL, 0);
}

void places_add(const char *text)
{
	struct place *place = &places[n_places];
	const char *at = strchr(text, '@');

	if (n_places == PLACES)
		abort();
	n_places++;
	place->address = strtoull(text, NULL, 0);
	for (; at && place->n < ITEMS; at = strchr(at + 1, '.'))
		read_item(&place->items[place->n++], at + 1);
}

bool places_are_wanted(void)
{
	return n_places;
}

void places_find(const GArray *registers)
{
	const qemu_plugin_reg_descriptor *all = (const void *)registers->data;

	for (unsigned p = 0; p < n_places; p++)
		for (unsigned i = 0; i < places[p].n; i++)
			for (unsigned k = 0; k < registers->len; k++)
				if (!strcmp(all[k].name, places[p].items[i].name))
					places[p].items[i].of = &all[k];
}

static void look(const struct item *item, GByteArray *bytes, uint64_t pc,
		 struct harts_sum *sum)
{
	uint64_t data[2] = { 0 }, address = 0;

	if (!item->of)
		abort();
	g_byte_array_set_size(bytes, 0);
	qemu_plugin_read_register(item->of->handle, bytes);
	memcpy(data, bytes->data, bytes->len < sizeof(data) ? bytes->len : sizeof(data));
	if (item->mask)
		data[0] &= item->mask;
	if (item->bytes) {
		address = data[0] + (uint64_t)item->offset;
		data[0] = data[1] = 0;
		/* What cannot be read has no value. */
		if (!qemu_plugin_read_memory_vaddr(address, bytes, item->bytes))
			return;
		memcpy(data, bytes->data, item->bytes);
	}
	harts_add_access(sum, pc, address, (uint32_t)item->bytes, false, data);
}

void places_look(uint64_t pc, GByteArray *bytes, struct harts_sum *sum)
{
	for (unsigned p = 0; p < n_places; p++)
		for (unsigned i = 0; places[p].address == pc && i < places[p].n; i++)
			look(&places[p].items[i], bytes, pc, sum);
}

/* ---- what functions return ------------------------------------------------- */

enum { FUNCTIONS = 4, CALLS = 1 << 16, SETS = 1 << 12 };
#define KERNEL (UINT64_C(1) << 63)

static uint64_t functions[FUNCTIONS];
static unsigned n_functions;
/* NULL: x86, with the return address on the stack; a machine without threads. */
static const qemu_plugin_reg_descriptor *link, *thread, *tables, *stack, *returned;

/* A call that is not back. */
static struct pending {
	uint64_t address, sp, thread, tables, function;
} pending[CALLS]; /* the newest last */
static unsigned n_pending;
static int lock; /* harts are threads */
/* How many functions and calls may begin or end at addresses of a set: most sets have none. */
static unsigned sets[SETS];

static unsigned *set_of(uint64_t pc)
{
	return &sets[(pc >> 1 ^ pc >> 13) % SETS];
}

void returns_add(const char *text)
{
	if (n_functions == FUNCTIONS)
		abort();
	functions[n_functions] = strtoull(text, NULL, 0);
	++*set_of(functions[n_functions++]);
}

bool returns_are_wanted(void)
{
	return n_functions;
}

void returns_find(const GArray *registers)
{
	static const struct {
		const char *name;
		const qemu_plugin_reg_descriptor **of;
	} wanted[] = {
		{ "ra", &link },     { "x30", &link },	  { "sp", &stack },
		{ "rsp", &stack },   { "tp", &thread },	  { "satp", &tables },
		{ "a0", &returned }, { "x0", &returned }, { "rax", &returned },
	};
	const qemu_plugin_reg_descriptor *all = (const void *)registers->data;

	for (unsigned i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		for (unsigned k = 0; k < registers->len; k++)
			if (!strcmp(all[k].name, wanted[i].name))
				*wanted[i].of = &all[k];
}

/* 0: there is no such register. */
static uint64_t read_word(const qemu_plugin_reg_descriptor *of, GByteArray *bytes)
{
	uint64_t word;

	g_byte_array_set_size(bytes, 0);
	if (!of)
		return 0;
	if (!(qemu_plugin_read_register(of->handle, bytes) > 0) ||
	    bytes->len != sizeof(word))
		abort();
	memcpy(&word, bytes->data, sizeof(word));
	return word;
}

static void drop(unsigned i)
{
	--*set_of(pending[i].address);
	memmove(&pending[i], &pending[i + 1], (--n_pending - i) * sizeof(*pending));
}

/* The newest call of the thread that ends here; n_pending: none does. */
static unsigned find_call(const struct pending *here)
{
	for (unsigned i = n_pending; i--;)
		if (!memcmp(&pending[i], here, offsetof(struct pending, function)))
			return i;
	return n_pending;
}

/* The same call again: a fault interrupted the function's first instruction. */
static void begin_call(struct pending call, GByteArray *bytes)
{
	if (link) {
		call.address = read_word(link, bytes);
	} else if (qemu_plugin_read_memory_vaddr(call.sp, bytes, sizeof(call.address))) {
		memcpy(&call.address, bytes->data, sizeof(call.address));
		call.sp += sizeof(call.address);
	}
	for (unsigned i = n_pending; i--;)
		if (!memcmp(&pending[i], &call, sizeof(call)))
			drop(i);
	if (n_pending == CALLS)
		abort();
	++*set_of(call.address);
	pending[n_pending++] = call;
}

/* Without a register that tells threads apart, each hart is one. */
static void look_at_calls(uint64_t pc, unsigned hart, bool wanted, GByteArray *bytes,
			  struct harts_sum *sum)
{
	struct pending here = { pc, read_word(stack, bytes),
				thread ? read_word(thread, bytes) : hart,
				pc & KERNEL ? 0 : read_word(tables, bytes), pc };
	uint64_t data[2] = { read_word(returned, bytes), 0 };

	for (unsigned i = find_call(&here); i < n_pending; i = find_call(&here)) {
		drop(i);
		if (wanted)
			harts_add_access(sum, pc, 0, 0, false, data);
	}
	for (unsigned i = 0; i < n_functions && wanted; i++)
		if (functions[i] == pc)
			begin_call(here, bytes);
}

void returns_look(uint64_t pc, unsigned hart, bool wanted, GByteArray *bytes,
		  struct harts_sum *sum)
{
	/* What this hart's thread has begun, it sees, whichever hart it was on. */
	if (!__atomic_load_n(set_of(pc), __ATOMIC_RELAXED))
		return;
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		;
	look_at_calls(pc, hart, wanted, bytes, sum);
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

/* ---- what instructions write ------------------------------------------------ */

enum { WATCHED = 64 };
static const qemu_plugin_reg_descriptor *watched[WATCHED];

/* QEMU lists those of each kind in the order of their numbers. */
static unsigned find_kind(const GArray *registers, const char *feature, unsigned first,
			  unsigned n)
{
	const qemu_plugin_reg_descriptor *all = (const void *)registers->data;
	unsigned found = 0;

	for (unsigned i = 0; i < registers->len && found < n; i++)
		if (all[i].feature && strstr(all[i].feature, feature))
			watched[first + found++] = &all[i];
	if (found && found < n)
		abort();
	return found;
}

uint64_t writes_find(const GArray *registers)
{
	if (find_kind(registers, "riscv.cpu", 0, 32) &&
	    find_kind(registers, "riscv.fpu", 32, 32))
		return UINT64_MAX;
	/* Without sp, which is number 31. */
	if (find_kind(registers, "aarch64.core", 0, 31))
		return UINT32_MAX >> 1;
	if (!find_kind(registers, "i386.core", 0, 16))
		abort();
	/* Without rsp. */
	watched[7] = NULL;
	return 0xff7f;
}

void writes_look(uint64_t before, uint64_t now[WATCHED], GByteArray *bytes,
		 struct harts_sum *sum)
{
	for (unsigned i = 0; i < WATCHED; i++) {
		uint64_t data[2] = { 0 };

		if (!watched[i])
			continue;
		g_byte_array_set_size(bytes, 0);
		if (!(qemu_plugin_read_register(watched[i]->handle, bytes) > 0) ||
		    bytes->len != 8)
			abort();
		memcpy(data, bytes->data, 8);
		if (data[0] != now[i])
			harts_add_access(sum, before, i, 0, false, data);
		now[i] = data[0];
	}
}
