/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrays that grow by one element at a time, with no capacity beside their count. */
#ifndef BASE_APPEND_H
#define BASE_APPEND_H

#include <stdlib.h>

/* Makes room for one more element of `size` bytes; NULL without memory. */
static inline void *append_room(void *array, size_t count, size_t size)
{
	/* Capacities are powers of two from 16 on, so it is full when count is one. */
	if (count < 16 ? count : count & (count - 1))
		return array;
	return reallocarray(array, count < 16 ? 16 : 2 * count, size);
}

/* Appends an element to array[count++]; false, with nothing changed, without memory. */
#define APPEND(array, count, element)                                       \
	({                                                                  \
		void *grown_ = append_room(array, count, sizeof(*(array))); \
		if (grown_) {                                               \
			(array) = grown_;                                   \
			(array)[(count)++] = (element);                     \
		}                                                           \
		grown_ != NULL;                                             \
	})

#endif
