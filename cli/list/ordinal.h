/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A decimal number kept as its digits, for counting lines without dividing. */
#ifndef CLI_LIST_ORDINAL_H
#define CLI_LIST_ORDINAL_H

#include <stdint.h>
#include <string.h>

enum { ORDINAL_DIGITS = 24 };

struct ordinal {
	char digits[ORDINAL_DIGITS]; /* right-justified, after blanks */
	unsigned used;		     /* characters to print, at the end of digits */
};

/* At least `width` characters wide, blanks on the left. */
static inline void ordinal_init(struct ordinal *ordinal, uint64_t value, unsigned width)
{
	char *at = ordinal->digits + ORDINAL_DIGITS;

	memset(ordinal->digits, ' ', ORDINAL_DIGITS);
	do
		*--at = (char)('0' + value % 10);
	while (value /= 10);
	ordinal->used = (unsigned)(ordinal->digits + ORDINAL_DIGITS - at);
	if (ordinal->used < width)
		ordinal->used = width;
}

static inline const char *ordinal_text(const struct ordinal *ordinal)
{
	return ordinal->digits + ORDINAL_DIGITS - ordinal->used;
}

/* Adds one. */
static inline void ordinal_next(struct ordinal *ordinal)
{
	char *at = ordinal->digits + ORDINAL_DIGITS - 1;

	while (*at == '9')
		*at-- = '0';
	*at = *at == ' ' ? '1' : (char)(*at + 1);
	if (ordinal_text(ordinal) > at)
		ordinal->used++;
}

#endif
