/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text that needs no attention, found eight bytes at a time: a graph has a hundred megabytes of
 * it. Example: of "sort\n" the first four bytes are plain.
 */
#ifndef OUT_PLAIN_H
#define OUT_PLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PLAIN_EACH(byte) ((byte)*UINT64_C(0x0101010101010101))

/*
 * Whether all eight bytes are printable ASCII. With no highest bit among them, the sums of
 * bytes have no carry.
 */
static inline bool plain_word(uint64_t word)
{
	const uint64_t high = PLAIN_EACH(0x80);
	uint64_t from_blank = word + PLAIN_EACH(0x80 - ' ');
	uint64_t from_delete = word + PLAIN_EACH(0x80 - 0x7f);

	return !(word & high) && (from_blank & ~from_delete & high) == high;
}

/* Whether one of the eight is `byte`. A borrow comes from such a byte only. */
static inline bool plain_has(uint64_t word, unsigned char byte)
{
	uint64_t differs = word ^ PLAIN_EACH((uint64_t)byte);

	return (differs - PLAIN_EACH(1)) & ~differs & PLAIN_EACH(0x80);
}

static inline uint64_t plain_load(const char *text)
{
	uint64_t word;

	memcpy(&word, text, sizeof(word));
	return word;
}

/* How many of the first bytes, in whole words, are printable ASCII. */
static inline size_t plain_bytes(const char *text, size_t bytes)
{
	size_t n = 0;

	while (n + sizeof(uint64_t) <= bytes && plain_word(plain_load(text + n)))
		n += sizeof(uint64_t);
	return n;
}

#endif
