/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Large zeroed memory of which little may be used. Untouched pages cost nothing, and
 * freed ones go back to the system at once. malloc() guarantees neither.
 */
#ifndef BASE_RESERVE_H
#define BASE_RESERVE_H

#include <stddef.h>

/* NULL when there is no memory. */
void *reserve_alloc(size_t bytes);
/* `bytes` as they were allocated. */
void reserve_free(void *memory, size_t bytes);
/* Makes whole pages of it untouched zeros again. */
void reserve_clear(void *pages, size_t bytes);

#endif
