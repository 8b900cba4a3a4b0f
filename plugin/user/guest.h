/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest's memory, which user-mode QEMU keeps at a constant distance from its guest
 * addresses, in this very process. A guest may hand out any address: reads are checked by
 * the kernel, and each of them says whether it failed. What cannot be read has no value.
 */
#ifndef PLUGIN_USER_GUEST_H
#define PLUGIN_USER_GUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A guest pointer has `word` bytes; the upper half of a register with a 32-bit address is
 * not part of it. Until this is called addresses have 8 bytes.
 */
void guest_init(unsigned word);
/* Whether anything can be read at all: some sandboxes forbid it. */
bool guest_can_be_read(void);
/* Code at guest address `address` is at `host`: so is everything else. */
void guest_learn(uint64_t address, const void *host);
/* A guest address as a pointer, to be read by the kernel only. */
char *guest_pointer(uint64_t address);
/* Copies memory; false unless all of it could be read. */
bool guest_read(uint64_t address, void *to, size_t bytes);
/* A pointer or register of `word` bytes; false, and *value is 0, when it cannot be read. */
bool guest_word(uint64_t address, unsigned word, uint64_t *value);

enum guest_text {
	GUEST_WHOLE,	  /* all of the string, with its NUL */
	GUEST_CUT,	  /* its first size - 1 bytes: it is longer */
	GUEST_UNREADABLE, /* what there is of it: it has no end that can be read */
};
/* Copies a string of the guest to text[size]; a NUL is always put behind what is there. */
enum guest_text guest_string(uint64_t address, char *text, size_t size);

#define GUEST_PAGE 4096 /* or a part of one: readable or not as a whole */

/* The page that was read last: strings that are looked at in turn lie side by side. */
struct guest_page {
	uint64_t address;
	bool read;
	char bytes[GUEST_PAGE];
};
/* Whether a string can be read up to its NUL, however long it is. *last is zeros at first. */
bool guest_has_string(uint64_t address, struct guest_page *last);

#endif
