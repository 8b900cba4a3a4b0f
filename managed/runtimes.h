/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The runtimes that tell of bytecode: what their words mean. */
#ifndef MANAGED_RUNTIMES_H
#define MANAGED_RUNTIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What bytecode is. */
enum unit_language { UNIT_OTHER, UNIT_JAVA, UNIT_PYTHON };

/* What an interpreter's piece is, besides a bytecode's own. */
enum piece_role {
	PIECE_PLAIN,
	PIECE_BEGINS,  /* methods begin with it */
	PIECE_RESUMES, /* methods that were called return to it */
	PIECE_PAIR,    /* it executes two bytecodes */
};

struct runtime_rules {
	const char *name; /* as it calls itself */
	enum unit_language language;
	/* It has methods before it can tell of them, in any of its notes. */
	bool is_late;
	const char *begins, *resumes; /* in names of pieces; NULL: none do */
	const char *const *pairs;     /* names of pieces, up to NULL */
};

/* Never NULL: of a runtime that is not known nothing is known. */
const struct runtime_rules *runtime_find(const uint8_t *name, size_t bytes);
/* `opcode`: of the piece, or below 0. */
enum piece_role runtime_role(const struct runtime_rules *runtime, const char *name,
			     int32_t opcode);

#endif
