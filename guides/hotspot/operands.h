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
 * Puts Java's opcodes and the operands of the class file, but those of calls of methods, into a
 * copy of bytecode, which is told to start there.
 */
void operands_restore(struct operands *operands, uint64_t start, uint8_t *code,
		      size_t bytes);
/* Sends what the operands name, behind the note that tells of the methods. */
void operands_tell(const struct operands *operands);

#endif
