/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a thread reaches code for the N-th time: a symbol, a line, or an address. */
#ifndef QUERY_REACHED_CODE_H
#define QUERY_REACHED_CODE_H

#include "query/reached.h"

/*
 * Finds the ordinal of the instruction with a cursor of the thread, which is moved. Results
 * and errors are those of reaching_find().
 */
int reached_code_find(struct reaching *reaching, struct wm_cursor *cursor, uint64_t *insn,
		      struct wm_error *err);

#endif
