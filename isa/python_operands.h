/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the operands of CPython's bytecodes are, and how its own `dis` writes them. */
#ifndef ISA_PYTHON_OPERANDS_H
#define ISA_PYTHON_OPERANDS_H

#include "isa/python.h"

enum python_operand {
	PYTHON_NUMBER, /* and nothing else is known of it */
	PYTHON_NONE,   /* there is no operand */
	/* Numbers of entries of tables; some have flags below. */
	PYTHON_CONSTANT,
	PYTHON_NAME,
	PYTHON_IMPORTED,  /* a name; 1: lazily, 2: at once */
	PYTHON_GLOBAL,	  /* a name; 1: and pushes NULL */
	PYTHON_ATTRIBUTE, /* a name; 1: and pushes NULL or self */
	PYTHON_OF_SUPER,  /* the same, and another flag */
	PYTHON_VARIABLE,
	PYTHON_VARIABLES, /* two */
	/* Code units from behind the caches, to a later place, or to one before. */
	PYTHON_FORWARD,
	PYTHON_BACKWARD,
	/* Numbers of the interpreter's own lists. */
	PYTHON_COMPARISON,
	PYTHON_OPERATOR,
	PYTHON_CONVERSION,
	PYTHON_OF_FUNCTION, /* flags */
	PYTHON_INTRINSIC_1,
	PYTHON_INTRINSIC_2,
	PYTHON_COMMON,
	PYTHON_SPECIAL,
	PYTHON_IDENTITY,
	PYTHON_CONTAINED,
};

/* The tables that a code object has; as of enum note_names. */
enum python_table { PYTHON_CONSTANTS = 1, PYTHON_NAMES, PYTHON_LOCALS };

/* An entry of a table that an operand is the number of. */
struct python_entry {
	enum python_table table;
	uint32_t number;
};

/* What the operand of an opcode is. */
enum python_operand python_operand(const struct python *python, uint8_t opcode);
/* The operand of the instruction at code[at], which instructions before it may extend. */
uint64_t python_number(const struct python *python, const uint8_t *code, size_t bytes,
		       size_t at);
/* Puts the entries that the operand names into entries[2]; returns how many there are, 0 to 2. */
unsigned python_entries(const struct python *python, const uint8_t *code, size_t bytes,
			size_t at, struct python_entry entries[2]);
/*
 * The operand as text behind a blank: " fib + NULL", " <", " 40" of a jump, " n, i", or as a
 * number; "" for none. texts[2] are those of its entries, NULL where one is not known. Returns its
 * bytes, like snprintf().
 */
int python_operand_text(const struct python *python, const uint8_t *code, size_t bytes,
			size_t at, const char *const texts[2], char *text, size_t size);

#endif
