/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the operands of a class's bytecode name: fields, classes and constants, as texts. */
#ifndef GUIDES_HOTSPOT_OPERANDS_H
#define GUIDES_HOTSPOT_OPERANDS_H

#include "base/buf.h"
#include "guides/hotspot/vm.h"

struct operands {
	const struct vm *vm;
	const char *pool, *cache;	  /* NULL: nothing in the class needs one */
	uint32_t entries;		  /* of the pool */
	uint8_t used[UINT16_MAX / 8 + 1]; /* bits, by entry of the pool */
	uint64_t start;			  /* of the bytecode of one of its methods */
};

/* Of a class, by its constant pool. */
void operands_begin(struct operands *operands, const struct vm *vm, const char *pool);
/*
 * Makes of a copy of a method's bytecode what the class file has: its opcodes, and its operands
 * except those of calls of methods. `start` is the address that the method's note will have.
 */
void operands_restore(struct operands *operands, uint64_t start, uint8_t *code,
		      size_t bytes);
/* Sends what the operands name, behind the note that tells of the methods. */
void operands_tell(const struct operands *operands);

#endif
