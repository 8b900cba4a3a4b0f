/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest's memory. User-mode QEMU maps it into this process, at a constant distance
 * from the guest's addresses. Any address may be read: the kernel checks each read, and
 * each function returns whether it succeeded.
 */
#ifndef PLUGIN_USER_GUEST_H
#define PLUGIN_USER_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A guest's pointers have `word` bytes: of a 32-bit address the upper half of the
 * register is ignored. Until this is called addresses have 8 bytes.
 */
void guest_init(unsigned word);
/* Whether reading works at all: some sandboxes forbid it. */
bool guest_can_be_read(void);
/* Guest address `address` is at `host`, which gives the distance for all addresses. */
void guest_learn(uint64_t address, const void *host);
/* A guest address as a pointer to pass to system calls: any address may be asked for. */
char *guest_pointer(uint64_t address);
/*
 * Copies memory that the guest has just accessed; zeros where it is gone. `alone`: no
 * other thread runs that could take it away, so no system call is needed.
 */
void guest_copy_data(uint64_t address, void *to, size_t bytes, bool alone);
/* Copies memory; false unless all of it could be read. */
bool guest_read(uint64_t address, void *to, size_t bytes);
/*
 * A pointer or register of `word` bytes; false, and *value is 0, when it cannot be read.
 */
bool guest_word(uint64_t address, unsigned word, uint64_t *value);

enum guest_text {
	GUEST_WHOLE,	  /* all of the string, with its NUL */
	GUEST_CUT,	  /* only its first size - 1 bytes fit */
	GUEST_UNREADABLE, /* only its readable start: no NUL was found before the end */
};
/* Copies a string of the guest to text[size], which always ends in a NUL. */
enum guest_text guest_string(uint64_t address, char *text, size_t size);

#define GUEST_PAGE 4096 /* or a part of one: readable or not as a whole */

/* The page that was read last: strings of an argument vector lie side by side. */
struct guest_page {
	uint64_t address;
	bool read;
	char bytes[GUEST_PAGE];
};
/* Whether a string of any length can be read up to its NUL. Initialize *last to zeros. */
bool guest_has_string(uint64_t address, struct guest_page *last);

#endif
