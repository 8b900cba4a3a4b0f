/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Binary search. */
#ifndef BASE_BISECT_H
#define BASE_BISECT_H

#include <stddef.h>

/*
 * The index of the first of n sorted items for which `before` is false: how many items
 * come before the one that is looked for. `before` is an expression about the item at
 * index `i`, a name of the caller's choice:
 *
 *	size_t at = BISECT(n, i, things[i].start < start);
 */
#define BISECT(n, i, before)                                  \
	({                                                    \
		size_t low_ = 0, high_ = (n);                 \
                                                              \
		while (low_ < high_) {                        \
			size_t i = low_ + (high_ - low_) / 2; \
                                                              \
			if (before)                           \
				low_ = i + 1;                 \
			else                                  \
				high_ = i;                    \
		}                                             \
		low_;                                         \
	})

#endif
