/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of a line of a log. Each function returns the position after the part at `at`, or
 * NULL when the part is not there. log_word() and log_address() accept NULL and return
 * it, so calls can be chained.
 */
#ifndef TRACE_LOGWORDS_H
#define TRACE_LOGWORDS_H

#include <stdint.h>
#include <string.h>

#include "trace/hex.h"

enum { LOGWORDS_MOST = 1000000000 };

static inline const char *log_blanks(const char *at, const char *end)
{
	while (at < end && *at == ' ')
		at++;
	return at;
}

/* A decimal number, at most LOGWORDS_MOST. */
static inline const char *log_decimal(const char *at, const char *end, uint64_t *number)
{
	const char *begin = at;

	for (*number = 0; at < end && *at >= '0' && *at <= '9'; at++) {
		*number = *number * 10 + (uint64_t)(*at - '0');
		if (*number > LOGWORDS_MOST)
			return NULL;
	}
	return at > begin ? at : NULL;
}

static inline const char *log_word(const char *at, const char *end, const char *text)
{
	size_t bytes = strlen(text);

	return at && (size_t)(end - at) >= bytes && !memcmp(at, text, bytes) ?
		       at + bytes :
		       NULL;
}

/* "0x" and hexadecimal digits. */
static inline const char *log_address(const char *at, const char *end, uint64_t *value)
{
	const char *digits = log_word(at, end, "0x");

	if (!digits)
		return NULL;
	at = hex_number(digits, end, value);
	return at > digits ? at : NULL;
}

#endif
