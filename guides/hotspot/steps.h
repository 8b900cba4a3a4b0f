/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which loads of the interpreter need to be recorded. Two thirds of all bytecodes are only followed
 * by the one behind: they load, store and compute, and run no other method meanwhile. The path says
 * that the interpreter went on, so their fetches are left out, as is that of a branch which is not
 * taken. Where a call comes from would then not be recorded, and a return could not be foretold from
 * it, so of a call its first operand is.
 *
 * What may be the first bytecode of a handler keeps its fetch: nothing else says where something was
 * caught (managed/walk_caught.c).
 */
#ifndef GUIDES_HOTSPOT_STEPS_H
#define GUIDES_HOTSPOT_STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeros, and then what is known of the codelets so far. */
struct steps {
	bool is_left_out, is_call; /* of the codelet that has begun */
	uint8_t pointer;	   /* the register of fetches; 0: not known */
};

/* A codelet, by its bytecode and name, whose bytecode opcodes_learn() knows. */
void steps_begin(struct steps *steps, int32_t bytecode, const char *name);
/* Whether the fetch by that instruction of it is recorded. */
bool steps_keeps(struct steps *steps, const uint8_t *insn);
/* If code[bytes] is the codelet of a call: where it loads the first operand, in *at; else false. */
bool steps_call(const struct steps *steps, const uint8_t *code, size_t bytes, size_t *at);

#endif
