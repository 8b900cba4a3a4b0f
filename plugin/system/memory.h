/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine's memory and registers, as the hart that runs a callback sees them. */
#ifndef PLUGIN_SYSTEM_MEMORY_H
#define PLUGIN_SYSTEM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Copies memory at a virtual address; false, and zeros, where it cannot be read. */
bool memory_read(uint64_t address, void *to, size_t bytes);
/* The same at a physical address. A QEMU that has no function for that cannot. */
bool memory_read_physical(uint64_t address, void *to, size_t bytes);
/* The word there, 0 where it cannot be read. From here on address 0 is a pointer to nothing. */
uint64_t memory_word(uint64_t address);
uint32_t memory_half(uint64_t address);
/*
 * A string there, cut to size - 1 bytes. It may be in the last readable page: it is read
 * piece by piece.
 */
void memory_string(uint64_t address, char *text, size_t size);
/* A register, by its number of isa/registers.h. Callers hold link_lock(). */
uint64_t memory_register(unsigned number);
/* Argument 0 or 1 of the function that the hart enters. Callers hold link_lock(). */
uint64_t memory_argument(unsigned number);

#endif
