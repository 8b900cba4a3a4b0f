/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which registers an instruction writes, as far as its bytes say. No state. */
#ifndef ISA_WRITES_H
#define ISA_WRITES_H

#include <stddef.h>
#include <stdint.h>

#include "isa/registers.h"

struct writes {
	struct register_set always;  /* these, whenever it completes */
	struct register_set perhaps; /* of these, any or none */
};

/*
 * Of the instruction code[bytes] on an ISA as QEMU names it. Registers of isa/registers.h
 * that are in neither set it does not write; lists of Zcmp are left out.
 */
void writes_find(const char *isa, const uint8_t *code, size_t bytes,
		 struct writes *writes);

#endif
