/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of symbols that Linux carries in itself, in the bytes of its Image. */
#ifndef PROGRAM_KERNEL_KALLSYMS_H
#define PROGRAM_KERNEL_KALLSYMS_H

#include "base/buf.h"

struct kernel_symbol {
	uint64_t address;
	uint32_t name; /* where it starts in kernel_symbols.texts */
	char type;     /* as nm(1) has it: t and T are code */
};

struct kernel_symbols {
	struct kernel_symbol *all; /* [n], by address */
	uint32_t n;
	struct buf texts; /* each with its NUL */
};

#define KERNEL_SYMBOLS_INIT ((struct kernel_symbols){ .all = NULL })

/*
 * Reads the table of a 64-bit little-endian kernel from 5.10 on. False when there is none,
 * or no memory; *symbols is empty then, else the caller's to kernel_symbols_fini().
 */
bool kallsyms_read(struct kernel_symbols *symbols, const uint8_t *image, size_t bytes);
void kernel_symbols_fini(struct kernel_symbols *symbols);
/* Adds one; the caller sorts them. False without memory, or too many. */
bool kernel_symbols_add(struct kernel_symbols *symbols, uint64_t address, char type,
			const char *name, size_t bytes);
void kernel_symbols_sort(struct kernel_symbols *symbols);
/* The address of a symbol; false when there is none. */
bool kernel_symbols_find(const struct kernel_symbols *symbols, const char *name,
			 uint64_t *address);

#endif
