/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Large zeroed arrays that are read at random: on huge pages where the kernel has them.
 */
#ifndef BASE_HUGE_H
#define BASE_HUGE_H

#include <stddef.h>

/* bytes of zeros; NULL when there is no memory. Untouched parts cost nothing. */
void *huge_alloc(size_t bytes);
/* `bytes` as they were allocated. */
void huge_free(void *memory, size_t bytes);

/* Memory that touching the first `bytes` of one takes: whole huge pages. */
size_t huge_touched(size_t bytes);

#endif
