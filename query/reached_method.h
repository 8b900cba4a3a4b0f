/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a thread of a managed program reaches a method or a line for the N-th time. */
#ifndef QUERY_REACHED_METHOD_H
#define QUERY_REACHED_METHOD_H

#include "query/reached.h"

/*
 * Finds the ordinal of the first instruction of the bytecode. Results and errors are those of
 * reaching_find(). A position that no method has is the error that *err has already, of code,
 * but it may be told which method is meant.
 */
int reached_method_find(struct reaching *reaching, uint64_t *insn, struct wm_error *err);

#endif
