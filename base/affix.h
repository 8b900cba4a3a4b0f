/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How texts begin and end, such as the names that runtimes give to their code. */
#ifndef BASE_AFFIX_H
#define BASE_AFFIX_H

#include <stdbool.h>
#include <string.h>

static inline bool begins_with(const char *text, const char *begin)
{
	return !strncmp(text, begin, strlen(begin));
}

static inline bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), bytes = strlen(end);

	return length >= bytes && !strcmp(text + length - bytes, end);
}

#endif
