/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of functions that are too long for their place. C++ has some of 1,000 letters. */
#ifndef OUT_SHORTEN_H
#define OUT_SHORTEN_H

#include <stddef.h>

/*
 * The name in at most `columns` (8 or more; see base/utf8.h), the caller's to free(). First
 * what is nested deepest in brackets becomes an ellipsis, as in pack<map<…>>::put(…), as
 * many levels as it takes; what is still too long, loses its middle. NULL: no memory.
 */
char *shorten(const char *name, size_t columns);

#endif
