// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Code is what the compiler made: a running interpreter puts specialised opcodes in place of
 * these, which are as long. Two of them also do what the next instruction says and skip
 * it: BINARY_OP_INPLACE_ADD_UNICODE a STORE_FAST, CALL_LIST_APPEND a POP_TOP.
 *
 * Example: "s += x" is LOAD_FAST_LOAD_FAST, BINARY_OP with one cache, STORE_FAST. With two
 * strings nobody fetches the last one.
 */
#include "isa/python_operands.h"

#include <string.h>

enum { UNIT = 2, OPCODES = 256 };

/* What an opcode of any release means. */
enum meaning {
	OTHER,
	BINARY_OP,
	CALL,
	COPY,
	COPY_FREE_VARS,
	END_FOR,
	EXTENDED_ARG,
	FOR_ITER,
	LOAD_CONST,
	LOAD_FAST,
	LOAD_FAST_BORROW,
	LOAD_FAST_BORROW_LOAD_FAST_BORROW,
	LOAD_FAST_LOAD_FAST,
	LOAD_SMALL_INT,
	MAKE_CELL,
	NOP,
	NOT_TAKEN,
	POP_JUMP_IF_FALSE,
	POP_JUMP_IF_NONE,
	POP_JUMP_IF_NOT_NONE,
	POP_JUMP_IF_TRUE,
	POP_TOP,
	PUSH_NULL,
	RAISE_VARARGS,
	RERAISE,
	RESUME,
	RETURN_CONST,
	RETURN_GENERATOR,
	RETURN_VALUE,
	STORE_FAST,
	SWAP,
	YIELD_VALUE,
};

struct opcode {
	const char *name;
	uint8_t caches;
};

struct python {
	const char *release; /* what its versions begin with */
	struct opcode opcodes[OPCODES];
	uint8_t meanings[OPCODES]; /* enum meaning */
	uint8_t operands[OPCODES]; /* enum python_operand */
	uint8_t least_with;	   /* opcodes from this one on have an operand */
	bool is_lazy;		   /* imports may be: two bits of their operands say so */
	/* At a loop's end END_FOR is skipped, and so much behind it. */
	uint8_t behind_loop;
};

enum {
#define OPERAND(name, kind) OPERAND_OF_##name = PYTHON_##kind,
#include "isa/python_operands.def"
#undef OPERAND
};

enum opcode_3_13 {
#define OPCODE(number, name, caches) V3_13_##name = number,
#include "isa/python_3_13.def"
#undef OPCODE
};

enum opcode_3_14 {
#define OPCODE(number, name, caches) V3_14_##name = number,
#include "isa/python_3_14.def"
#undef OPCODE
};

enum opcode_3_15 {
#define OPCODE(number, name, caches) V3_15_##name = number,
#include "isa/python_3_15.def"
#undef OPCODE
};

#define MEANS(release, name) [release##_##name] = name,
#define MEAN_SAME(release)                   \
	MEANS(release, BINARY_OP)            \
	MEANS(release, CALL)                 \
	MEANS(release, COPY)                 \
	MEANS(release, COPY_FREE_VARS)       \
	MEANS(release, END_FOR)              \
	MEANS(release, EXTENDED_ARG)         \
	MEANS(release, FOR_ITER)             \
	MEANS(release, LOAD_CONST)           \
	MEANS(release, LOAD_FAST)            \
	MEANS(release, LOAD_FAST_LOAD_FAST)  \
	MEANS(release, MAKE_CELL)            \
	MEANS(release, NOP)                  \
	MEANS(release, POP_JUMP_IF_FALSE)    \
	MEANS(release, POP_JUMP_IF_NONE)     \
	MEANS(release, POP_JUMP_IF_NOT_NONE) \
	MEANS(release, POP_JUMP_IF_TRUE)     \
	MEANS(release, POP_TOP)              \
	MEANS(release, PUSH_NULL)            \
	MEANS(release, RESUME)               \
	MEANS(release, RAISE_VARARGS)        \
	MEANS(release, RERAISE)              \
	MEANS(release, RETURN_GENERATOR)     \
	MEANS(release, RETURN_VALUE)         \
	MEANS(release, STORE_FAST)           \
	MEANS(release, SWAP)                 \
	MEANS(release, YIELD_VALUE)

#define MEAN_SAME_FROM_3_14(release)                      \
	MEAN_SAME(release)                                \
	MEANS(release, LOAD_FAST_BORROW)                  \
	MEANS(release, LOAD_FAST_BORROW_LOAD_FAST_BORROW) \
	MEANS(release, LOAD_SMALL_INT)                    \
	MEANS(release, NOT_TAKEN)

/* The two tables that are made of a list of opcodes. */
#define NAMED(number, name, caches) [number] = { #name, caches },
#define OPERANDS(number, name, caches) [number] = OPERAND_OF_##name,

static const struct python releases[] = {
	{
		.release = "3.13.",
#define OPCODE NAMED
		.opcodes = {
#include "isa/python_3_13.def"
		},
#undef OPCODE
#define OPCODE OPERANDS
		.operands = {
#include "isa/python_3_13.def"
		},
#undef OPCODE
		.meanings = { MEAN_SAME(V3_13) MEANS(V3_13, RETURN_CONST) },
		.behind_loop = UNIT, /* a POP_TOP */
		.least_with = 45,
	},
	{
		.release = "3.14.",
#define OPCODE NAMED
		.opcodes = {
#include "isa/python_3_14.def"
		},
#undef OPCODE
#define OPCODE OPERANDS
		.operands = {
#include "isa/python_3_14.def"
		},
#undef OPCODE
		.meanings = { MEAN_SAME_FROM_3_14(V3_14) },
		.least_with = 44,
	},
	{
		.release = "3.15.",
#define OPCODE NAMED
		.opcodes = {
#include "isa/python_3_15.def"
		},
#undef OPCODE
#define OPCODE OPERANDS
		.operands = {
#include "isa/python_3_15.def"
		},
#undef OPCODE
		.meanings = { MEAN_SAME_FROM_3_14(V3_15) },
		.least_with = 42,
		.is_lazy = true,
	},
};

const struct python *python_find(const uint8_t *version, size_t bytes)
{
	for (size_t i = 0; i < sizeof(releases) / sizeof(*releases); i++) {
		size_t length = strlen(releases[i].release);

		if (bytes > length && !memcmp(version, releases[i].release, length))
			return &releases[i];
	}
	return NULL;
}

/* OTHER where no code is. */
static enum meaning meaning_of(const struct python *python, const uint8_t *code,
			       size_t bytes, size_t at)
{
	return at + UNIT <= bytes ? python->meanings[code[at]] : OTHER;
}

const char *python_name(const struct python *python, uint8_t opcode)
{
	return python->opcodes[opcode].name;
}

size_t python_length(const struct python *python, const uint8_t *code, size_t bytes,
		     size_t at)
{
	size_t length;

	if (at + UNIT > bytes || !python->opcodes[code[at]].name)
		return 0;
	length = UNIT * (1 + (size_t)python->opcodes[code[at]].caches);
	return length <= bytes - at ? length : 0;
}

uint64_t python_number(const struct python *python, const uint8_t *code, size_t bytes,
		       size_t at)
{
	uint64_t operand = 0;
	size_t start = at;

	for (int i = 0; i < 3 && start >= UNIT &&
			meaning_of(python, code, bytes, start - UNIT) == EXTENDED_ARG;
	     i++)
		start -= UNIT;
	for (; start <= at; start += UNIT)
		operand = operand << 8 | code[start + 1];
	return operand;
}

enum python_operand python_operand(const struct python *python, uint8_t opcode)
{
	enum python_operand operand = python->operands[opcode];

	if (opcode < python->least_with)
		return PYTHON_NONE;
	return operand == PYTHON_IMPORTED && !python->is_lazy ? PYTHON_NAME : operand;
}

bool python_swallows(const struct python *python, const uint8_t *code, size_t bytes,
		     size_t at)
{
	size_t length = python_length(python, code, bytes, at), next = at + length;
	enum meaning first, second;

	if (!length || !python_length(python, code, bytes, next))
		return false;
	first = meaning_of(python, code, bytes, at);
	second = meaning_of(python, code, bytes, next);
	return (first == BINARY_OP && second == STORE_FAST) ||
	       (first == CALL && second == POP_TOP);
}

bool python_extends(const struct python *python, const uint8_t *code, size_t bytes,
		    size_t at)
{
	size_t length = python_length(python, code, bytes, at);

	return length && meaning_of(python, code, bytes, at) == EXTENDED_ARG &&
	       python_length(python, code, bytes, at + length);
}

static bool is_branch(enum meaning meaning)
{
	return meaning == POP_JUMP_IF_FALSE || meaning == POP_JUMP_IF_TRUE ||
	       meaning == POP_JUMP_IF_NONE || meaning == POP_JUMP_IF_NOT_NONE ||
	       meaning == FOR_ITER;
}

/*
 * Jumps count code units from behind the caches. At a loop's end END_FOR is skipped, and in 3.13
 * the POP_TOP behind it, unless the loop was over a generator, whose return leads to END_FOR. What
 * is not taken skips a NOT_TAKEN, unless the program is monitored.
 */
bool python_branches(const struct python *python, const uint8_t *code, size_t bytes,
		     size_t at, struct python_ways *ways)
{
	size_t length = python_length(python, code, bytes, at);
	enum meaning meaning = meaning_of(python, code, bytes, at);

	if (!length || !is_branch(meaning))
		return false;
	ways->next = ways->also_next = (int64_t)(at + length);
	ways->target =
		(int64_t)(at + length + UNIT * python_number(python, code, bytes, at));
	ways->also_target = ways->target;
	if (meaning != FOR_ITER &&
	    meaning_of(python, code, bytes, at + length) == NOT_TAKEN)
		ways->next += UNIT;
	if (meaning == FOR_ITER &&
	    meaning_of(python, code, bytes, (size_t)ways->target) == END_FOR)
		ways->target += UNIT + python->behind_loop;
	return true;
}

bool python_leaves(const struct python *python, const uint8_t *code, size_t bytes,
		   size_t at)
{
	enum meaning meaning = meaning_of(python, code, bytes, at);

	return meaning == RETURN_VALUE || meaning == RETURN_CONST ||
	       meaning == RETURN_GENERATOR || meaning == YIELD_VALUE;
}

bool python_raises(const struct python *python, const uint8_t *code, size_t bytes,
		   size_t at)
{
	enum meaning meaning = meaning_of(python, code, bytes, at);

	return meaning == RAISE_VARARGS || meaning == RERAISE;
}

/* RESUME, where a tool of sys.monitoring came or went since the code ran last. */
bool python_repeats(const struct python *python, const uint8_t *code, size_t bytes,
		    size_t at)
{
	return meaning_of(python, code, bytes, at) == RESUME;
}

size_t python_begins(const struct python *python, const uint8_t *code, size_t bytes)
{
	size_t at = 0;
	enum meaning meaning = meaning_of(python, code, bytes, at);

	while (meaning == MAKE_CELL || meaning == COPY_FREE_VARS) {
		at += UNIT;
		meaning = meaning_of(python, code, bytes, at);
	}
	return at;
}

/* A generator goes on behind what made it, or behind its last yield. */
bool python_enters(const struct python *python, const uint8_t *code, size_t bytes,
		   size_t at)
{
	enum meaning before;

	if (!at)
		return true;
	if (at < UNIT || at + UNIT > bytes)
		return false;
	before = meaning_of(python, code, bytes, at - UNIT);
	return before == RETURN_GENERATOR || before == YIELD_VALUE;
}

bool python_is_plain(const struct python *python, const uint8_t *code, size_t bytes,
		     size_t at)
{
	if (!python_length(python, code, bytes, at))
		return false;
	switch (meaning_of(python, code, bytes, at)) {
	case COPY:
	case LOAD_CONST:
	case LOAD_FAST:
	case LOAD_FAST_BORROW:
	case LOAD_FAST_BORROW_LOAD_FAST_BORROW:
	case LOAD_FAST_LOAD_FAST:
	case LOAD_SMALL_INT:
	case NOP:
	case NOT_TAKEN:
	case PUSH_NULL:
	case SWAP:
		return true;
	default:
		return false;
	}
}
