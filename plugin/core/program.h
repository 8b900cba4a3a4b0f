/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The program of a block (format/values.h): which of its accesses to memory are known in
 * advance, and which addresses follow from others. Callers hold link_lock().
 */
#ifndef PLUGIN_CORE_PROGRAM_H
#define PLUGIN_CORE_PROGRAM_H

#include <stdint.h>

#include "base/buf.h"
#include "format/blocks.h"
#include "format/values.h"

struct tb_code;

/* What an instruction needs a callback for. */
enum program_access {
	ACCESS_NONE,
	ACCESS_IN_LANE, /* an access that the program has: its address */
	ACCESS_DERIVED, /* the same, but the address follows */
	ACCESS_FIRING,	/* accesses that the program does not have, if there are any */
};

struct program {
	struct buf bytes; /* of the operations */
	uint8_t access[BLOCK_INSNS_MAX];
	uint8_t size[BLOCK_INSNS_MAX]; /* log2 of the bytes, of those it has */
};

/* Before anything else: QEMU's name of the guest, and enum values_wanted. */
void program_init(const char *target_name, uint32_t wanted);
/* Of an instruction that the guest has told as a site (plugin/core/sites.h), which is `word`. */
void program_site(uint32_t word);
/* The program of that code. It is valid until the next call. */
const struct program *program_of(const struct tb_code *tb_code);

#endif
