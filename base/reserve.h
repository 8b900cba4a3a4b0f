/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Large zeroed memory of which little may be used: what is untouched costs nothing, and
 * what is given back goes to the system at once. malloc() promises neither.
 */
#ifndef BASE_RESERVE_H
#define BASE_RESERVE_H

#include <stddef.h>

/* NULL when there is no memory. */
void *reserve_alloc(size_t bytes);
/* `bytes` as they were allocated. */
void reserve_free(void *memory, size_t bytes);
/* Whole pages of one become untouched zeros again. */
void reserve_clear(void *pages, size_t bytes);

#endif
