/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sorting an array of counts and adding up equal elements. */
#ifndef BASE_SUM_UP_H
#define BASE_SUM_UP_H

#include <stdlib.h>

/*
 * Sorts array[n]. Elements that `compare` finds equal become one, with the sum of their
 * .field; `n` becomes the number that is left.
 */
#define SUM_UP(array, n, compare, field)                                            \
	do {                                                                        \
		size_t kept_ = 0;                                                   \
		if (n)                                                              \
			qsort(array, n, sizeof(*(array)), compare);                 \
		for (size_t i_ = 0; i_ < (n); i_++)                                 \
			if (kept_ && !(compare)(&(array)[kept_ - 1], &(array)[i_])) \
				(array)[kept_ - 1].field += (array)[i_].field;      \
			else                                                        \
				(array)[kept_++] = (array)[i_];                     \
		(n) = kept_;                                                        \
	} while (0)

#endif
