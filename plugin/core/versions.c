// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reports that the code at an address has changed: a JIT compiler wrote there, or a
 * library was replaced by another. A hash table with open addressing has, by address, a
 * copy of what was translated there last. It is empty until someone wants these events,
 * and knows code from then on.
 *
 * Two translations at an address may differ in length only, because QEMU cut one of them
 * short. So only the common part is compared. Example: 8 bytes, then the first 4 of them,
 * then 8 other bytes: one change, at the third translation. The longer version is the one
 * that is kept.
 *
 * All functions run under link_lock(), with which blocks are translated.
 */
#include <stdlib.h>
#include <string.h>

#include "plugin/core/link.h"
#include "plugin/core/tb_code.h"

#define SIZE_FIRST 4096 /* a power of two */

struct version {
	uint64_t address;
	uint8_t *code; /* [bytes]; NULL: unused */
	uint32_t bytes;
	uint32_t count; /* different ones so far */
};

static struct version *table; /* [size] */
static uint64_t size, used;

/* The search ends, because at most half of the slots are used. */
static struct version *find(struct version *in, uint64_t in_size, uint64_t address)
{
	uint64_t at = address * 0x9e3779b97f4a7c15 >> 20;

	for (;; at++) {
		struct version *version = &in[at & (in_size - 1)];

		if (!version->code || version->address == address)
			return version;
	}
}

static bool grow(void)
{
	uint64_t more = size ? size * 2 : SIZE_FIRST;
	struct version *grown;

	/* An empty table has size 0, and 0 < 0 is false: the first call allocates. */
	if (used < size / 2)
		return true;
	grown = calloc(more, sizeof(*grown));
	if (!grown)
		return false;
	for (uint64_t i = 0; i < size; i++)
		if (table[i].code)
			*find(grown, more, table[i].address) = table[i];
	free(table);
	table = grown;
	size = more;
	return true;
}

/* Without memory the former copy stays, and later versions are compared with that one. */
static void keep(struct version *version, const struct tb_code *tb_code)
{
	uint8_t *code = malloc(tb_code->bytes);

	if (!code)
		return;
	memcpy(code, tb_code->code, tb_code->bytes);
	used += !version->code;
	free(version->code);
	version->address = tb_code->address;
	version->code = code;
	version->bytes = tb_code->bytes;
}

static void tell(const struct version *version)
{
	uint64_t fields[] = { version->address, version->count, version->bytes };

	link_event_locked(LANE_NONE, WM_EVENT_BLOCK_VERSION, fields, 3, NULL);
}

void versions_note(const struct tb_code *tb_code)
{
	struct version *version;
	uint32_t common;

	/*
	 * Code without bytes (vsyscall pages) has no version. Without memory the event is
	 * lost, nothing else.
	 */
	if (!tb_code->bytes || !grow())
		return;
	version = find(table, size, tb_code->address);
	if (!version->code) {
		version->count = 1;
		keep(version, tb_code);
		return;
	}
	common = version->bytes < tb_code->bytes ? version->bytes : tb_code->bytes;
	if (!memcmp(version->code, tb_code->code, common)) {
		if (common < tb_code->bytes)
			keep(version, tb_code);
		return;
	}
	version->count++;
	keep(version, tb_code);
	tell(version);
}
