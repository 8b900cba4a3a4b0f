/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the operands of a code object's bytecode name, as texts. */
#ifndef GUIDES_CPYTHON_OPERANDS_H
#define GUIDES_CPYTHON_OPERANDS_H

#include "guides/cpython/api.h"
#include "guides/cpython/text.h"
#include "isa/python.h"

struct operands {
	const struct python *python; /* the release */
	long code_bytes;	     /* of a code object, without its bytecode */
	bool is_constant[256];	     /* by opcode: its operand is the number of one */
	long variables; /* where it has the names of its variables; 0: not looked for; -1: not known */
};

/*
 * Appends what a note says of the operands of a code object. `start` is the address that the note
 * of the unit has for its bytecode, `bytecode` a copy of that.
 */
void put_operands(struct operands *operands, struct text *text, struct object *code,
		  uint64_t start, const uint8_t *bytecode, size_t size);

#endif
