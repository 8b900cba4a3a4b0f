/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instructions of a stub: what jumps to the address that a slot has. */
#ifndef PROGRAM_ELF_STUB_H
#define PROGRAM_ELF_STUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stub_kind {
	uint16_t machine;   /* EM_... */
	uint32_t irelative; /* type of relocation whose slot a resolver function fills */
	uint8_t step; /* bytes from where an instruction may begin to the next such */
	uint64_t got; /* what addresses of i386 are counted from */
};

struct stub {
	size_t begin, end; /* in the code: `end` is after the load, not the stub */
	uint64_t slot;
};

/* False: of that machine stubs are not known. */
bool stub_kind(struct stub_kind *kind, uint16_t machine);
/*
 * Whether at code[at] of code[bytes], which is loaded at `address`, a stub loads a slot.
 */
bool stub_at(const struct stub_kind *kind, const uint8_t *code, size_t bytes, size_t at,
	     uint64_t address, struct stub *stub);

#endif
