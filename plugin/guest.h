/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest's memory, which user-mode QEMU keeps at a constant distance from its guest
 * addresses, in this very process. A guest may hand out any address: reads are checked by
 * the kernel.
 */
#ifndef PLUGIN_GUEST_H
#define PLUGIN_GUEST_H

#include <stddef.h>
#include <stdint.h>

/* Code at guest address `address` is at `host`: so is everything else. */
void guest_learn(uint64_t address, const void *host);
/* A guest address as a pointer, to be read by the kernel only. */
char *guest_pointer(uint64_t address);
/* Copies memory; how many of the `bytes` could be read. */
size_t guest_read(uint64_t address, void *to, size_t bytes);
/* A pointer or register of `word` bytes; 0 when it cannot be read. */
uint64_t guest_word(uint64_t address, unsigned word);
/* Copies a string, cut to size - 1 bytes; its length, 0 when it cannot be read. */
size_t guest_string(uint64_t address, char *text, size_t size);

#endif
