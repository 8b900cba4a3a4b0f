/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text of instructions (DISA): QEMU's own disassembly, taken at translation.
 *
 * It is kept once for each instruction word, not for each address: where QEMU prints an
 * address relative to the instruction ("# 0x10446"), the text ends in TEXT_RELATIVE and
 * the distance. Guests whose text contains other addresses have it kept for each address.
 *
 *	DISA: (size:8 [address:64] code[size] string)*
 */
#ifndef FORMAT_TEXT_H
#define FORMAT_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Flag in size: the text is valid only at the address that follows. */
#define TEXT_AT_ADDRESS 0x80

#define TEXT_RELATIVE '\001' /* then the zigzag distance from the instruction, in hex */

struct text_record {
	const uint8_t *code; /* [size] in the payload */
	uint8_t size;
	bool at_address;
	uint64_t address; /* 0 unless at_address */
	char *text;	  /* malloc()ed, the caller's */
};
/*
 * False when it is malformed or there is no memory. text->text must be freed even then.
 */
bool text_get(struct span *span, struct text_record *text);
/* Converts QEMU's text of an instruction at `address` to the kept form, in place. */
void text_make_relative(char *text, size_t size, uint64_t address);
/* The text as QEMU gives it at `address`; returns its length like snprintf(). */
int text_at(const char *kept, uint64_t address, char *text, size_t size);

#endif
