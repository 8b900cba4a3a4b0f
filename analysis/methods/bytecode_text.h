/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A bytecode as text, with the names of what its operands are. */
#ifndef ANALYSIS_METHODS_BYTECODE_TEXT_H
#define ANALYSIS_METHODS_BYTECODE_TEXT_H

#include "managed/classes.h"
#include "managed/operands.h"

/* What bytecodes of some units name. */
struct bytecode_names {
	struct classes classes; /* of Java: for methods that are called */
	struct operands operands;
};

/*
 * Reads what the notes of `units` tell into *names, which bytecode_names_fini() frees, also after
 * a failure, and if it is zeros. WM_E_DAMAGED, WM_E_NOMEM.
 */
int bytecode_names_read(struct bytecode_names *names, const struct units *units,
			struct wm_error *err);
void bytecode_names_fini(struct bytecode_names *names);

/*
 * "invokevirtual shop.Order.total(I)J", cut to `size` bytes: as operands_text(), and what
 * classes_call() finds. The unit is one of those.
 */
void bytecode_text(const struct bytecode_names *names, const struct unit *unit,
		   uint32_t offset, char *text, size_t size);

#endif
