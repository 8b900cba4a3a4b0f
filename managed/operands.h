/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the operands of bytecodes name: constants, names and variables, as guests told. */
#ifndef MANAGED_OPERANDS_H
#define MANAGED_OPERANDS_H

#include "managed/units.h"

/* An entry of a table that operands number (enum note_names). */
struct operand_name {
	uint32_t table, number, bytes;
	const char *text; /* [bytes], in the notes of the units */
};

/* What a note told of a unit, or of all those that another note told. */
struct operand_set {
	size_t first, n; /* of the names */
};

struct operands {
	const struct units *units;  /* the caller's */
	struct operand_name *names; /* [n_names] of each set by table and number */
	struct operand_set *sets;   /* [n_sets] */
	/* One more than the index of its set; 0: none is known. [units->n], [units->notes.n] */
	uint32_t *of_unit, *of_note; /* of all units of a note */
	size_t n_names, n_sets;
};

/*
 * Reads those that the notes of `units` tell of into *operands, which operands_fini() frees, also
 * after a failure. WM_E_DAMAGED, WM_E_NOMEM.
 */
int operands_read(struct operands *operands, const struct units *units,
		  struct wm_error *err);
void operands_fini(struct operands *operands);

/* The entry of a table of a unit's; NULL: it is not known. */
const struct operand_name *operands_find(const struct operands *operands,
					 const struct unit *unit, uint32_t table,
					 uint32_t number);
/*
 * The bytecode at an offset as text, with what it names: "LOAD_GLOBAL fib + NULL", "new java.util.ArrayList",
 * "ifeq 40". Where that is not known, its operands are numbers, or left out. The unit is one of
 * operands->units.
 */
void operands_text(const struct operands *operands, const struct unit *unit,
		   uint32_t offset, char *text, size_t size);

#endif
