/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finding a place among things in order, by halving. */
#ifndef BASE_BISECT_H
#define BASE_BISECT_H

#include <stddef.h>

/*
 * How many of n things in order come before what is looked for, and so the index of the first
 * that does not. `before` says it of the one at index `i`, a name of the caller's choice:
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
