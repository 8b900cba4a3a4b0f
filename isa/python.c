// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Code is what the compiler made: a running interpreter puts specialised opcodes in place of
 * these, which are as long. Two of them also do what the next instruction says and skip
 * it: BINARY_OP_INPLACE_ADD_UNICODE a STORE_FAST, CALL_LIST_APPEND a POP_TOP.
 *
 * Example: "s += x" is LOAD_FAST_LOAD_FAST, BINARY_OP with one cache, STORE_FAST. With two
 * strings nobody fetches the last one.
 */
#include "isa/python.h"

enum { UNIT = 2, OPCODES = 256 };

enum opcode {
#define OPCODE(number, name, caches) name = number,
#include "isa/python.def"
#undef OPCODE
};

static const struct {
	const char *name;
	uint8_t caches;
} opcodes[OPCODES] = {
#define OPCODE(number, name, caches) [number] = { #name, caches },
#include "isa/python.def"
#undef OPCODE
};

const char *python_name(uint8_t opcode)
{
	return opcodes[opcode].name;
}

size_t python_length(const uint8_t *code, size_t bytes, size_t at)
{
	size_t length;

	if (at + UNIT > bytes || !opcodes[code[at]].name)
		return 0;
	length = UNIT * (1 + (size_t)opcodes[code[at]].caches);
	return length <= bytes - at ? length : 0;
}

bool python_swallows(const uint8_t *code, size_t bytes, size_t at)
{
	size_t length = python_length(code, bytes, at), next = at + length;

	if (!length || !python_length(code, bytes, next))
		return false;
	return (code[at] == BINARY_OP && code[next] == STORE_FAST) ||
	       (code[at] == CALL && code[next] == POP_TOP);
}

bool python_extends(const uint8_t *code, size_t bytes, size_t at)
{
	size_t length = python_length(code, bytes, at);

	return length && code[at] == EXTENDED_ARG &&
	       python_length(code, bytes, at + length);
}

/*
 * Jumps count code units from behind the caches. The operand may be extended by instructions
 * before it. At a loop's end END_FOR and the POP_TOP behind it are skipped, unless the loop was
 * over a generator, whose return leads to END_FOR.
 */
bool python_branches(const uint8_t *code, size_t bytes, size_t at, int64_t *target,
		     int64_t *also)
{
	size_t length = python_length(code, bytes, at), start = at;
	uint64_t operand = 0;

	if (!length || (code[at] != POP_JUMP_IF_FALSE && code[at] != POP_JUMP_IF_TRUE &&
			code[at] != POP_JUMP_IF_NONE &&
			code[at] != POP_JUMP_IF_NOT_NONE && code[at] != FOR_ITER))
		return false;
	for (int i = 0; i < 3 && start >= UNIT && code[start - UNIT] == EXTENDED_ARG; i++)
		start -= UNIT;
	for (; start <= at; start += UNIT)
		operand = operand << 8 | code[start + 1];
	*target = (int64_t)(at + length + UNIT * operand);
	*also = *target;
	if (code[at] == FOR_ITER && (uint64_t)*target + 2 * UNIT <= bytes &&
	    code[*target] == END_FOR)
		*target += 2 * UNIT;
	return true;
}

bool python_leaves(const uint8_t *code, size_t bytes, size_t at)
{
	return at + UNIT <= bytes &&
	       (code[at] == RETURN_VALUE || code[at] == RETURN_CONST ||
		code[at] == RETURN_GENERATOR || code[at] == YIELD_VALUE);
}

/* RESUME, where a tool of sys.monitoring came or went since the code ran last. */
bool python_repeats(const uint8_t *code, size_t bytes, size_t at)
{
	return at + UNIT <= bytes && code[at] == RESUME;
}

size_t python_begins(const uint8_t *code, size_t bytes)
{
	size_t at = 0;

	while (at + UNIT <= bytes &&
	       (code[at] == MAKE_CELL || code[at] == COPY_FREE_VARS))
		at += UNIT;
	return at;
}

/* A generator goes on behind what made it, or behind its last yield. */
bool python_enters(const uint8_t *code, size_t bytes, size_t at)
{
	if (!at)
		return true;
	return at >= UNIT && at + UNIT <= bytes &&
	       (code[at - UNIT] == RETURN_GENERATOR || code[at - UNIT] == YIELD_VALUE);
}

bool python_is_plain(const uint8_t *code, size_t bytes, size_t at)
{
	uint8_t opcode = code[at];

	return python_length(code, bytes, at) &&
	       (opcode == NOP || opcode == PUSH_NULL || opcode == COPY ||
		opcode == SWAP || opcode == LOAD_FAST || opcode == LOAD_FAST_LOAD_FAST ||
		opcode == LOAD_CONST);
}
